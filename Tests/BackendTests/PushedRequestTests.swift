import Profiles
import Testing

@testable import Backend
@testable import Basics

@Suite("Backend: pushed parameters of a login (RFC 9126)")
struct PushedRequestTests {
    private static let verifier = CodeVerifier(random: Array(repeating: 9, count: 32))
    private static let form = [
        "response_type": "code", "client_id": "sandbox", "state": "s",
        "redirect_uri": "http://127.0.0.1:4711/callback",
        "code_challenge": verifier.challenge, "code_challenge_method": "S256",
    ]

    private var backend = AuthBackend(seed: 1)

    private func pushed(
        _ changes: [String: String] = [:]
    ) throws -> (query: AuthorizationQuery, credentials: [String: Secret]) {
        let dialect = try #require(Dialect.builtIn(named: "oauth2"))
        let items = Self.form.merging(changes) { $1 }.map { (name: $0.key, value: $0.value) }
        return try #require(
            dialect.recognizePushed(
                WireRequest(
                    method: "POST",
                    target: "/par",
                    headers: [WireHeader("Content-Type", "application/x-www-form-urlencoded")],
                    body: Array(FormEncoding.encode(items).utf8)
                )
            )
        )
    }

    private mutating func push(
        _ changes: [String: String] = [:],
        key: String? = nil
    ) throws -> String {
        let (query, credentials) = try pushed(changes)
        return try backend.push(query, from: credentials, provenBy: key, at: start)
    }

    @Test("a reference stands for what was pushed, for its client, until it is over")
    mutating func reference() throws {
        let reference = try push()
        let query = try #require(backend.pushedQuery(reference, of: "sandbox", at: start + 299))
        #expect(query.redirectURI == "http://127.0.0.1:4711/callback")
        #expect(backend.pushedQuery(reference, of: "other", at: start) == nil)
        #expect(backend.pushedQuery(reference, of: "sandbox", at: start + 300) == nil)
        #expect(backend.pushedQuery("urn:other", of: "sandbox", at: start) == nil)
    }

    @Test("a code spends it, and is redeemed with the key that pushed it and no other")
    mutating func code() throws {
        let reference = try push(key: "thumbprint")
        let query = try #require(backend.pushedQuery(reference, of: "sandbox", at: start))
        let code = backend.issueCode(
            for: query,
            pushedAs: reference,
            to: Account.sandbox.user,
            at: start
        )
        #expect(backend.pushedQuery(reference, of: "sandbox", at: start) == nil)
        let request = WireRequest(method: "POST", target: "/token")
        #expect(
            backend.checkProof(
                in: request,
                to: "http://h/token",
                of: .login(credentials: ["code": code]),
                at: start
            ) == .invalid("the token is bound to a key")
        )
        #expect(
            backend.checkProof(
                in: request,
                to: "http://h/token",
                of: .login(credentials: ["code": Secret("other")]),
                at: start
            ) == .absent
        )
    }

    @Test(
        "what would be refused in the browser is refused here",
        arguments: [
            ["client_id": "other"], ["redirect_uri": "https://evil.example/"],
            ["response_type": "token"], ["code_challenge_method": "plain"],
            ["request_uri": "urn:x"], ["client_secret": "wrong"],
        ]
    )
    mutating func refused(changes: [String: String]) {
        #expect(throws: (any Error).self) { try push(changes) }
    }
}
