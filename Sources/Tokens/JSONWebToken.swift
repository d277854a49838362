import FoundationEssentials

/// A signed JSON web token (RFC 7519), read and not verified: nobody here holds the backend's key.
package struct JSONWebToken: Sendable, Hashable {
    /// The largest token that is looked into, in bytes.
    package static let sizeLimit = 64 * 1024

    package let header: [String: JSONValue]
    package let claims: [String: JSONValue]

    /// `nil` unless the text is three parts of base64url with JSON objects in the first two.
    package init?(reading secret: Secret) {
        guard secret.byteCount <= Self.sizeLimit, secret.reveal().utf8.contains(UInt8(ascii: "."))
        else { return nil }
        let parts = secret.reveal().split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3,
            let header = Self.object(in: parts[0]),
            let claims = Self.object(in: parts[1])
        else { return nil }
        self.header = header
        self.claims = claims
    }

    /// The signature algorithm, such as `HS256`, as the token claims it.
    package var algorithm: String? { header["alg"]?.stringValue }

    package var subject: String? { claims["sub"]?.displayText }

    /// Seconds since 1970 (section 4.1.4); may have a fraction.
    package var expiresAt: Double? { date("exp") }

    /// Seconds since 1970 (section 4.1.6).
    package var issuedAt: Double? { date("iat") }

    /// Seconds since 1970 (section 4.1.5).
    package var notBefore: Double? { date("nbf") }

    /// A numeric date within the years 1970 to 9999; anything else is as good as absent.
    private func date(_ claim: String) -> Double? {
        guard let value = claims[claim]?.numberValue, value.isFinite,
            (0...253_402_300_799).contains(value)
        else { return nil }
        return value
    }

    private static func object(in part: Substring) -> [String: JSONValue]? {
        guard let bytes = Base64URL.decode(part),
            case .object(let members)? = JSONValue(parsing: bytes)
        else { return nil }
        return members
    }
}
