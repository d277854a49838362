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
        return groups.joined().utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): true
            case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): true
            default: false
            }
        }
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
