import Profiles
import Testing

@testable import Backend
@testable import Basics

@Suite("Backend: authorization codes")
struct AuthorizationTests {
    private static let verifier = CodeVerifier(random: Array(repeating: 9, count: 32))
    private static let redirectURI = "http://127.0.0.1:4711/callback"

    private var backend = AuthBackend(seed: 1)
    private let code: Secret

    init() throws {
        let dialect = try #require(Dialect.builtIn(named: "oauth2"))
        let query = try #require(
            dialect.recognizeAuthorization(
                WireRequest(
                    method: "GET",
                    target: "/authorize?response_type=code&client_id=sandbox&state=s"
                        + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A4711%2Fcallback"
                        + "&code_challenge=\(Self.verifier.challenge)"
                        + "&code_challenge_method=S256"
                )
            )
        )
        code = backend.issueCode(for: query, to: Account.sandbox.user, at: start)
    }

    private mutating func redeem(
        _ changes: [String: String] = [:],
        at now: Double = start
    ) -> BackendResponse {
        let right = [
            "code": code, "code_verifier": Self.verifier.secret, "client_id": Secret("sandbox"),
            "redirect_uri": Secret(Self.redirectURI),
        ]
        let given = right.merging(changes.mapValues(Secret.init)) { $1 }
        return backend.handle(.login(credentials: given), in: .testing(), at: now)
    }

    @Test("a code brings a session with a refresh token")
    mutating func right() {
        guard case .loginIssued(let facts) = redeem() else {
            Issue.record("no session")
            return
        }
        #expect(facts.user == Account.sandbox.user)
        #expect(facts.refresh != nil)
    }

    @Test(
        "a code of another client, redirect, verifier or secret is rejected",
        arguments: [
            ["client_id": "other"], ["redirect_uri": "http://127.0.0.1:4712/callback"],
            ["code_verifier": String(repeating: "a", count: 43)], ["code": "other"],
            ["client_secret": "wrong"],
        ]
    )
    mutating func wrong(changes: [String: String]) {
        #expect(redeem(changes) == .loginRejected)
    }

    @Test("a code is valid for a minute")
    mutating func late() {
        #expect(redeem(at: start + AuthBackend.codeLifetime) == .loginRejected)
    }

    @Test("the second use of a code is rejected, and ends the session of the first")
    mutating func reused() {
        guard case .loginIssued(let facts) = redeem() else {
            Issue.record("no session")
            return
        }
        #expect(redeem(at: start + 1) == .loginRejected)
        let response = backend.handle(.protected(facts.access), in: .testing(), at: start + 2)
        #expect(response == .unauthorized(.invalid))
    }
}
