package import Basics
package import Profiles

/// Verifies the signatures of id tokens with a provider's public keys.
package protocol IDTokenVerifier: Sendable {
    /// Returns whether one of the keys at a URL signed a token.
    ///
    /// Never throws: keys that cannot be read are a reason why the signature is not checked. What the
    /// token and the keys say of themselves is returned without the secrets in it.
    func signature(
        of token: Secret,
        keys url: String,
        hiding secrets: KnownSecrets
    ) async -> IDTokenSignature
}
