import Dialects
import FoundationEssentials
import Lifecycle
import Testing
import Timekeeping
import Tokens

@Suite("ClientMachine: what the backend can be told of a logout")
struct SessionTellingTests {
    private static func draining(_ needs: LogoutNeeds) -> Scene {
        let scene = Scene.signedIn(
            traits: .testing(logoutNeeds: [
                .this: needs, .everywhere: LogoutNeeds(refresh: true, access: true),
            ])
        )
        scene.backend.refreshFaults = [.refused]
        scene.advanceToSoft()
        scene.advance(1)
        return scene
    }

    @Test("without the refresh token that it needs, nothing is kept, and why is said")
    func nothingToSend() {
        let scene = Self.draining(LogoutNeeds(refresh: true))
        scene.send(.logOut(.this))
        #expect(scene.vault.record?.outbox == [])
        scene.settle()
        #expect(scene.state == .signedOut(.user))
        #expect(scene.revocationPhases == [.noRefreshToken])
        #expect(scene.revocations.isEmpty)
    }

    @Test("where the access token does as well, that is sent")
    func accessInstead() {
        let scene = Self.draining(LogoutNeeds(refresh: true, accessSuffices: true))
        let access = scene.machine.held?.tokens.access
        scene.send(.logOut(.this))
        scene.advance(1)
        #expect(scene.revocations.map(\.entry.access) == [access])
        #expect(scene.revocationPhases == [.done])
    }

    @Test("it is forgotten when the access token that is sent ends")
    func accessEnds() {
        let scene = Self.draining(LogoutNeeds(refresh: true, accessSuffices: true))
        scene.backend.logoutFaults = Array(repeating: .notSent, count: 100)
        scene.send(.logOut(.this))
        scene.advance(120)
        #expect(scene.vault.record?.outbox == [])
        #expect(scene.revocationPhases.last == .expired)
    }

    @Test("an access token that is not needed is not kept")
    func noMoreThanNeeded() {
        let scene = Scene.signedIn()
        scene.backend.isUnreachable = true
        scene.send(.logOut(.this))
        scene.advance(1)
        #expect(scene.vault.record?.outbox.map(\.access) == [nil])
    }

    @Test("one that needs a live access token is forgotten with that token's end")
    func liveAccessNeeded() {
        let scene = Scene.signedIn()
        scene.backend.logoutFaults = Array(repeating: .notSent, count: 100)
        scene.send(.logOut(.everywhere))
        scene.advance(90)
        #expect(scene.vault.record?.outbox == [])
        #expect(scene.revocationPhases.last == .noAccessToken)
    }

    @Test("logging out everywhere without the refresh token that it needs is refused")
    func everywhere() {
        let scene = Self.draining(LogoutNeeds(refresh: true))
        scene.send(.logOut(.everywhere))
        scene.advance(1)
        #expect(scene.state == .draining(.revoked))
        #expect(scene.refusedActs.count == 1)
        #expect(scene.revocations.isEmpty)
    }

    @Test("what was stored and can never be sent is dropped at the start, and that is said")
    func droppedAtStart() throws {
        let scene = Scene.signedIn()
        scene.backend.isUnreachable = true
        scene.send(.logOut(.this))
        scene.advance(1)
        let good = try #require(scene.vault.record?.outbox.first)
        var bad = good
        bad.id = "bad"
        bad.refresh = nil
        bad.access = AccessToken(Secret("ACCESS-secret-of-1-1"))
        scene.vault.record?.outbox = [bad, good]
        let next = scene.restarted(traits: .testing(logInAtStart: false))
        #expect(next.vault.record?.outbox.map(\.id) == [good.id])
        #expect(next.revocationPhases.first == .noRefreshToken)
        next.backend.isUnreachable = false
        next.advance(60)
        #expect(next.revocationPhases.last == .done)
        #expect(next.vault.record?.outbox == [])
    }

    @Test("an answer that does not know the token is not called an acknowledgement")
    func notKnown() {
        let scene = Scene.signedIn()
        scene.backend.logoutFaults = [.refused]
        scene.send(.logOut(.this))
        scene.advance(1)
        #expect(scene.revocationPhases == [.notKnown])
        #expect(scene.vault.record?.outbox == [])
    }
}
