package import Basics

/// The proof that the sender of a request has the key that its tokens are bound to (RFC 9449).
package struct ProofOfPossession: Sendable, Hashable {
    /// The access token in the request, or `nil` if it is sent for one.
    package let access: AccessToken?

    package static let header = "DPoP"
    package static let nonceHeader = "DPoP-Nonce"
    package static let type = "dpop+jwt"
    /// The scheme of an access token that is bound to a key.
    static let scheme = "DPoP"
    static let nonceError = "use_dpop_nonce"
    /// The errors of a proof that the server does not accept, which say nothing of the token.
    static let errors: Set<String> = [nonceError, "invalid_dpop_proof"]

    /// Returns what the key signs, as section 4.2 has it.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - url: Its URL, without a query.
    ///   - key: The public key.
    ///   - nonce: The server's last nonce, if it has sent one.
    ///   - now: Seconds since 1970.
    ///   - id: A random text, so that no two proofs are the same.
    /// - Returns: The proof without its signature.
    package func unsigned(
        method: String,
        url: String,
        key: PublicKey,
        nonce: String?,
        now: Double,
        id: String
    ) -> UnsignedToken {
        var claims: [String: JSONValue] = [
            "jti": .string(id), "htm": .string(method), "htu": .string(url),
            "iat": .integer(Int64(now)),
        ]
        if let access { claims["ath"] = .string(Self.hash(of: access)) }
        if let nonce { claims["nonce"] = .string(nonce) }
        return UnsignedToken(
            header: ["typ": .string(Self.type), "jwk": key.json],
            claims: claims
        )
    }

    /// Returns the hash of the access token that a proof contains.
    package static func hash(of access: AccessToken) -> String {
        CodeVerifier(access.secret).challenge
    }

    /// Returns the nonce in a response, if it has one of the required form (section 8.1).
    package static func nonce(in response: WireResponse) -> String? {
        guard let nonce = response.header(nonceHeader), (1...1024).contains(nonce.utf8.count),
            nonce.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C })
        else { return nil }
        return nonce
    }

    /// Returns whether a response refuses a proof for its nonce alone, so that nothing else of the
    /// request was considered (sections 8 and 9).
    package static func isNonceRefused(by response: WireResponse) -> Bool {
        switch response.status {
        case 400: ResponseBody(response).json?.value(at: "error")?.stringValue == nonceError
        case 401: Challenge.errors(in: response).contains(nonceError)
        default: false
        }
    }
}

extension Dialect {
    /// Lets the requests for tokens, and those with the access token, prove that the client has its
    /// key.
    mutating func requireProofs() {
        login.request.proof = .forToken
        login.reading.isBound = true
        login.authorization?.pushed?.request.proof = .forToken
        refresh?.request.proof = .forToken
        refresh?.reading.isBound = true
        otherLogins = otherLogins.map { login in
            var login = login
            login.exchange.request.proof = .forToken
            return login
        }
        protected?.request.proof = .withToken
        sessions?.request.proof = .withToken
        sessions?.end?.request.proof = .withToken
        userinfo?.request.proof = .withToken
        logouts = logouts.mapValues { logout in
            var logout = logout
            if logout.accessPlace == .bearer { logout.request.proof = .withToken }
            if logout.withoutRefresh?.place == .bearer {
                logout.withoutRefresh?.request.proof = .withToken
            }
            return logout
        }
    }
}

/// The proof of a request.
enum RequestProof: Sendable, Hashable {
    /// The token that it is sent for is to be bound to the key.
    case forToken
    /// The access token in it is bound to the key.
    case withToken
}
