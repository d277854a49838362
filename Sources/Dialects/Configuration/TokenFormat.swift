package import Tokens

/// What a backend's tokens look like; the sandbox issues them so.
package enum TokenFormat: String, Sendable, Hashable, CaseIterable {
    /// A signed JSON web token with `exp` and `iat`.
    case jwt
    /// A random version 4 UUID.
    case uuid
    /// Random characters without a meaning.
    case opaque

    /// Whether a token can be of this format at all, whoever issued it.
    package func admits(_ secret: Secret) -> Bool {
        switch self {
        case .jwt: return JSONWebToken(reading: secret) != nil
        case .uuid: return Self.isUUID(secret.reveal())
        case .opaque: return !secret.isEmpty
        }
    }

    private static func isUUID(_ text: String) -> Bool {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
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
package enum Rotation: String, Sendable, Hashable, CaseIterable {
    case always
    case never
    /// The documentation and the answers disagree, or say nothing.
    case maybe
}

/// What the backend's documentation says; the assumed expiry where no answer says one.
package struct DocumentedLifetimes: Sendable, Hashable {
    /// Seconds, or `nil` if not stated.
    package var access: Double?
    /// Seconds, or `nil` if not stated.
    package var refresh: Double?
    /// Whether a refresh moves the refresh token's expiry on.
    package var refreshSlides: Bool

    package init(access: Double? = nil, refresh: Double? = nil, refreshSlides: Bool = true) {
        self.access = access
        self.refresh = refresh
        self.refreshSlides = refreshSlides
    }
}
