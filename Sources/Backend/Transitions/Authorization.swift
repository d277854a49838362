package import Basics
package import Profiles

/// An authorization code of the backend (RFC 6749 section 4.1.2).
struct AuthorizationCode: Sendable {
    let client: String
    let redirectURI: String
    /// The code challenge with the method S256 (RFC 7636).
    let challenge: String
    /// The thumbprint of the key with which it must be redeemed, or `nil` for any or none.
    let proofKey: String?
    let user: BackendUser
    /// The grant for a resource, or `nil` if the request named none.
    let grant: ResourceGrant?
    /// Seconds since 1970.
    let expiresAt: Double
    /// The session that it was exchanged for, or `nil` if it was not redeemed yet.
    var family: Int?
}

extension AuthBackend {
    /// The seconds within which a code must be redeemed.
    static let codeLifetime = 60.0

    /// Returns the user with this name and password, or `nil` if there is none.
    package func user(named name: String, password: String) -> BackendUser? {
        let given = ["username": Secret(name), "password": Secret(password)]
        return accounts.first { $0.admits(given, asking: ["username", "password"]) }?.user
    }

    /// The user who logs in without being asked, for tests.
    package var firstUser: BackendUser? { accounts.first?.user }

    /// Returns whether a client is known by this id.
    package func isClient(_ id: String) -> Bool {
        accounts.contains { $0.credentials["client_id"] == Secret(id) }
    }

    /// The client of the first account, as which every client is registered.
    package var client: (id: Secret?, secret: Secret?) {
        let credentials = accounts.first?.credentials
        return (credentials?["client_id"], credentials?["client_secret"])
    }

    /// Issues an authorization code.
    ///
    /// - Parameters:
    ///   - query: The request of the browser, which has been checked.
    ///   - reference: The reference to its parameters, if they were pushed; it is spent.
    ///   - user: The user who has logged in.
    ///   - now: Seconds since 1970.
    /// - Returns: The code.
    package mutating func issueCode(
        for query: AuthorizationQuery,
        pushedAs reference: String? = nil,
        to user: BackendUser,
        at now: Double
    ) -> Secret {
        let code = Secret(mint.uuid())
        codes[code] = AuthorizationCode(
            client: query.clientID,
            redirectURI: query.redirectURI,
            challenge: query.challenge,
            proofKey: redeemPushed(reference),
            user: user,
            grant: query.resource.map { ResourceGrant(resource: $0, scope: query.scope) },
            expiresAt: now + Self.codeLifetime
        )
        return code
    }

    /// Exchanges a code for a session, if the request comes from the client that requested it.
    ///
    /// A code that is used a second time also ends the session that it was exchanged for (RFC 6749
    /// section 4.1.2).
    mutating func redeem(
        _ given: [String: Secret],
        in policy: BackendPolicy,
        at now: Double
    ) -> IssuedFacts? {
        guard let code = given["code"], let issued = codes[code],
            let verifier = given["code_verifier"]
        else { return refuseLogin(in: policy) }
        if let family = issued.family {
            end(family, .reuse, at: now)
            return refuseLogin(in: policy)
        }
        let proof = CodeVerifier(verifier)
        guard isClient(given), given["client_id"] == Secret(issued.client),
            given["redirect_uri"] == Secret(issued.redirectURI), now < issued.expiresAt,
            proof.isWellFormed, Secret(proof.challenge) == Secret(issued.challenge)
        else { return refuseLogin(in: policy) }
        let session = begin(
            for: issued.user,
            bringsRefreshToken: policy.hasRefreshToken,
            grant: issued.grant,
            in: policy,
            at: now
        )
        codes[code]?.family = session?.family
        return session?.facts
    }

    /// Returns whether a client is known by its id, and by its secret if it has sent one.
    func isClient(_ given: [String: Secret]) -> Bool {
        let secret = given["client_secret"]
        return accounts.contains { account in
            account.credentials["client_id"] == given["client_id"]
                && (secret == nil || secret == account.credentials["client_secret"])
        }
    }

    private mutating func refuseLogin(in policy: BackendPolicy) -> IssuedFacts? {
        count(in: policy) { $0.loginsRejected += 1 }
        return nil
    }
}
