import Basics
import Profiles
import Testing

@testable import Backend

@Suite("Backend: what a spent refresh token still does")
struct ReusePolicyTests {
    @Test("none: it goes on giving new tokens")
    func none() throws {
        let backend = Bench()
        let policy = BackendPolicy.testing(reuse: .none)
        let first = try backend.login(in: policy)
        let second = try backend.renew(first.refresh, in: policy)
        let third = try backend.renew(first.refresh, in: policy)
        #expect(second.refresh != third.refresh)
        _ = try backend.renew(second.refresh, in: policy)
    }

    @Test("strict: it is refused, and its successor lives")
    func strict() throws {
        let backend = Bench()
        let policy = BackendPolicy.testing(reuse: .strict)
        let first = try backend.login(in: policy)
        let second = try backend.renew(first.refresh, in: policy)
        #expect(backend.refresh(first.refresh, in: policy) == .refused(.spent))
        #expect(backend.opens(second.access, in: policy))
        _ = try backend.renew(second.refresh, in: policy)
    }

    @Test("strict with revocation: it takes the whole family with it, and no other")
    func revokesFamily() throws {
        let backend = Bench()
        let policy = BackendPolicy.testing(reuse: .strictRevokeFamily)
        let first = try backend.login(in: policy)
        let other = try backend.login(in: policy)
        let second = try backend.renew(first.refresh, in: policy)
        #expect(backend.refresh(first.refresh, in: policy) == .refused(.spent))
        #expect(backend.refresh(second.refresh, in: policy) == .refused(.revoked))
        #expect(!backend.opens(second.access, in: policy))
        #expect(backend.state().sessions[0].ended == "reuse")
        #expect(backend.opens(other.access, in: policy))
        _ = try backend.renew(other.refresh, in: policy)
    }

    @Test("grace: within it the same successor comes again, after it none")
    func grace() throws {
        let backend = Bench()
        let policy = BackendPolicy.testing(reuse: .grace(seconds: 30))
        let first = try backend.login(in: policy)
        let second = try backend.renew(first.refresh, in: policy)
        let again = try backend.renew(first.refresh, in: policy, at: start + 30)
        #expect(again.refresh == second.refresh)
        #expect(again.access != second.access)
        #expect(backend.opens(second.access, in: policy, at: start + 30))
        #expect(backend.state().sessions[0].generation == 2)
        let late = backend.refresh(first.refresh, in: policy, at: start + 30.001)
        #expect(late == .refused(.spent))
    }

    @Test("grace: it ends when the successor is used")
    func graceAfterUse() throws {
        let backend = Bench()
        let policy = BackendPolicy.testing(reuse: .grace(seconds: 30))
        let first = try backend.login(in: policy)
        let second = try backend.renew(first.refresh, in: policy)
        _ = try backend.renew(second.refresh, in: policy)
        #expect(backend.refresh(first.refresh, in: policy, at: start + 1) == .refused(.spent))
    }

    @Test("grace that forks: each use gives another successor, and all of them live")
    func forks() throws {
        let backend = Bench()
        let policy = BackendPolicy.testing(reuse: .graceForks(seconds: 30))
        let first = try backend.login(in: policy)
        let forks = try [0.0, 10, 30].map {
            try backend.renew(first.refresh, in: policy, at: start + $0)
        }
        #expect(Set(forks.map(\.refresh)).count == 3)
        let late = backend.refresh(first.refresh, in: policy, at: start + 31)
        #expect(late == .refused(.spent))
        for fork in forks { _ = try backend.renew(fork.refresh, in: policy, at: start + 31) }
    }

    @Test("old lives until new is used: the access token's use ends it as well")
    func oldLives() throws {
        let backend = Bench()
        let policy = BackendPolicy.testing(reuse: .oldLivesUntilNewUsed)
        let first = try backend.login(in: policy)
        _ = try backend.renew(first.refresh, in: policy)
        let third = try backend.renew(first.refresh, in: policy)
        _ = backend.protected(first.access, in: policy)
        _ = try backend.renew(first.refresh, in: policy)
        _ = backend.protected(third.access, in: policy)
        #expect(backend.refresh(first.refresh, in: policy) == .refused(.spent))
        _ = try backend.renew(third.refresh, in: policy)
    }
}
