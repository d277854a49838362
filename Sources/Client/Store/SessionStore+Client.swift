import Basics
import FoundationEssentials
import Model
import Profiles

/// The authentication of the client.
extension SessionStore {
    /// Returns the client's credentials; reads none if the dialect does not authenticate the
    /// client.
    func clientCredentials() async throws(CredentialProblem) -> [String: Secret] {
        let names = requirements.clientCredentials
        guard !names.isEmpty else { return try addingAssertions(to: [:]) }
        let credentials = try await environment.credentials.credentials(named: names)
        registerSecrets { $0.register(credentials: credentials, at: $1) }
        return try addingAssertions(to: credentials)
    }

    /// Returns the credentials with the assertions that authenticate the client, which are of use
    /// for one request.
    func addingAssertions(
        to credentials: [String: Secret]
    ) throws(CredentialProblem) -> [String: Secret] {
        var values = credentials
        for signer in requirements.assertionSigners {
            guard let prover = environment.prover else {
                throw CredentialProblem(credential: signer.valueName)
            }
            let unsigned = try unsignedAssertion(credentials, random: prover.randomBytes)
            let assertion: Secret
            switch signer {
            case .key: assertion = try Self.signed(unsigned, with: prover.key)
            case .secret:
                guard let secret = credentials["client_secret"] else {
                    throw CredentialProblem(credential: "client_secret")
                }
                assertion = unsigned.signed(with: secret)
            }
            registerSecrets { $0.register(assertion, at: $1) }
            values[signer.valueName] = assertion
        }
        return values
    }

    /// Returns the credentials with the assertion that the client signs for a login, which is of use
    /// for one login.
    func addingGrant(
        to credentials: [String: Secret]
    ) throws(CredentialProblem) -> [String: Secret] {
        guard let name = dialect.signedGrantName else { return credentials }
        guard let prover = environment.prover else { throw CredentialProblem(credential: name) }
        var values = credentials
        do throws(MissingCredential) {
            guard
                let unsigned = try dialect.unsignedGrant(
                    credentials,
                    at: machine.configuration.capabilities.baseURL,
                    now: serverTime,
                    id: Base64URL.encode(prover.randomBytes(16))
                )
            else { return credentials }
            values[name] = try? Self.signed(unsigned, with: prover.key)
        } catch {
            throw CredentialProblem(credential: error.name)
        }
        guard let assertion = values[name] else { throw CredentialProblem(credential: name) }
        registerSecrets { $0.register(assertion, at: $1) }
        return values
    }

    private func unsignedAssertion(
        _ credentials: [String: Secret],
        random: (Int) -> [UInt8]
    ) throws(CredentialProblem) -> UnsignedToken {
        do throws(MissingCredential) {
            return try dialect.unsignedAssertion(
                credentials,
                at: machine.configuration.capabilities.baseURL,
                now: serverTime,
                id: Base64URL.encode(random(16))
            )
        } catch {
            throw CredentialProblem(credential: error.name)
        }
    }

    /// The server's clock, as far as it is known, in seconds since 1970; it is not later.
    var serverTime: Double {
        environment.time.wall.timeIntervalSince1970 + (machine.server.offset?.low ?? 0)
    }

    static func signed(
        _ token: UnsignedToken,
        with key: SigningKey?
    ) throws(CredentialProblem) -> Secret {
        let problem = CredentialProblem(credential: ClientAssertion.Signer.key.valueName)
        guard let key else { throw problem }
        var token = token
        if let id = key.id { token.header["kid"] = .string(id) }
        return try token.signed(as: key.algorithm) { input throws(CredentialProblem) in
            guard let signature = key.sign(input) else { throw problem }
            return signature
        }
    }
}

/// What each request needs to know of a dialect, for which all of its requests are looked through.
struct RequestRequirements: Sendable {
    /// The names of the client's own credentials.
    let clientCredentials: [String]
    /// The signers of the client's assertions.
    let assertionSigners: [ClientAssertion.Signer]
    /// The probable secrets among the fixed contents of requests, by name.
    let fixedSecrets: [(name: String, value: Secret)]

    init(of dialect: Dialect) {
        clientCredentials = dialect.clientCredentials
        assertionSigners = dialect.assertionSigners
        fixedSecrets = dialect.fixedSecrets
    }
}
