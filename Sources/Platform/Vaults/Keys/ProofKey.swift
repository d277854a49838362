package import Basics
package import Client
import Crypto
import Model

/// The private key that the tokens of a session are bound to (RFC 9449), on the curve P-256.
///
/// It is stored and erased with them.
package enum ProofKey {
    /// Creates a key.
    package static func fresh() -> Secret {
        Secret(Base64URL.encode(P256.Signing.PrivateKey().rawRepresentation))
    }

    /// Returns the key for signing, or `nil` if the text is none.
    package static func signing(_ secret: Secret) -> ProofSigner? {
        guard let bytes = Base64URL.decode(secret.reveal()),
            let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes),
            let publicKey = PublicKey(point: Array(key.publicKey.rawRepresentation))
        else { return nil }
        return ProofSigner(
            publicKey: publicKey,
            key: SigningKey(algorithm: "ES256", id: nil) { input in
                (try? key.signature(for: input)).map { Array($0.rawRepresentation) }
            }
        )
    }
}
