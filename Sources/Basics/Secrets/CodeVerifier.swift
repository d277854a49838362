import Crypto

/// The proof that the client which redeems an authorization code is the one that requested it
/// (RFC 7636), with the method S256.
package struct CodeVerifier: Sendable, Hashable {
    package static let method = "S256"

    package let secret: Secret

    /// - Parameter bytes: 32 or more from a secure source.
    init(random bytes: [UInt8]) {
        secret = Secret(Base64URL.encode(bytes))
    }

    package init(_ secret: Secret) {
        self.secret = secret
    }

    /// The SHA-256 digest that the authorization request contains.
    package var challenge: String {
        secret.withBytes { Base64URL.encode(SHA256.hash(data: $0)) }
    }

    /// Whether it has the length and the characters of section 4.1.
    package var isWellFormed: Bool {
        (43...128).contains(secret.byteCount)
            && secret.withBytes { $0.allSatisfy(Self.isUnreserved) }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }
}
