import Basics
import Client
import FoundationEssentials
import Profiles

/// A token that may be used now, with what programs are told of it.
struct FreshToken: Sendable, Hashable {
    /// The token that a program asks for.
    enum Kind: Sendable, Hashable {
        case access, id
    }

    /// A token with its end, or `nil` if nothing states it.
    struct Part: Sendable, Hashable {
        let secret: Secret
        let end: Date?
    }

    /// The token that was asked for.
    let asked: Part
    let kind: Kind
    let access: Part
    /// The ID token, or `nil` if no answer has brought one.
    let id: Part?
    /// The header that carries the token that was asked for, or `nil` if the profile sends its
    /// access token in another place.
    let header: WireHeader?
    let captures: CapturedValues

    /// Returns `nil` if there is no token of the kind.
    ///
    /// - Parameters:
    ///   - kind: The token that is asked for.
    ///   - access: The access token.
    ///   - id: The ID token, or `nil` if there is none.
    ///   - captures: The values that answers brought besides the tokens.
    ///   - dialect: The dialect of the profile.
    init?(
        _ kind: Kind,
        access: Part,
        id: Part?,
        captures: CapturedValues = .none,
        dialect: Dialect
    ) {
        guard let asked = kind == .id ? id : access else { return nil }
        self.kind = kind
        self.asked = asked
        self.access = access
        self.id = id
        self.captures = captures
        header = dialect.hasTokenHeader ? dialect.tokenHeader(AccessToken(asked.secret)) : nil
    }

    /// The scheme of the header (RFC 9110 section 11.1), or `nil` if it has none.
    var scheme: String? {
        guard let header, header.name.isEqualIgnoringCase("Authorization"), header.value.has(" ")
        else { return nil }
        return String(header.value.part(before: " "))
    }
}

extension FreshToken.Part {
    /// An ID token, which states its own end.
    init(idToken: Secret) {
        let end = JSONWebToken(reading: idToken)?.expiresAt
        self.init(secret: idToken, end: end.map(Date.init(timeIntervalSince1970:)))
    }

    /// The end in whole seconds since 1970, rounded down.
    var endSeconds: Int64? {
        end.flatMap { Int64(exactly: $0.timeIntervalSince1970.rounded(.down)) }
    }

    /// The end as in RFC 3339, in UTC and in whole seconds.
    var endText: String? {
        endSeconds.map { seconds in
            Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
        }
    }

    /// When an ID token is replaced: a tenth of its life before its end, but at most 30 s.
    var replacement: Date? {
        guard let end else { return nil }
        let issued = JSONWebToken(reading: secret)?.issuedAt
        let life = issued.map { end.timeIntervalSince1970 - $0 } ?? .infinity
        return end.addingTimeInterval(-min(30, max(0, life / 10)))
    }
}
