import Backend
import Basics
import FoundationEssentials
import Model
import Platform
import Testing

@testable import Client
@testable import Profiles
@testable import Sandbox

/// A client that makes its proofs itself, right or wrong.
private struct ProvingClient: Sendable {
    let dialect: Dialect
    let sandbox: RunningSandbox
    let signer: ProofSigner

    init(_ sandbox: RunningSandbox, key: Secret = ProofKey.fresh()) throws {
        dialect = try Profile(
            ProfileSource(
                name: "bound",
                text: "extends = \"oauth2\"\ndpop = true",
                file: "bound.toml"
            ),
            known: ["oauth2"]
        ) { ProfileSource.builtIn($0) }.dialect
        self.sandbox = sandbox
        signer = try #require(ProofKey.signing(key))
    }

    /// Returns a proof of a request, whose parts the closure may change.
    func proof(
        of request: WireRequest,
        _ access: AccessToken?,
        nonce: String?,
        _ change: (inout UnsignedToken) -> Void = { _ in }
    ) throws -> WireHeader {
        var token = ProofOfPossession(access: access).unsigned(
            method: request.method,
            url: "http://127.0.0.1:\(sandbox.port)/oauth2\(request.path)",
            key: signer.publicKey,
            nonce: nonce,
            now: LiveTimekeeper().wall.timeIntervalSince1970,
            id: "\(UInt64.random(in: 0 ... .max))"
        )
        change(&token)
        let key = signer.key
        let text = token.signed(as: key.algorithm) { key.sign($0) ?? [] }
        return WireHeader("DPoP", text.reveal())
    }

    func send(_ request: WireRequest, _ proofs: [WireHeader]) async throws -> WireResponse {
        var request = request
        request.headers += proofs
        return try await sandbox.send(request, under: "/oauth2")
    }

    /// Sends a request with a proof that is right but for the change, and with the current nonce.
    func send(
        _ request: WireRequest,
        _ access: AccessToken? = nil,
        _ change: (inout UnsignedToken) -> Void = { _ in }
    ) async throws -> WireResponse {
        let first = try await send(request, [try proof(of: request, access, nonce: nil)])
        let nonce = try #require(ProofOfPossession.nonce(in: first))
        return try await send(request, [try proof(of: request, access, nonce: nonce, change)])
    }

    func login() async throws -> IssuedTokens {
        let response = try await send(try dialect.loginRequest(Account.sandbox.credentials))
        guard case .issued(let tokens) = dialect.readLogin(response) else {
            throw Unexpected("the login was answered with \(response.status)")
        }
        return tokens
    }

    /// The protected request, with the token in the scheme DPoP.
    func protected(_ access: AccessToken, scheme: String = "DPoP") -> WireRequest {
        var request = dialect.protectedRequest(access)
        request.headers = [WireHeader("Authorization", "\(scheme) \(access.secret.reveal())")]
        return request
    }
}

@Suite("Sandbox: proofs of possession (RFC 9449)")
struct ProofTests {
    @Test("tokens are bound to the key of the login's proof, and renewed and used with it alone")
    func bound() async throws {
        try await withSandbox { sandbox in
            let client = try ProvingClient(sandbox)
            let tokens = try await client.login()
            let protected = client.protected(tokens.access)
            #expect(try await client.send(protected, tokens.access).status == 200)

            let thief = try ProvingClient(sandbox)
            let stolen = try await thief.send(protected, tokens.access)
            #expect(stolen.status == 401)
            #expect(String(decoding: stolen.body, as: UTF8.self).contains("by another key"))
            #expect(try await client.send(protected, []).status == 401)
            let bearer = client.protected(tokens.access, scheme: "Bearer")
            #expect(try await client.send(bearer, tokens.access).status == 401)

            let refresh = client.dialect.refreshRequest(try #require(tokens.refresh))
            #expect(try await thief.send(refresh).status == 400)
            #expect(try await client.send(refresh, []).status == 400)
            let renewed = try await client.send(refresh)
            #expect(renewed.status == 200)
            let body = try #require(JSONValue(parsing: renewed.body))
            #expect(body.value(at: "token_type") == "DPoP")
        }
    }

    @Test(
        "a challenge for a nonce leaves the refresh token alone, unless a fault spends it",
        arguments: [([], 200), ([FaultSetting(.spentByChallenge, .next(1))], 400)]
    )
    func challenged(faults: [FaultSetting], status: Int) async throws {
        try await withSandbox(SandboxConfiguration(faults: faults)) { sandbox in
            let client = try ProvingClient(sandbox)
            let tokens = try await client.login()
            let refresh = client.dialect.refreshRequest(try #require(tokens.refresh))
            let answer = try await client.send(refresh)
            #expect(answer.status == status)
            let fired = try await sandbox.state().faultsFired
            #expect(fired == (faults.isEmpty ? [:] : ["spent-by-challenge": 1]))
        }
    }

    @Test("a proof is accepted once")
    func replay() async throws {
        try await withSandbox { sandbox in
            let client = try ProvingClient(sandbox)
            let tokens = try await client.login()
            let request = client.protected(tokens.access)
            let challenge = try await client.send(
                request,
                [try client.proof(of: request, tokens.access, nonce: nil)]
            )
            let nonce = ProofOfPossession.nonce(in: challenge)
            let proof = try client.proof(of: request, tokens.access, nonce: nonce)
            #expect(try await client.send(request, [proof]).status == 200)
            let again = try await client.send(request, [proof])
            #expect(again.status == 401)
            #expect(String(decoding: again.body, as: UTF8.self).contains("used before (jti)"))
        }
    }

    struct Change: Sendable, CustomTestStringConvertible {
        let reason: String
        let apply: @Sendable (inout UnsignedToken) -> Void
        var testDescription: String { reason }
    }

    static let changes: [Change] = [
        Change(reason: "for another method (htm)") { $0.claims["htm"] = "POST" },
        Change(reason: "for another URL (htu)") { $0.claims["htu"] = "https://evil.example/" },
        Change(reason: "for another access token (ath)") { $0.claims["ath"] = "x" },
        Change(reason: "for another access token (ath)") { $0.claims["ath"] = nil },
        Change(reason: "too old, or of the future (iat)") { $0.claims["iat"] = .integer(1) },
        Change(reason: "too old, or of the future (iat)") {
            $0.claims["iat"] = .integer(4_000_000_000)
        },
        Change(reason: "expected another nonce") { $0.claims["nonce"] = "old" },
        Change(reason: "used before (jti)") { $0.claims["jti"] = nil },
        Change(reason: "not a token that its own ES256 key signed") { $0.header["typ"] = "JWT" },
        Change(reason: "not a token that its own ES256 key signed") { token in
            guard case .object(var members)? = token.header["jwk"] else { return }
            members["d"] = "private"
            token.header["jwk"] = .object(members)
        },
        Change(reason: "not a token that its own ES256 key signed") { token in
            let other = ProofKey.signing(ProofKey.fresh())
            token.header["jwk"] = other?.publicKey.json
        },
    ]

    @Test("a proof with one thing wrong is refused, and says which", arguments: changes)
    func wrong(change: Change) async throws {
        try await withSandbox { sandbox in
            let client = try ProvingClient(sandbox)
            let tokens = try await client.login()
            let request = client.protected(tokens.access)
            let response = try await client.send(request, tokens.access, change.apply)
            #expect(response.status == 401)
            #expect(response.header("WWW-Authenticate")?.hasPrefix("DPoP error=") == true)
            let body = String(decoding: response.body, as: UTF8.self)
            #expect(body.contains(change.reason), "\(body)")
        }
    }
}
