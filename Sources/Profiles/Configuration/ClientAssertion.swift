package import Basics

/// The tokens that the client signs to authenticate itself (RFC 7523 section 2.2).
package struct ClientAssertion: Sendable, Hashable {
    /// The signer of an assertion: each is a placeholder of its own in a request.
    package enum Signer: String, Sendable, Hashable, CaseIterable {
        /// The client's private key.
        case key = "client_assertion"
        /// The client's secret.
        case secret = "client_secret_assertion"

        /// The name of the value that a request sends.
        package var valueName: String { rawValue }
    }

    /// The path of the file with the private key, or `nil` if the file names none.
    package var keyPath: String?
    /// The name of the key at the server, or `nil` for that of the key's file, if it has one.
    package var keyID: String?
    /// The audience of the assertion, or `nil` for the token endpoint.
    var audience: String?

    /// The time for which an assertion is valid, in seconds.
    static let lifetime = 60.0
    static let typeName = "client_assertion_type"
    static let name = "client_assertion"
    static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    /// The claims of an assertion (RFC 7523 section 3).
    static func claims(
        issuer: String,
        subject: String,
        audience: String,
        now: Double,
        id: String
    ) -> [String: JSONValue] {
        let issuedAt = Int64(now)
        return [
            "iss": .string(issuer), "sub": .string(subject), "aud": .string(audience),
            "jti": .string(id), "iat": .integer(issuedAt),
            "exp": .integer(issuedAt + Int64(lifetime)),
        ]
    }
}

extension Dialect {
    /// The signers of the assertions in the client's requests; empty if there are none.
    package var assertionSigners: [ClientAssertion.Signer] {
        let names = clientShapes.reduce(into: Set<String>()) { $0.formUnion($1.placeholders) }
        return ClientAssertion.Signer.allCases.filter { names.contains($0.valueName) }
    }

    /// Returns what is to be signed for one request.
    ///
    /// - Parameters:
    ///   - credentials: The client's credentials.
    ///   - baseURL: The base URL of the backend.
    ///   - now: Seconds since 1970.
    ///   - id: A random text, so that no two assertions are the same.
    /// - Returns: The assertion without its signature.
    /// - Throws: `MissingCredential` if the client's id is missing.
    package func unsignedAssertion(
        _ credentials: [String: Secret],
        at baseURL: String,
        now: Double,
        id: String
    ) throws(MissingCredential) -> UnsignedToken {
        let client = try clientName(credentials)
        return UnsignedToken(
            claims: ClientAssertion.claims(
                issuer: client,
                subject: client,
                audience: assertion.audience ?? tokenEndpoint(at: baseURL),
                now: now,
                id: id
            )
        )
    }

    /// Returns the client's id.
    func clientName(_ credentials: [String: Secret]) throws(MissingCredential) -> String {
        let name = ClientAuthentication.idName
        guard let client = withClientID(credentials)[name]?.reveal(), !client.isEmpty else {
            throw MissingCredential(name: name)
        }
        return client
    }

    /// The URL of the token endpoint, which is that of refreshes.
    private func tokenEndpoint(at baseURL: String) -> String {
        let request = refresh?.request ?? login.request
        return (request.origin ?? baseURL) + request.path
    }
}
