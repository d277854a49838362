package import Basics
package import FoundationEssentials

/// The times of a pair: of a record, on the wall clock, by dates and expiries; of a pair in use, on
/// this process's clock too, by moments and deadlines.
///
/// A wall clock can be set at any time, and the monotonic one means nothing to another process. So
/// neither form can be computed from the other whenever it is needed: a process converts a record
/// once, when it reads it.
package struct PairTimes<Time: Sendable & Hashable, End: Sendable & Hashable>: Sendable, Hashable {
    /// When the request for the pair was sent.
    package var issuedAt: Time
    /// When the request was sent from which the refresh token's end counts.
    package var refreshIssuedAt: Time
    /// When the login was sent that the pair descends from, or `nil` if that is not known.
    package var beganAt: Time?
    package var access: End?
    package var refresh: End?

    package init(
        issuedAt: Time,
        refreshIssuedAt: Time,
        beganAt: Time? = nil,
        access: End? = nil,
        refresh: End? = nil
    ) {
        self.issuedAt = issuedAt
        self.refreshIssuedAt = refreshIssuedAt
        self.beganAt = beganAt
        self.access = access
        self.refresh = refresh
    }
}

extension PairTimes<Moment, Deadline> {
    /// The same for a record.
    package var onWallClock: PairTimes<Date, Expiry> {
        PairTimes<Date, Expiry>(
            issuedAt: issuedAt.wall,
            refreshIssuedAt: refreshIssuedAt.wall,
            beganAt: beganAt?.wall,
            access: access?.expiry,
            refresh: refresh?.expiry
        )
    }
}

extension PairTimes<Date, Expiry> {
    /// Returns the same on this process's clock.
    ///
    /// - Parameter moment: Returns the moment of a date.
    /// - Returns: The times.
    package func onProcessClock(_ moment: (Date) -> Moment) -> PairTimes<Moment, Deadline> {
        let issuedAt = moment(issuedAt)
        let refreshIssuedAt = moment(refreshIssuedAt)
        return PairTimes<Moment, Deadline>(
            issuedAt: issuedAt,
            refreshIssuedAt: refreshIssuedAt,
            beganAt: beganAt.map(moment),
            access: access.map { Deadline($0, sentAt: issuedAt.now) },
            refresh: refresh.map { Deadline($0, sentAt: refreshIssuedAt.now) }
        )
    }
}

extension PairTimes: Codable where Time == Date, End == Expiry {
    private enum CodingKeys: String, CodingKey {
        case issuedAt = "sentAt"
        case refreshIssuedAt = "refreshSentAt"
        case beganAt
        case access = "accessExpiry"
        case refresh = "refreshExpiry"
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            issuedAt: try values.decode(Date.self, forKey: .issuedAt),
            refreshIssuedAt: try values.decode(Date.self, forKey: .refreshIssuedAt),
            // The first releases did not write it.
            beganAt: try values.decodeIfPresent(Date.self, forKey: .beganAt),
            access: try values.decode(Expiry?.self, forKey: .access),
            refresh: try values.decode(Expiry?.self, forKey: .refresh)
        )
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(issuedAt, forKey: .issuedAt)
        try values.encode(refreshIssuedAt, forKey: .refreshIssuedAt)
        try values.encodeIfPresent(beganAt, forKey: .beganAt)
        try values.encode(access, forKey: .access)
        try values.encode(refresh, forKey: .refresh)
    }
}
