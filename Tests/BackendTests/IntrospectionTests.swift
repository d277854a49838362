import Basics
import Testing

@testable import Backend
@testable import Profiles

@Suite("Introspection")
struct IntrospectionTests {
    private let policy = BackendPolicy.testing()

    private func facts(_ answer: BackendResponse) -> IntrospectionFacts? {
        if case .introspected(let facts) = answer { facts } else { nil }
    }

    @Test("a live token of either kind is known with its end, and asking changes nothing")
    func live() throws {
        var backend = AuthBackend(accounts: [.sandbox], seed: 1)
        let issued = try issue(in: &backend)
        let refresh = try #require(issued.refresh)
        for _ in 0..<2 {
            let access = backend.handle(
                .introspection(issued.access.secret),
                in: policy,
                at: start + 1
            )
            #expect(facts(access)?.isAccessToken == true)
            #expect(facts(access)?.expiresAt == start + 60)
            let other = backend.handle(.introspection(refresh.secret), in: policy, at: start + 1)
            #expect(facts(other)?.isAccessToken == false)
            #expect(facts(other)?.expiresAt == start + 600)
        }
        let user = backend.handle(.userinfo(issued.access), in: policy, at: start + 1)
        #expect(user == .userinfo(issued.user))
        guard case .refreshIssued = backend.handle(.refresh(refresh), in: policy, at: start + 2)
        else { throw Unexpected() }
    }

    @Test("a spent, an expired, a foreign and an unknown token are not active")
    func inactive() throws {
        var backend = AuthBackend(accounts: [.sandbox], seed: 1)
        let issued = try issue(in: &backend)
        let refresh = try #require(issued.refresh)
        _ = backend.handle(.refresh(refresh), in: policy, at: start + 1)
        let other = BackendPolicy.testing("other")
        for (secret, policy, now) in [
            (refresh.secret, policy, start + 2), (issued.access.secret, policy, start + 60),
            (issued.access.secret, other, start + 2), (Secret("never-issued"), policy, start + 2),
        ] {
            let answer = backend.handle(.introspection(secret), in: policy, at: now)
            #expect(answer == .introspected(nil))
        }
        #expect(backend.handle(.introspection(nil), in: policy, at: start) == .introspected(nil))
    }

    private func issue(in backend: inout AuthBackend) throws -> IssuedFacts {
        let answer = backend.handle(
            .login(credentials: Bench.credentials),
            in: policy,
            at: start
        )
        guard case .loginIssued(let facts) = answer else { throw Unexpected() }
        return facts
    }
}
