import Basics
import Profiles
import Testing

@testable import Backend

@Suite("Backend: refresh")
struct RefreshTests {
    @Test("always rotating, each refresh brings a new pair and spends the old token")
    func rotation() throws {
        let backend = Bench()
        let first = try backend.login(in: .testing())
        let second = try backend.renew(first.refresh, in: .testing())
        let third = try backend.renew(second.refresh, in: .testing())
        #expect(Set([first.refresh, second.refresh, third.refresh]).count == 3)
        #expect(Set([first.access, second.access, third.access]).count == 3)
        for spent in [first, second] {
            #expect(backend.refresh(spent.refresh, in: .testing()) == .refused(.spent))
        }
        let session = backend.state().sessions[0]
        #expect(session.generation == 3)
        #expect(session.spent == 2)
        #expect(backend.state().counters["acme"]?.reuses == 2)
        #expect(backend.state().counters["acme"]?.refreshesRefused == ["spent": 2])
    }

    @Test("never rotating, the same token is in every answer")
    func keeps() throws {
        let backend = Bench()
        let policy = BackendPolicy.testing(rotation: .keeps)
        let first = try backend.login(in: policy)
        let second = try backend.renew(first.refresh, in: policy)
        let third = try backend.renew(first.refresh, in: policy)
        #expect(second.refresh == first.refresh)
        #expect(third.refresh == first.refresh)
        #expect(Set([first.access, second.access, third.access]).count == 3)
    }

    @Test("silently kept, the token is in no answer and lives on")
    func keepsSilently() throws {
        let backend = Bench()
        let policy = BackendPolicy.testing(rotation: .keepsSilently)
        let first = try backend.login(in: policy)
        #expect(try backend.renew(first.refresh, in: policy).refresh == nil)
        #expect(try backend.renew(first.refresh, in: policy).refresh == nil)
    }

    @Test("consumed without a successor, the token obtains one access token and no more")
    func consumes() throws {
        let backend = Bench()
        let policy = BackendPolicy.testing(rotation: .consumes)
        let first = try backend.login(in: policy)
        #expect(try backend.renew(first.refresh, in: policy).refresh == nil)
        #expect(backend.refresh(first.refresh, in: policy) == .refused(.spent))
        #expect(backend.state(at: start + 59).sessions[0].ended == nil)
        #expect(backend.state(at: start + 60).sessions[0].ended == "expired")
    }

    @Test(
        "what is no token of this policy is told apart",
        arguments: [
            (nil, RefreshRefusalCause.missing), ("", .missing), ("abc", .malformed),
            ("555dce3b-198f-426d-b0be-92d234747cc3", .unknown),
        ]
    )
    func strangers(text: String?, cause: RefreshRefusalCause) {
        let backend = Bench()
        let policy = BackendPolicy.testing(formats: TokenFormats(access: .jwt, refresh: .uuid))
        let token = text.map { RefreshToken(Secret($0)) }
        #expect(backend.refresh(token, in: policy) == .refused(cause))
    }

    @Test("a token of another policy is unknown")
    func otherPolicy() throws {
        let backend = Bench()
        let facts = try backend.login(in: .testing("acme"))
        let other = BackendPolicy.testing("other")
        #expect(backend.refresh(facts.refresh, in: other) == .refused(.unknown))
        #expect(!backend.opens(facts.access, in: other))
        _ = try backend.renew(facts.refresh, in: .testing("acme"))
    }

    @Test("a token lives up to its last instant, and not at it")
    func expiry() throws {
        let backend = Bench()
        let policy = BackendPolicy.testing(rotation: .keeps)
        let facts = try backend.login(in: policy)
        #expect(backend.opens(facts.access, in: policy, at: start + 59.999))
        #expect(
            backend.access(facts.access, in: policy, at: start + 60) == .refused(.expired)
        )
        _ = try backend.renew(facts.refresh, in: .testing(slides: false, rotation: .keeps))
        #expect(backend.refresh(facts.refresh, in: policy, at: start + 600) == .refused(.expired))
    }

    @Test("a sliding lifetime counts from each refresh", arguments: RotationBehavior.living)
    func sliding(rotation: RotationBehavior) throws {
        let backend = Bench()
        let policy = BackendPolicy.testing(slides: true, rotation: rotation)
        var token = try backend.login(in: policy).refresh
        for step in 1...10 {
            let facts = try backend.renew(token, in: policy, at: start + 500 * Double(step))
            #expect(facts.refreshLifetime == 600)
            token = facts.refresh ?? token
        }
        #expect(backend.refresh(token, in: policy, at: start + 5600) == .refused(.expired))
    }

    @Test("an absolute lifetime counts from the login", arguments: RotationBehavior.living)
    func absolute(rotation: RotationBehavior) throws {
        let backend = Bench()
        let policy = BackendPolicy.testing(slides: false, rotation: rotation)
        var token = try backend.login(in: policy).refresh
        for elapsed in [100.0, 350, 599.5] {
            let facts = try backend.renew(token, in: policy, at: start + elapsed)
            #expect(facts.refreshLifetime == 600 - elapsed)
            token = facts.refresh ?? token
        }
        #expect(backend.refresh(token, in: policy, at: start + 600) == .refused(.expired))
    }

    @Test("older access tokens of a session live to their own end")
    func olderAccess() throws {
        let backend = Bench()
        let first = try backend.login(in: .testing())
        _ = try backend.renew(first.refresh, in: .testing(), at: start + 30)
        #expect(backend.opens(first.access, in: .testing(), at: start + 59))
    }

    @Test("only the latest of very many tokens are remembered")
    func bounded() throws {
        let backend = Bench()
        let first = try backend.login(in: .testing())
        var token = first.refresh
        for _ in 0..<1000 { token = try backend.renew(token, in: .testing()).refresh }
        #expect(backend.refresh(first.refresh, in: .testing()) == .refused(.unknown))
        #expect(!backend.opens(first.access, in: .testing()))
        _ = try backend.renew(token, in: .testing())
    }

    @Test("of very many sessions the oldest are forgotten, ended ones first")
    func forgotten() throws {
        let backend = Bench()
        let kept = try backend.login(in: .testing())
        let ended = try backend.login(in: .testing())
        #expect(backend.logout(.this, refresh: ended.refresh, in: .testing()))
        for _ in 0..<AuthBackend.familyLimit - 1 { _ = try backend.login(in: .testing()) }
        #expect(backend.state().sessions.count <= AuthBackend.familyLimit)
        #expect(backend.refresh(ended.refresh, in: .testing()) == .refused(.unknown))
        #expect(backend.refresh(kept.refresh, in: .testing()) == .refused(.unknown))
    }
}

extension RotationBehavior {
    static let living: [RotationBehavior] = [.replaces, .keeps, .keepsSilently]
}
