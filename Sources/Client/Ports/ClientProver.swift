package import Basics
package import Profiles

/// The means by which the client proves its identity.
package struct ClientProver: Sendable {
    /// Returns as many bytes from a secure source.
    var randomBytes: @Sendable (Int) -> [UInt8]
    /// The client's private key, or `nil` if it has none.
    var key: SigningKey?
    /// Creates a private key for the tokens of a session (RFC 9449).
    package var newProofKey: @Sendable () -> Secret
    /// Returns such a key for signing, or `nil` if the text is none.
    var proofSigner: @Sendable (Secret) -> ProofSigner?

    package init(
        randomBytes: @escaping @Sendable (Int) -> [UInt8],
        key: SigningKey? = nil,
        newProofKey: @escaping @Sendable () -> Secret,
        proofSigner: @escaping @Sendable (Secret) -> ProofSigner?
    ) {
        self.randomBytes = randomBytes
        self.key = key
        self.newProofKey = newProofKey
        self.proofSigner = proofSigner
    }
}

extension ClientProver {
    /// Signs the proof of a request (RFC 9449 section 4.2).
    ///
    /// - Parameters:
    ///   - proof: What the request has to prove.
    ///   - method: The method of the request.
    ///   - url: Its URL, without a query.
    ///   - key: The key of its tokens.
    ///   - nonce: The server's last nonce, if it has sent one.
    ///   - now: Seconds since 1970.
    /// - Returns: The value of the header, or `nil` if the key cannot sign.
    package func sign(
        _ proof: ProofOfPossession,
        method: String,
        url: String,
        key: Secret,
        nonce: String?,
        now: Double
    ) -> Secret? {
        guard let signer = proofSigner(key) else { return nil }
        let unsigned = proof.unsigned(
            method: method,
            url: url,
            key: signer.publicKey,
            nonce: nonce,
            now: now,
            id: Base64URL.encode(randomBytes(16))
        )
        return try? SessionStore.signed(unsigned, with: signer.key)
    }
}

/// The key that the tokens of a session are bound to.
package struct ProofSigner: Sendable {
    var publicKey: PublicKey
    var key: SigningKey

    package init(publicKey: PublicKey, key: SigningKey) {
        self.publicKey = publicKey
        self.key = key
    }
}

/// A private key, which never leaves its owner.
package struct SigningKey: Sendable {
    /// The algorithm of its signatures (RFC 7518 section 3.1).
    var algorithm: String
    /// Its name at the server, or `nil` if it has none.
    var id: String?
    /// Returns the signature of the bytes, or `nil` if the key cannot sign.
    var sign: @Sendable ([UInt8]) -> [UInt8]?

    package init(
        algorithm: String,
        id: String?,
        sign: @escaping @Sendable ([UInt8]) -> [UInt8]?
    ) {
        self.algorithm = algorithm
        self.id = id
        self.sign = sign
    }
}
