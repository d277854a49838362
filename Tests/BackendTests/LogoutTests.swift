import Basics
import Profiles
import Testing

@testable import Backend

@Suite("Backend: logout and revocation")
struct LogoutTests {
    @Test("one session ends and the others live")
    func this() throws {
        let backend = Bench()
        let policy = BackendPolicy.testing()
        let first = try backend.login(in: policy)
        let second = try backend.login(in: policy)
        #expect(backend.logout(.this, refresh: first.refresh, in: policy))
        #expect(backend.refresh(first.refresh, in: policy) == .refused(.revoked))
        #expect(backend.access(first.access, in: policy) == .refused(.invalid))
        #expect(backend.opens(second.access, in: policy))
        #expect(backend.endings == 1)
        #expect(backend.state().sessions.map(\.ended) == ["logout", nil])
    }

    @Test("everywhere: all of the user's sessions end, under this policy and no other")
    func everywhere() throws {
        let backend = Bench()
        let policy = BackendPolicy.testing()
        let elsewhere = BackendPolicy.testing("other")
        let sessions = try (0..<3).map { _ in try backend.login(in: policy) }
        let other = try backend.login(in: elsewhere)
        let access = sessions[1].access
        #expect(backend.logout(.everywhere, access: access, in: policy))
        for session in sessions { #expect(!backend.opens(session.access, in: policy)) }
        #expect(backend.opens(other.access, in: elsewhere))
        #expect(backend.endings == 3)
    }

    @Test("everywhere: another user's sessions live on")
    func otherUser() throws {
        let second = Account(
            user: BackendUser(id: 124, email: "other@example.com", username: "other"),
            credentials: ["email": Secret("other@example.com"), "password": Secret("secret")]
        )
        let backend = Bench(accounts: [.sandbox, second])
        let policy = BackendPolicy.testing()
        let mine = try backend.login(in: policy)
        let theirs = try #require(backend.login(second.credentials, in: policy))
        #expect(theirs.user.id == 124)
        #expect(backend.logout(.everywhere, refresh: mine.refresh, in: policy))
        #expect(backend.opens(theirs.access, in: policy))
    }

    @Test("what has ended may be ended again, and keeps its first reason")
    func twice() throws {
        let backend = Bench()
        let policy = BackendPolicy.testing()
        let facts = try backend.login(in: policy)
        for _ in 0..<2 {
            #expect(backend.logout(.this, refresh: facts.refresh, in: policy))
        }
        #expect(backend.endings == 1)
        #expect(backend.state().sessions[0].ended == "logout")
    }

    @Test("a spent token may end its own session and not all of them")
    func spent() throws {
        let backend = Bench()
        let policy = BackendPolicy.testing()
        let facts = try backend.login(in: policy)
        _ = try backend.renew(facts.refresh, in: policy)
        #expect(!backend.logout(.everywhere, refresh: facts.refresh, in: policy))
        #expect(backend.logout(.this, refresh: facts.refresh, in: policy))
    }

    @Test("without a token that names a session nothing ends", arguments: LogoutScope.allCases)
    func nameless(scope: LogoutScope) throws {
        let backend = Bench()
        let policy = BackendPolicy.testing()
        let facts = try backend.login(in: policy)
        let stranger = RefreshToken(Secret("stranger"))
        #expect(!backend.logout(scope, in: policy))
        #expect(!backend.logout(scope, refresh: stranger, in: policy))
        let late = start + 60
        #expect(!backend.logout(scope, access: facts.access, in: policy, at: late))
        let other = BackendPolicy.testing("other")
        #expect(
            !backend.logout(scope, refresh: facts.refresh, access: facts.access, in: other)
        )
        #expect(backend.endings == 0)
    }

    @Test("an operator may end any session, once")
    func revocation() throws {
        let backend = Bench()
        let policy = BackendPolicy.testing()
        let facts = try backend.login(in: policy)
        let session = backend.state().sessions[0].session
        #expect(backend.revoke(session: session))
        #expect(!backend.revoke(session: session))
        #expect(!backend.revoke(session: "unheard of"))
        #expect(backend.refresh(facts.refresh, in: policy) == .refused(.revoked))
        #expect(backend.state().sessions[0].ended == "revoked")
    }
}
