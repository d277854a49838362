import Basics
import Testing

@testable import Backend
@testable import Profiles

@Suite("Backend: login")
struct LoginTests {
    @Test(
        "right credentials open a session, whatever is given beside them",
        arguments: [
            [:],
            ["device": Secret("phone")],
        ]
    )
    func right(beside: [String: Secret]) {
        let backend = Bench()
        let given = Bench.credentials.merging(beside) { $1 }
        let facts = backend.login(given, in: .testing())
        #expect(facts?.user == Account.sandbox.user)
        #expect(facts?.refresh != nil)
        #expect(facts?.accessLifetime == 60)
        #expect(facts?.refreshLifetime == 600)
    }

    @Test(
        "a wrong, empty or missing credential is rejected",
        arguments: [
            ["email": Secret("user@example.com"), "password": Secret("passwort")],
            ["email": Secret("user@example.com"), "password": Secret("")],
            ["email": Secret("someone@example.com"), "password": Secret("password")],
            ["email": Secret("user@example.com")],
            [:],
        ]
    )
    func wrong(given: [String: Secret]) {
        let backend = Bench()
        #expect(backend.login(given, in: .testing()) == nil)
        #expect(backend.state().sessions.isEmpty)
        #expect(backend.state().counters["acme"]?.loginsRejected == 1)
    }

    @Test("an email counts in any case, a password only as it is")
    func letterCase() {
        let backend = Bench()
        var given = Bench.credentials
        given["email"] = Secret("User@Example.com")
        #expect(backend.login(given, in: .testing()) != nil)
        given["password"] = Secret("Password")
        #expect(backend.login(given, in: .testing()) == nil)
    }

    @Test(
        "codes and identity tokens are credentials too",
        arguments: [
            (["email", "code"], "code", "123456"),
            (["identity_token"], "identity_token", "sandbox"),
        ]
    )
    func others(names: [String], name: String, value: String) {
        let backend = Bench()
        var policy = BackendPolicy.testing()
        policy.credentials = names
        var given = ["email": Secret("user@example.com"), name: Secret(value)]
        #expect(backend.login(given, in: policy) != nil)
        given[name] = Secret(value + "0")
        #expect(backend.login(given, in: policy) == nil)
    }

    @Test("a policy that requires nothing accepts no login")
    func nothingAsked() {
        let backend = Bench()
        var policy = BackendPolicy.testing()
        policy.credentials = []
        #expect(backend.login(Bench.credentials, in: policy) == nil)
    }

    @Test("a user may have more than one session, each with tokens of its own")
    func sessions() throws {
        let backend = Bench()
        let first = try backend.login(in: .testing())
        let second = try backend.login(in: .testing(), at: start + 1)
        #expect(first.access != second.access)
        #expect(first.refresh != second.refresh)
        let answer = backend.handle(.sessions(second.access), in: .testing(), at: start + 1)
        guard case .sessions(let list) = answer else { throw Unexpected() }
        #expect(list.map(\.startedAt) == [start, start + 1])
        #expect(list.map(\.isCurrent) == [false, true])
    }

    @Test("without refresh tokens only an access token is issued")
    func withoutRefreshToken() throws {
        let backend = Bench()
        var policy = BackendPolicy.testing()
        policy.hasRefreshToken = false
        #expect(try backend.login(in: policy).refresh == nil)
        #expect(backend.state(at: start + 59).sessions[0].ended == nil)
        #expect(backend.state(at: start + 60).sessions[0].ended == "expired")
    }

    @Test("equal seeds issue equal tokens, others do not")
    func seeds() throws {
        let tokens = try [1, 1, 2].map { seed in
            try Bench(seed: seed).login(in: .testing()).refresh
        }
        #expect(tokens[0] == tokens[1])
        #expect(tokens[0] != tokens[2])
    }
}
