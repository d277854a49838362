import Crypto

/// A JSON Web Token (RFC 7519) that is yet to be signed.
package struct UnsignedToken: Sendable, Hashable {
    package var header: [String: JSONValue]
    package var claims: [String: JSONValue]

    package init(header: [String: JSONValue] = [:], claims: [String: JSONValue]) {
        self.header = header
        self.claims = claims
    }

    /// Signs the token, in the compact serialization (RFC 7515 section 7.1).
    ///
    /// - Parameters:
    ///   - algorithm: The algorithm of the signature, such as `ES256` (RFC 7518 section 3.1).
    ///   - sign: Returns the signature of the bytes.
    /// - Returns: The token.
    /// - Throws: Any error that `sign` throws.
    package func signed<Failure>(
        as algorithm: String,
        by sign: ([UInt8]) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Secret {
        var header = header
        header["alg"] = .string(algorithm)
        let parts = [header, claims].map { members in
            Base64URL.encode(JSONValue.object(members).serialized.utf8)
        }
        let input = parts.joined(separator: ".")
        let signature = try sign(Array(input.utf8))
        return Secret("\(input).\(Base64URL.encode(signature))")
    }

    /// Signs the token with a secret that the server knows, too (HS256).
    package func signed(with secret: Secret) -> Secret {
        let key = secret.withBytes { SymmetricKey(data: $0) }
        return signed(as: "HS256") { input in
            Array(HMAC<SHA256>.authenticationCode(for: input, using: key))
        }
    }
}
