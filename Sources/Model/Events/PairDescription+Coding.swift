import Basics
import Profiles

/// The form in recordings, in which the statements about a pair are members of it.
extension PairDescription: Codable {
    private enum CodingKeys: String, CodingKey {
        case origin, access, refresh, issuedAt, accessExpiry, refreshExpiry, sessionEnd
        case unusableExpiries, usableUntil, rotated, keepsAccess, keptRefresh, request
        case captures = "captured"
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        origin = try values.decode(Origin.self, forKey: .origin)
        access = try values.decodeIfPresent(TokenDescription.self, forKey: .access)
        refresh = try values.decodeIfPresent(TokenDescription.self, forKey: .refresh)
        issuedAt = try values.decode(Moment.self, forKey: .issuedAt)
        accessExpiry = try values.decodeIfPresent(Deadline.self, forKey: .accessExpiry)
        refreshExpiry = try values.decodeIfPresent(Deadline.self, forKey: .refreshExpiry)
        sessionEnd = try values.decodeIfPresent(Instant.self, forKey: .sessionEnd)
        unusableExpiries = try values.decode(UnusableExpiries.self, forKey: .unusableExpiries)
        usableUntil = try values.decodeIfPresent(Instant.self, forKey: .usableUntil)
        rotated = try values.decode(Bool.self, forKey: .rotated)
        keptRefresh = try values.decodeIfPresent(KeptRefreshToken.self, forKey: .keptRefresh)
        statements = try PairStatements(from: decoder)
        request = try values.decodeIfPresent(Int.self, forKey: .request)
        // Older recordings have none of these.
        keepsAccess = try values.decodeIfPresent(Bool.self, forKey: .keepsAccess) ?? false
        captures = try values.decodeIfPresent([CaptureDescription].self, forKey: .captures) ?? []
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(origin, forKey: .origin)
        try values.encodeIfPresent(access, forKey: .access)
        try values.encodeIfPresent(refresh, forKey: .refresh)
        try values.encode(issuedAt, forKey: .issuedAt)
        try values.encodeIfPresent(accessExpiry, forKey: .accessExpiry)
        try values.encodeIfPresent(refreshExpiry, forKey: .refreshExpiry)
        try values.encodeIfPresent(sessionEnd, forKey: .sessionEnd)
        try values.encode(unusableExpiries, forKey: .unusableExpiries)
        try values.encodeIfPresent(usableUntil, forKey: .usableUntil)
        try values.encode(rotated, forKey: .rotated)
        if keepsAccess { try values.encode(keepsAccess, forKey: .keepsAccess) }
        try values.encodeIfPresent(keptRefresh, forKey: .keptRefresh)
        try statements.encode(to: encoder)
        try values.encodeIfPresent(request, forKey: .request)
        try values.encode(captures, forKey: .captures)
    }
}
