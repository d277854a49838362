package import Basics

/// The format of a backend's tokens, which the sandbox also issues.
package enum TokenFormat: String, Sendable, Hashable, CaseIterable {
    /// A signed JSON Web Token with `exp` and `iat`.
    case jwt
    /// A random version 4 UUID.
    case uuid
    /// Random characters without structure.
    case opaque

    /// Returns whether a token could have this format, regardless of its issuer.
    package func admits(_ secret: Secret) -> Bool {
        switch self {
        case .jwt: return JSONWebToken(reading: secret) != nil
        case .uuid: return Self.isUUID(secret.reveal())
        case .opaque: return !secret.isEmpty
        }
    }

    private static func isUUID(_ text: String) -> Bool {
        let groups = text.parts(at: "-", keepsEmpty: true)
        guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return false }
        return groups.joined().utf8.allSatisfy { $0.hexDigitValue != nil }
    }
}

/// The formats of both tokens.
package struct TokenFormats: Sendable, Hashable {
    package var access: TokenFormat
    package var refresh: TokenFormat

    package init(access: TokenFormat, refresh: TokenFormat) {
        self.access = access
        self.refresh = refresh
    }
}

/// Whether a refresh also replaces the refresh token.
package enum Rotation: String, Sendable, Hashable, Codable, CaseIterable {
    case always
    case never
    /// The documentation and the responses disagree, or do not say.
    case maybe
}

/// The documented response of the backend to the second use of a refresh token that was replaced.
package struct DocumentedReuse: Sendable, Hashable {
    package enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// The old token stays valid.
        case accepted
        case refused
        /// It is refused, and the session ends (RFC 9700 section 4.14.2).
        case endsSession = "ends_session"
        /// It stays valid until its successor is used.
        case untilUsed = "until_used"
        /// Within the interval each use yields another successor, and all of them are valid.
        case forks
    }

    /// The outcome after the interval, or `nil` if not stated.
    package var outcome: Outcome?
    /// The seconds after the first use in which the old token is still accepted, or `nil` if not
    /// stated.
    package var interval: Double?
}

/// The lifetimes in the backend's documentation, assumed if no response states an expiry.
package struct DocumentedLifetimes: Sendable, Hashable, Codable {
    /// The access token's lifetime in seconds, or `nil` if not stated.
    package var access: Double?
    /// The refresh token's lifetime in seconds, or `nil` if not stated.
    package var refresh: Double?
    /// Whether a refresh restarts the refresh token's lifetime.
    package var refreshSlides: Bool = true
    /// The longest life of a session in seconds, from its login on, whatever is renewed; `nil` if
    /// not stated.
    package var session: Double?
}
