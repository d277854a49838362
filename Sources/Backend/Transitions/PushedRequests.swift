package import Basics
package import Profiles

/// Parameters of a login that a client has pushed (RFC 9126).
struct PushedRequest: Sendable {
    let query: AuthorizationQuery
    /// The thumbprint of the key that the code is bound to, or `nil` if it is bound to none.
    let proofKey: String?
    /// Seconds since 1970.
    let expiresAt: Double
}

/// Why pushed parameters are not accepted (RFC 9126 section 2.3).
package enum PushRefusal: Error, Sendable {
    case unknownClient
    case invalid(String)
}

extension AuthBackend {
    /// The seconds within which the browser must log in with pushed parameters.
    package static let pushedLifetime = 300.0

    /// Keeps the parameters of a login.
    ///
    /// - Parameters:
    ///   - query: The parameters.
    ///   - credentials: Those of the client.
    ///   - key: The thumbprint of the key that has signed the request's proof, if there is one.
    ///   - now: Seconds since 1970.
    /// - Returns: The reference to them.
    /// - Throws: `PushRefusal` if the server does not accept them.
    package mutating func push(
        _ query: AuthorizationQuery,
        from credentials: [String: Secret],
        provenBy key: String?,
        at now: Double
    ) throws(PushRefusal) -> String {
        guard isClient(credentials), credentials["client_id"] == Secret(query.clientID) else {
            throw .unknownClient
        }
        guard query.requestURI == nil else { throw .invalid("a request_uri in what it stands for") }
        guard query.isForThisMachine else { throw .invalid("a redirect_uri of another machine") }
        guard query.responseType == "code", query.challengeMethod == "S256" else {
            throw .invalid("expected response_type=code and a code_challenge with S256")
        }
        let reference = "urn:ietf:params:oauth:request_uri:\(mint.uuid())"
        pushed[reference] = PushedRequest(
            query: query,
            proofKey: key,
            expiresAt: now + Self.pushedLifetime
        )
        return reference
    }

    /// Returns the parameters that a reference of this client stands for, or `nil` if there are none
    /// any more.
    package func pushedQuery(
        _ reference: String,
        of client: String,
        at now: Double
    ) -> AuthorizationQuery? {
        guard let found = pushed[reference], now < found.expiresAt, found.query.clientID == client
        else { return nil }
        return found.query
    }

    /// Forgets pushed parameters once a code was issued for them.
    ///
    /// - Returns: The thumbprint of the key that the code is bound to, if there is one.
    mutating func redeemPushed(_ reference: String?) -> String? {
        reference.flatMap { pushed.removeValue(forKey: $0) }?.proofKey
    }
}
