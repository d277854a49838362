import Crypto

/// The public key of ES256 that a proof names (RFC 7517), on the curve P-256.
package struct PublicKey: Sendable, Hashable {
    private let x: String
    private let y: String

    /// - Parameter point: The 64 bytes of both coordinates.
    package init?(point: some Collection<UInt8>) {
        guard point.count == 64 else { return nil }
        x = Base64URL.encode(point.prefix(32))
        y = Base64URL.encode(point.suffix(32))
    }

    /// Parses a key; `nil` for one of another kind, one that is not on the curve, and for a private
    /// one.
    package init?(_ json: JSONValue) {
        guard case .object(let members) = json, members["kty"] == "EC", members["crv"] == "P-256",
            members["d"] == nil, let x = members["x"]?.stringValue,
            let y = members["y"]?.stringValue
        else { return nil }
        self.x = x
        self.y = y
        guard key != nil else { return nil }
    }

    package var json: JSONValue {
        .object(["kty": "EC", "crv": "P-256", "x": .string(x), "y": .string(y)])
    }

    /// Identifies the key (RFC 7638).
    package var thumbprint: String {
        Base64URL.encode(SHA256.hash(data: Array(json.serialized.utf8)))
    }

    /// Returns whether the key signed a token in the compact form.
    package func hasSigned(_ token: Secret) -> Bool {
        let text = token.reveal()
        guard let dot = text.unicodeScalars.lastIndex(of: "."),
            let bytes = Base64URL.decode(text[text.unicodeScalars.index(after: dot)...]),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: bytes)
        else { return false }
        return key?.isValidSignature(signature, for: Array(text[..<dot].utf8)) ?? false
    }

    private var key: P256.Signing.PublicKey? {
        guard let x = Base64URL.decode(x), let y = Base64URL.decode(y), x.count == 32, y.count == 32
        else { return nil }
        return try? P256.Signing.PublicKey(rawRepresentation: x + y)
    }
}
