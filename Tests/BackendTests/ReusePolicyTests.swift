import Backend
import Dialects
import Testing
import Tokens

@Suite("Backend: what a spent refresh token still does")
struct ReusePolicyTests {
    @Test("none: it goes on giving new tokens")
    func none() throws {
        let backend = Bench()
        let realm = Realm.testing(reuse: .none)
        let first = try backend.login(in: realm)
        let second = try backend.renew(first.refresh, in: realm)
        let third = try backend.renew(first.refresh, in: realm)
        #expect(second.refresh != third.refresh)
        _ = try backend.renew(second.refresh, in: realm)
    }

    @Test("strict: it is refused, and its successor lives")
    func strict() throws {
        let backend = Bench()
        let realm = Realm.testing(reuse: .strict)
        let first = try backend.login(in: realm)
        let second = try backend.renew(first.refresh, in: realm)
        #expect(backend.refresh(first.refresh, in: realm) == .refused(.spent))
        #expect(backend.opens(second.access, in: realm))
        _ = try backend.renew(second.refresh, in: realm)
    }

    @Test("strict with revocation: it takes the whole family with it, and no other")
    func revokesFamily() throws {
        let backend = Bench()
        let realm = Realm.testing(reuse: .strictRevokeFamily)
        let first = try backend.login(in: realm)
        let other = try backend.login(in: realm)
        let second = try backend.renew(first.refresh, in: realm)
        #expect(backend.refresh(first.refresh, in: realm) == .refused(.spent))
        #expect(backend.refresh(second.refresh, in: realm) == .refused(.revoked))
        #expect(!backend.opens(second.access, in: realm))
        #expect(backend.state().sessions[0].ended == "reuse")
        #expect(backend.opens(other.access, in: realm))
        _ = try backend.renew(other.refresh, in: realm)
    }

    @Test("grace: within it the same successor comes again, after it none")
    func grace() throws {
        let backend = Bench()
        let realm = Realm.testing(reuse: .grace(seconds: 30))
        let first = try backend.login(in: realm)
        let second = try backend.renew(first.refresh, in: realm)
        let again = try backend.renew(first.refresh, in: realm, at: start + 30)
        #expect(again.refresh == second.refresh)
        #expect(again.access != second.access)
        #expect(backend.opens(second.access, in: realm, at: start + 30))
        #expect(backend.state().sessions[0].generation == 2)
        let late = backend.refresh(first.refresh, in: realm, at: start + 30.001)
        #expect(late == .refused(.spent))
    }

    @Test("grace: it ends when the successor is used")
    func graceAfterUse() throws {
        let backend = Bench()
        let realm = Realm.testing(reuse: .grace(seconds: 30))
        let first = try backend.login(in: realm)
        let second = try backend.renew(first.refresh, in: realm)
        _ = try backend.renew(second.refresh, in: realm)
        #expect(backend.refresh(first.refresh, in: realm, at: start + 1) == .refused(.spent))
    }

    @Test("grace that forks: each use gives another successor, and all of them live")
    func forks() throws {
        let backend = Bench()
        let realm = Realm.testing(reuse: .graceForks(seconds: 30))
        let first = try backend.login(in: realm)
        let forks = try [0.0, 10, 30].map {
            try backend.renew(first.refresh, in: realm, at: start + $0)
        }
        #expect(Set(forks.map(\.refresh)).count == 3)
        let late = backend.refresh(first.refresh, in: realm, at: start + 31)
        #expect(late == .refused(.spent))
        for fork in forks { _ = try backend.renew(fork.refresh, in: realm, at: start + 31) }
    }

    @Test("old lives until new is used: the access token's use ends it as well")
    func oldLives() throws {
        let backend = Bench()
        let realm = Realm.testing(reuse: .oldLivesUntilNewUsed)
        let first = try backend.login(in: realm)
        _ = try backend.renew(first.refresh, in: realm)
        let third = try backend.renew(first.refresh, in: realm)
        _ = backend.protected(first.access, in: realm)
        _ = try backend.renew(first.refresh, in: realm)
        _ = backend.protected(third.access, in: realm)
        #expect(backend.refresh(first.refresh, in: realm) == .refused(.spent))
        _ = try backend.renew(third.refresh, in: realm)
    }
}
