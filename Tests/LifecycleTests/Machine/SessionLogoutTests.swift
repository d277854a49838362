import Dialects
import FoundationEssentials
import Lifecycle
import Testing
import Timekeeping
import Tokens

@Suite("ClientMachine: logout")
struct SessionLogoutTests {
    @Test("any, logout(this) → signingOut: erased here first, then the backend is told")
    func this() {
        let scene = Scene.signedIn()
        let epoch = scene.machine.epoch
        let token = scene.refreshToken
        scene.send(.logOut(.this))
        #expect(scene.state == .signingOut(.this))
        #expect(scene.machine.held == nil)
        #expect(scene.machine.epoch == epoch + 1)
        #expect(scene.feedOrders.last == .ended)
        #expect(scene.storedPair == nil)
        #expect(scene.vault.record?.outbox.map(\.refresh) == [token])
        scene.advance(1)
        #expect(scene.state == .signedOut(.user))
        #expect(scene.revocations.count == 1)
        #expect(scene.revocationPhases == [.done])
        #expect(scene.vault.record?.outbox.isEmpty == true)
        #expect(scene.vault.record?.epoch == epoch + 1)
    }

    @Test("tells how long it took until no pair was stored, once it was so")
    func erasure() throws {
        let scene = Scene.signedIn()
        scene.vault.latency = 0.25
        scene.send(.logOut(.this))
        #expect(scene.erasures == [])
        scene.advance(1)
        let erasure = try #require(scene.erasures.first)
        #expect(scene.erasures.count == 1)
        #expect(abs(erasure.inSeconds - 0.25) < 0.001)
    }

    @Test("erases where nothing can be written any more, and tells the backend at once")
    func erasedOnly() {
        let scene = Scene.signedIn()
        scene.vault.erasingProblem = VaultProblem(words: "disk full")
        scene.backend.logoutFaults = [.status(503)]
        scene.send(.logOut(.this))
        scene.advance(1)
        #expect(scene.state == .signedOut(.user))
        #expect(scene.erasures.count == 1)
        #expect(scene.events.contains { $0.kind == .unsaved(VaultProblem(words: "disk full")) })
        #expect(scene.revocationPhases == [.pending])
        #expect(scene.vault.record == nil)
        scene.advance(60)
        #expect(scene.revocationPhases == [.pending, .done])
        #expect(scene.vault.record == nil)
        #expect(scene.state == .signedOut(.user))
    }

    @Test("that names no session is sent without a token, kept without one, and said to be so")
    func anonymous() {
        let scene = Scene.signedIn(
            traits: .testing(logouts: [.this], logoutNeeds: [.this: LogoutNeeds(refresh: false)])
        )
        scene.send(.logOut(.this))
        #expect(scene.vault.record?.outbox.map(\.refresh) == [nil])
        #expect(scene.vault.record?.outbox.map(\.access) == [nil])
        scene.advance(1)
        #expect(scene.state == .signedOut(.user))
        #expect(scene.revocationPhases == [.anonymous])
    }

    @Test("tells of no erasure that could not be written, or was of somebody else's session")
    func noErasure() {
        let full = Scene.signedIn()
        full.vault.writeProblem = VaultProblem(words: "disk full")
        full.send(.logOut(.this))
        full.advance(1)
        #expect(full.erasures == [])
        let theirs = Scene.signedIn()
        theirs.siblingLogsIn(as: "u2")
        theirs.send(.logOut(.this))
        theirs.advance(1)
        #expect(theirs.erasures == [])
    }

    @Test("logout(all) with a live access token")
    func everywhere() {
        let scene = Scene.signedIn()
        scene.send(.logOut(.everywhere))
        #expect(scene.state == .signingOut(.everywhere))
        scene.advance(1)
        #expect(scene.state == .signedOut(.everywhere))
        #expect(scene.revocations.map(\.entry.scope) == [.everywhere])
        #expect(scene.revocations.first?.entry.access != nil)
    }

    @Test("logout(all) with a dead access token refreshes once, then logs out")
    func everywhereWhenDead() {
        let scene = Scene.signedIn()
        scene.send(.setPaused(true))
        scene.advance(100)
        #expect(scene.state.name == "offline")
        scene.send(.logOut(.everywhere))
        scene.advance(2)
        #expect(scene.refreshes.count == 1)
        #expect(scene.state == .signedOut(.everywhere))
        let access = scene.revocations.last?.entry.access?.secret.reveal()
        #expect(access == "ACCESS-secret-of-1-2")
    }

    @Test("logout(all) with a dead access token and no network says so, and ends nothing")
    func everywhereOffline() {
        let scene = Scene.signedIn()
        scene.backend.isUnreachable = true
        scene.advance(100)
        scene.send(.logOut(.everywhere))
        scene.advance(until: { !$0.refusedActs.isEmpty })
        #expect(scene.state.isLive)
        scene.backend.isUnreachable = false
        scene.advance(70)
        #expect(scene.state == .fresh)
    }

    @Test("what the backend does not offer is refused and ends nothing")
    func notOffered() {
        let scene = Scene.signedIn(traits: .testing(logouts: [.this]))
        scene.send(.logOut(.everywhere))
        #expect(scene.state == .fresh)
        #expect(scene.refusedActs.count == 1)
    }

    @Test("logging out here always works, without an endpoint too")
    func noEndpoint() {
        let scene = Scene.signedIn(traits: .testing(logouts: []))
        scene.send(.logOut(.this))
        scene.settle()
        #expect(scene.state == .signedOut(.user))
        #expect(scene.revocationPhases == [.notOffered])
        #expect(scene.storedPair == nil)
        #expect(scene.revocations.isEmpty)
    }

    @Test("without a session there is nothing to end")
    func nothingToEnd() {
        let scene = Scene(traits: .testing(logInAtStart: false))
        scene.send(.start)
        scene.settle()
        scene.send(.logOut(.this))
        #expect(scene.refusedActs.count == 1)
        #expect(scene.state == .signedOut(.never))
    }

    @Test(
        "logout always works: in every state nothing readable is left at once",
        arguments: [
            "fresh", "renewing", "retrying", "unknown", "blocked", "offline", "draining",
            "probing", "paused", "unsaved",
        ]
    )
    func everyState(name: String) {
        let scene = Scene.signedIn()
        scene.bring(to: name)
        let token = scene.refreshToken
        scene.backend.isUnreachable = true
        scene.backend.roundTrip = 0.3
        scene.vault.writeProblem = nil
        scene.send(.logOut(.this))
        #expect(scene.storedPair == nil)
        scene.advance(2)
        #expect(scene.state == .signedOut(.user))
        #expect(scene.machine.held == nil)
        #expect(scene.feedOrders.last == .ended)
        scene.advance(600)
        #expect(scene.state == .signedOut(.user))
        #expect(scene.storedPair == nil)
        if let token {
            #expect(scene.vault.record?.outbox.contains { $0.refresh == token } == true)
        }
    }

    @Test("a logout whose erasing fails is made good as soon as the vault can be written")
    func eraseLater() {
        let scene = Scene.signedIn()
        scene.vault.writeProblem = VaultProblem(words: "disk full")
        scene.send(.logOut(.this))
        scene.advance(2)
        #expect(scene.state == .signedOut(.user))
        #expect(scene.has("unsaved"))
        #expect(scene.storedPair != nil)
        scene.vault.writeProblem = nil
        scene.advance(20)
        #expect(scene.storedPair == nil)
        #expect(scene.has("saved"))
        #expect(scene.machine.flags.unsaved == nil)
    }

    @Test("an ending whose erasing fails is made good too")
    func eraseEndingLater() {
        let scene = Scene.signedIn()
        scene.backend.refreshFaults = [.refused]
        scene.advanceToSoft()
        scene.advance(0.3)
        scene.vault.writeProblem = VaultProblem(words: "disk full")
        scene.advanceToHard()
        scene.advance(1)
        #expect(scene.state == .signedOut(.revoked))
        #expect(scene.storedPair != nil)
        scene.vault.writeProblem = nil
        scene.advance(20)
        #expect(scene.storedPair == nil)
    }

    @Test("a login after a logout that could not be written is kept")
    func loginAfterFailedErase() {
        let scene = Scene.signedIn()
        scene.vault.writeProblem = VaultProblem(words: "disk full")
        scene.send(.logOut(.this))
        scene.advance(2)
        scene.vault.writeProblem = nil
        scene.send(.logIn)
        scene.advance(60)
        #expect(scene.state.isLive)
        #expect(scene.storedPair?.generation == scene.generation)
        #expect(scene.machine.flags.unsaved == nil)
    }

    @Test("a logout does not end the session that somebody else opened meanwhile")
    func notTheirs() {
        let scene = Scene.signedIn()
        scene.siblingLogsIn(as: "u2")
        scene.send(.logOut(.this))
        scene.advance(1)
        #expect(scene.state == .signedOut(.user))
        #expect(scene.storedPair?.subject == "u2")
    }

    @Test(
        "while a refresh is on its way keeps others from sending the same token",
        arguments: [nil, VaultProblem(words: "disk full")]
    )
    func keepsTheLock(problem: VaultProblem?) {
        let scene = Scene.signedIn()
        scene.backend.roundTrip = 5
        scene.advanceToSoft()
        #expect(scene.refreshes.count == 1)
        scene.vault.writeProblem = problem
        scene.send(.logOut(.this))
        scene.advance(1)
        #expect(scene.vault.holder != nil)
        scene.advance(5)
        #expect(scene.vault.holder == nil)
        #expect(scene.refreshes.count == 1)
    }

    @Test("is written before others may refresh, however early the refresh ends")
    func keepsTheLockUntilWritten() {
        let scene = Scene.signedIn()
        scene.backend.roundTrip = 1
        scene.advanceToSoft()
        scene.vault.latency = 3
        scene.send(.logOut(.this))
        scene.advance(2)
        #expect(scene.vault.holder != nil)
        scene.advance(2)
        #expect(scene.vault.holder == nil)
    }
}
