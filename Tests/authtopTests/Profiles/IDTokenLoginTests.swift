import Crypto
import Foundation
import Synchronization
import TestSupport
import Testing

/// A provider that signs its id tokens, and lets the test say their claims.
private final class TokenProvider: Stoppable {
    private let server: LoopbackServer
    private let claims: SharedText

    var port: Int { server.port }
    var issuer: String { "http://127.0.0.1:\(port)" }

    /// - Parameters:
    ///   - publishesKeys: Whether the key with which it signs is among its public keys.
    ///   - keyAnswers: The public keys that it answers with, one after the other, the last again
    ///     and again: those of the algorithm of its tokens, or others.
    /// - Throws: If there is no port.
    init(publishesKeys: Bool = true, keyAnswers: [KeyAnswer] = [.fitting]) throws {
        let key = P256.Signing.PrivateKey()
        let answers = Mutex(keyAnswers)
        let published = publishesKeys ? key.publicKey : P256.Signing.PrivateKey().publicKey
        let claims = SharedText()
        self.claims = claims
        server = try LoopbackServer { request in
            let host = request.values(of: "host").first ?? ""
            let issuer = "http://\(host)"
            switch request.path {
            case "/token": return Self.tokens(signedBy: key, claims.text)
            case "/keys":
                let answer = answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
                return Self.keys(published, answer)
            case "/.well-known/openid-configuration": return Self.metadata(of: issuer)
            default: return Answers.json(404, "{}")
            }
        }
    }

    static let access = "access-7c2f4e91"

    /// The claims of the id tokens from now on, as JSON.
    func say(_ claims: String) { self.claims.text = claims }

    func stop() async { await server.stop() }

    enum KeyAnswer: Sendable {
        case fitting
        case ofAnotherAlgorithm
        case ofAnUnknownType
        case empty
    }

    private final class SharedText: Sendable {
        private let value = Mutex("")
        var text: String {
            get { value.withLock { $0 } }
            set { value.withLock { $0 = newValue } }
        }
    }

    private static func metadata(of issuer: String) -> String {
        Answers.json(
            200,
            """
            {"issuer": "\(issuer)", "authorization_endpoint": "\(issuer)/authorize",
            "token_endpoint": "\(issuer)/token", "jwks_uri": "\(issuer)/keys",
            "scopes_supported": ["openid"], "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none"]}
            """
        )
    }

    private static func keys(_ key: P256.Signing.PublicKey, _ answer: KeyAnswer) -> String {
        switch answer {
        case .fitting: break
        case .ofAnotherAlgorithm:
            let x = MadeToken.encoded(Curve25519.Signing.PrivateKey().publicKey.rawRepresentation)
            let member = #""kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "kid": "k0""#
            return Answers.json(200, #"{"keys": [{\#(member), "x": "\#(x)"}]}"#)
        case .ofAnUnknownType:
            return Answers.json(200, #"{"keys": [{"kty": "NEW", "kid": "k1"}]}"#)
        case .empty: return Answers.json(200, #"{"keys": []}"#)
        }
        let point = key.rawRepresentation
        let x = MadeToken.encoded(point.prefix(32))
        let y = MadeToken.encoded(point.suffix(32))
        return Answers.json(
            200,
            #"{"keys": [{"kty": "EC", "crv": "P-256", "alg": "ES256", "kid": "k1", "#
                + #""x": "\#(x)", "y": "\#(y)"}]}"#
        )
    }

    private static func tokens(signedBy key: P256.Signing.PrivateKey, _ claims: String) -> String {
        let message = MadeToken.part(#"{"alg":"ES256","kid":"k1"}"#) + "." + MadeToken.part(claims)
        let signature = (try? key.signature(for: Data(message.utf8)).rawRepresentation) ?? Data()
        let token = "\(message).\(MadeToken.encoded(signature))"
        return Answers.json(
            200,
            #"{"access_token": "\#(access)", "token_type": "Bearer", "expires_in": 300, "#
                + #""refresh_token": "r-1", "id_token": "\#(token)"}"#
        )
    }
}

@Suite("The id token of a sign-in", .programs)
struct IDTokenLoginTests {
    /// Logs in, with claims that may differ from what is expected.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - bench: The bench.
    ///   - changes: Members of the claims as JSON, in place of the right ones.
    /// - Returns: The program, which has ended, and the claims' nonce.
    /// - Throws: If it does not come to that.
    private func login(
        at provider: TokenProvider,
        on bench: Bench,
        _ changes: [String: String] = [:]
    ) async throws -> Program {
        let path = try bench.write(
            "extends = \"oauth2\"\nissuer = \"\(provider.issuer)\"\nclient_id = \"me\"\n",
            to: "mine.toml"
        )
        let login = try bench.authtop(["login", path, "--no-browser", "--json"])
        let address = try await login.signInAddress()
        let items = try #require(URLComponents(string: address)?.queryItems)
        func item(_ name: String) throws -> String {
            try #require(items.first { $0.name == name }?.value)
        }
        var claims = [
            "iss": "\"\(provider.issuer)\"", "aud": "\"me\"", "sub": "\"9\"",
            "exp": "\(Int(Date().timeIntervalSince1970) + 600)",
            "nonce": "\"\(try item("nonce"))\"",
        ]
        claims.merge(changes) { _, change in change }
        let members = claims.map { "\"\($0.key)\": \($0.value)" }.joined(separator: ", ")
        provider.say("{\(members)}")
        let redirect = "\(try item("redirect_uri"))?code=c-1&state=\(try item("state"))"
        _ = try await HandMadeBrowser.get(redirect)
        _ = try await login.ended()
        return login
    }

    @Test("is checked with the provider's keys, and only its fingerprint is shown")
    func checked() async throws {
        try await withBench { bench in
            let provider = bench.keep(try TokenProvider())
            let login = try await login(at: provider, on: bench)
            #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
            let event = try await EventStream(login.output).first("idTokenChecked")
            #expect(event.text("signature") == "valid")
            #expect(event.text("rule") == nil)
            #expect(event.text("fingerprint")?.isEmpty == false)
            #expect(!login.output.text.contains("eyJ"))
            #expect(!login.errors.text.contains("eyJ"))
        }
    }

    @Test(
        "one that breaks a rule fails the sign-in, which names the rule",
        arguments: [
            (["aud": #""other""#], "aud", "is for another client (aud), it states other"),
            (["iss": #""https://evil.example""#], "iss", "(iss), it states https://evil.example"),
            (["nonce": #""x""#], "nonce", "belongs to another login (nonce)"),
            (["exp": "1"], "exp", "has expired"),
        ]
    )
    func broken(changes: [String: String], rule: String, message: String) async throws {
        try await withBench { bench in
            let provider = bench.keep(try TokenProvider())
            let login = try await login(at: provider, on: bench, changes)
            #expect(try await login.ended() == .exit(3))
            #expect(login.errors.text.contains(message), "\(login.errors.text)")
            let event = try await EventStream(login.output).first("idTokenChecked")
            #expect(event.text("rule") == rule)
            #expect(!login.output.text.contains("tokensIssued"))
        }
    }

    @Test(
        "one that repeats the access token in a claim does not show it",
        arguments: ["aud", "iss"]
    )
    func echo(claim: String) async throws {
        try await withBench { bench in
            let provider = bench.keep(try TokenProvider())
            let changes = [claim: "\"\(TokenProvider.access)\""]
            let login = try await login(at: provider, on: bench, changes)
            #expect(try await login.ended() == .exit(3))
            #expect(login.errors.text.contains("(\(claim))"), "\(login.errors.text)")
            #expect(!login.output.text.contains(TokenProvider.access))
            #expect(!login.errors.text.contains(TokenProvider.access))
        }
    }

    @Test("one that none of the provider's keys is for fails the sign-in")
    func withoutItsKey() async throws {
        try await withBench { bench in
            let provider = bench.keep(try TokenProvider(keyAnswers: [.ofAnotherAlgorithm]))
            let login = try await login(at: provider, on: bench)
            #expect(try await login.ended() == .exit(3))
            let message =
                "the provider has keys, but none for the id token (kid, alg), "
                + "it states kid k1, alg ES256"
            #expect(login.errors.text.contains(message), "\(login.errors.text)")
            let event = try await EventStream(login.output).first("idTokenChecked")
            #expect(event.text("rule") == "kid")
            #expect(event.text("signature") == "unchecked")
            #expect(!login.output.text.contains("tokensIssued"))
        }
    }

    @Test("a key that the provider has just added is found by reading its keys again")
    func addedKey() async throws {
        try await withBench { bench in
            let provider = bench.keep(
                try TokenProvider(keyAnswers: [.ofAnotherAlgorithm, .fitting])
            )
            let login = try await login(at: provider, on: bench)
            #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
            let event = try await EventStream(login.output).first("idTokenChecked")
            #expect(event.text("signature") == "valid")
        }
    }

    @Test(
        "without keys that can be used, TLS takes the place of the signature",
        arguments: [TokenProvider.KeyAnswer.empty, .ofAnUnknownType]
    )
    fileprivate func unchecked(answer: TokenProvider.KeyAnswer) async throws {
        try await withBench { bench in
            let provider = bench.keep(try TokenProvider(keyAnswers: [answer]))
            let login = try await login(at: provider, on: bench)
            #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
            let event = try await EventStream(login.output).first("idTokenChecked")
            #expect(event.text("signature") == "unchecked")
            #expect(event.text("rule") == nil)
        }
    }

    @Test("one that another key signed fails the sign-in")
    func forged() async throws {
        try await withBench { bench in
            let provider = bench.keep(try TokenProvider(publishesKeys: false))
            let login = try await login(at: provider, on: bench)
            #expect(try await login.ended() == .exit(3))
            #expect(login.errors.text.contains("none of the provider's keys signed the id token"))
        }
    }
}
