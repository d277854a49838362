package import Basics
import Crypto
package import Profiles

/// Whether a request proves that its sender has the key that its tokens are bound to (RFC 9449).
package enum ProofVerdict: Sendable, Hashable {
    /// The request has no proof, and needs none.
    case absent
    /// The key is identified by its thumbprint.
    case valid(key: String)
    /// The proof has no nonce, or an old one.
    case otherNonce
    /// The proof is not accepted, for this reason.
    case invalid(String)
}

extension AuthBackend {
    /// The time for which a proof is accepted after it was made, in seconds, and the difference
    /// that the clocks may have.
    static let proofLifetime = 60.0
    /// The time for which a nonce is the one to use; the one before is accepted as well.
    static let nonceLifetime = 30.0
    private static let proofLimit = 10_000

    /// Checks the proof of a request as RFC 9449 section 4.3 requires, and never accepts one twice.
    ///
    /// - Parameters:
    ///   - request: The request as it was received.
    ///   - url: Its URL, without a query.
    ///   - recognized: Its purpose.
    ///   - now: Seconds since 1970.
    /// - Returns: The verdict.
    package mutating func checkProof(
        in request: WireRequest,
        to url: String,
        of recognized: RecognizedRequest,
        at now: Double
    ) -> ProofVerdict {
        guard recognized.usesKey else { return .absent }
        let bound = family(ofTokensIn: recognized)?.proofKey ?? proofKey(ofCodeIn: recognized)
        let sent = request.headers.filter { $0.name.asciiLowercased == "dpop" }
        guard let header = sent.first else {
            return bound == nil ? .absent : .invalid("the token is bound to a key")
        }
        guard sent.count == 1 else { return .invalid("more than one proof") }
        let access = recognized.accessToken
        let proof = Secret(header.value)
        guard let token = JSONWebToken(reading: proof),
            token.header["typ"]?.stringValue == ProofOfPossession.type,
            token.algorithm == "ES256",
            let key = token.header["jwk"].flatMap({ PublicKey($0) }), key.hasSigned(proof)
        else { return .invalid("not a token that its own ES256 key signed") }
        func claim(_ name: String) -> String? { token.claims[name]?.stringValue }
        guard claim("htm") == request.method else { return .invalid("for another method (htm)") }
        guard claim("htu") == url else { return .invalid("for another URL (htu)") }
        guard claim("ath") == access.map({ ProofOfPossession.hash(of: $0) }) else {
            return .invalid("for another access token (ath)")
        }
        guard let issuedAt = token.issuedAt, abs(now - issuedAt) <= Self.proofLifetime else {
            return .invalid("too old, or of the future (iat)")
        }
        let nonces = [now, now - Self.nonceLifetime].map {
            proofNonce(forTokens: access == nil, at: $0)
        }
        guard let nonce = claim("nonce"), nonces.contains(nonce) else { return .otherNonce }
        guard bound == nil || bound == key.thumbprint else {
            return .invalid("by another key than that of the token")
        }
        let isBearer =
            request.header("Authorization")?.asciiLowercased.begins(with: "bearer ") ?? false
        guard bound == nil || !isBearer else {
            return .invalid("the token is bound to a key: expected the scheme DPoP")
        }
        guard let id = claim("jti"), register(id, of: key, issuedAt: issuedAt, at: now) else {
            return .invalid("used before (jti)")
        }
        return .valid(key: key.thumbprint)
    }

    /// Returns the key with which the code of a login must be redeemed (RFC 9449 section 10.1).
    private func proofKey(ofCodeIn request: RecognizedRequest) -> String? {
        guard case .login(let credentials) = request else { return nil }
        return credentials["code"].flatMap { codes[$0]?.proofKey }
    }

    /// Returns the nonce to use now.
    ///
    /// - Parameters:
    ///   - forTokens: Whether it is for requests for tokens, or for those with an access token.
    ///   - now: Seconds since 1970.
    /// - Returns: The nonce.
    package func proofNonce(forTokens: Bool, at now: Double) -> String {
        let period = Int(now / Self.nonceLifetime)
        let text = "\(proofSeed) \(forTokens) \(period)"
        return Base64URL.encode(SHA256.hash(data: Array(text.utf8)).prefix(16))
    }

    /// Spends a refresh token without a successor.
    package mutating func spend(_ token: RefreshToken, at now: Double) {
        guard let issued = issuedRefresh[token], issued.use == .unused else { return }
        issuedRefresh[token]?.use = .spent(at: now)
        families[issued.family]?.spent += 1
    }

    /// Binds the tokens of a session that was just issued to a key.
    package mutating func bind(_ facts: IssuedFacts, to key: String) {
        guard let family = issuedAccess[facts.access]?.family else { return }
        families[family]?.proofKey = key
    }

    /// - Returns: Whether there was no such proof of the key before.
    private mutating func register(
        _ id: String,
        of key: PublicKey,
        issuedAt: Double,
        at now: Double
    ) -> Bool {
        if proofs.count >= Self.proofLimit { proofs = proofs.filter { $0.value > now } }
        let name = "\(key.thumbprint) \(id)"
        guard proofs[name] == nil, proofs.count < Self.proofLimit else { return false }
        proofs[name] = issuedAt + Self.proofLifetime
        return true
    }
}

extension RecognizedRequest {
    /// Whether it is for tokens, or has an access token in use.
    fileprivate var usesKey: Bool {
        switch self {
        case .login, .refresh, .protected, .feed, .sessions, .userinfo, .endSession: true
        // With the refresh token alone, there is no access token to bind.
        case .logout(_, let refresh, let access): refresh == nil && access != nil
        case .introspection: false
        }
    }

    fileprivate var accessToken: AccessToken? {
        switch self {
        case .login, .refresh, .introspection: nil
        case .protected(let token), .feed(let token, _), .sessions(let token),
            .userinfo(let token), .endSession(_, let token), .logout(_, _, let token):
            token
        }
    }
}
