import FoundationEssentials

/// A signed JSON Web Token (RFC 7519), decoded but not verified, as the client does not have the
/// backend's key.
package struct JSONWebToken: Sendable, Hashable {
    /// The size of the largest token that is decoded, in bytes.
    package static let sizeLimit = 64 * 1024

    package let header: [String: JSONValue]
    package let claims: [String: JSONValue]

    /// Decodes a token; `nil` unless it has three parts in base64url with JSON objects in the first
    /// two.
    package init?(reading secret: Secret) {
        guard secret.byteCount <= Self.sizeLimit, secret.reveal().utf8.contains(UInt8(ascii: "."))
        else { return nil }
        let parts = secret.reveal().parts(at: ".", keepsEmpty: true)
        guard parts.count == 3,
            let header = Self.object(in: parts[0]),
            let claims = Self.object(in: parts[1])
        else { return nil }
        self.header = header
        self.claims = claims
    }

    /// The signature algorithm that the token states, such as `HS256`.
    package var algorithm: String? { header["alg"]?.stringValue }

    package var subject: String? { claims["sub"]?.displayText }

    /// The `exp` claim, in seconds since 1970 (section 4.1.4); may have a fraction.
    package var expiresAt: Double? { Self.date("exp", in: claims) }

    /// The `iat` claim, in seconds since 1970 (section 4.1.6).
    package var issuedAt: Double? { Self.date("iat", in: claims) }

    /// The `nbf` claim, in seconds since 1970 (section 4.1.5).
    package var notBefore: Double? { Self.date("nbf", in: claims) }

    /// Returns a numeric date within the years 1970 to 9999, or `nil` for anything else.
    static func date(_ claim: String, in claims: [String: JSONValue]) -> Double? {
        guard let value = claims[claim]?.numberValue, value.isFinite,
            (0...253_402_300_799).contains(value)
        else { return nil }
        return value
    }

    /// Returns the JSON object in a part of a token, or `nil` if there is none.
    package static func object(in part: Substring) -> [String: JSONValue]? {
        guard let bytes = Base64URL.decode(part),
            case .object(let members)? = JSONValue(parsing: bytes)
        else { return nil }
        return members
    }
}
