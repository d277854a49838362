package import Basics

/// The assertion that a login presents, if the client signs it with its own key
/// (RFC 7523 section 2.1).
struct GrantAssertion: Sendable, Hashable {
    /// The issuer, or `nil` for the client's id.
    var issuer: String?
    /// The subject of the requested tokens, or `nil` for its issuer.
    var subject: String?
    /// The audience, or `nil` for the URL of the login.
    var audience: String?
    /// The claim `scope`, which some servers read in place of the parameter.
    var scope: String?
}

extension GrantAssertion {
    /// The name of its placeholder in a request.
    static let valueName = "assertion"
}

extension Dialect {
    /// The name of the value that the client signs for a login, or `nil` if it signs none.
    package var signedGrantName: String? { login.assertion.map { _ in GrantAssertion.valueName } }

    /// Whether the client's private key signs something.
    package var needsSigningKey: Bool { assertionSigners.contains(.key) || login.assertion != nil }

    /// Returns what is to be signed for one login, or `nil` if the client signs none.
    ///
    /// - Parameters:
    ///   - credentials: The client's credentials.
    ///   - baseURL: The base URL of the backend.
    ///   - now: Seconds since 1970.
    ///   - id: A random text, so that no two assertions are the same.
    /// - Returns: The assertion without its signature.
    /// - Throws: `MissingCredential` if nothing says who signs it.
    package func unsignedGrant(
        _ credentials: [String: Secret],
        at baseURL: String,
        now: Double,
        id: String
    ) throws(MissingCredential) -> UnsignedToken? {
        guard let assertion = login.assertion else { return nil }
        let issuer: String
        if let stated = assertion.issuer {
            issuer = stated
        } else {
            issuer = try clientName(credentials)
        }
        let endpoint = (login.request.origin ?? baseURL) + login.request.path
        var token = UnsignedToken(
            claims: ClientAssertion.claims(
                issuer: issuer,
                subject: assertion.subject ?? issuer,
                audience: assertion.audience ?? endpoint,
                now: now,
                id: id
            )
        )
        token.claims["scope"] = assertion.scope.map(JSONValue.string)
        return token
    }
}
