import Dialects
import FoundationEssentials
import Lifecycle
import Testing
import Timekeeping
import Tokens

@Suite("ClientMachine: the outbox")
struct SessionOutboxTests {
    private static func loggedOut(
        _ faults: [ScriptedBackend.Fault],
        refreshLifetime: Double? = 600
    ) -> Scene {
        let scene = Scene.signedIn { $0.refreshLifetime = refreshLifetime }
        scene.backend.logoutFaults = faults
        scene.send(.logOut(.this))
        scene.advance(0.3)
        return scene
    }

    @Test("outbox, 2xx | 401 | 404 → removed", arguments: [ScriptedBackend.Fault?.none, .refused])
    func removed(fault: ScriptedBackend.Fault?) {
        let scene = Self.loggedOut([fault].compactMap(\.self))
        #expect(scene.revocationPhases == [fault == nil ? .done : .notKnown])
        scene.settle()
        #expect(scene.vault.record?.outbox.isEmpty == true)
        #expect(scene.machine.nextDeadline == nil)
    }

    @Test("transient: the session is signed out, and the backend told after 5, 10, 20 … s")
    func retried() {
        let scene = Self.loggedOut(Array(repeating: .status(503), count: 3))
        #expect(scene.state == .signedOut(.user))
        #expect(scene.revocationPhases == [.pending])
        scene.advance(60)
        let times = scene.revocations.map(\.at)
        let waits = zip(times, times.dropFirst()).map { ($1 - $0).rounded() }
        #expect(waits == [5, 10, 20])
        #expect(scene.revocationPhases.last == .done)
        #expect(scene.vault.record?.outbox.isEmpty == true)
    }

    @Test("an hour is the longest wait")
    func longestWait() {
        let scene = Self.loggedOut(
            Array(repeating: .notSent, count: 30),
            refreshLifetime: 30 * 86_400
        )
        scene.advance(86_400)
        let times = scene.revocations.map(\.at)
        let waits = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(waits.allSatisfy { $0 <= 3600.5 })
        #expect((waits.last ?? 0) > 3599)
    }

    @Test("Retry-After is respected here too")
    func retryAfter() {
        let scene = Self.loggedOut([.status(429, retryAfter: .seconds(120))])
        scene.advance(119)
        #expect(scene.revocations.count == 1)
        scene.advance(3)
        #expect(scene.revocations.count == 2)
    }

    @Test("once the refresh token has ended, nobody need be told")
    func expires() {
        let scene = Self.loggedOut(Array(repeating: .notSent, count: 100))
        scene.advance(1000)
        #expect(scene.revocationPhases.last == .expired)
        #expect(scene.vault.record?.outbox.isEmpty == true)
        #expect(scene.machine.nextDeadline == nil)
    }

    @Test("a logout of a session whose refresh token has ended does not wait for anything")
    func endedAlready() {
        let scene = Scene.signedIn { $0.refreshLifetime = 30 }
        scene.send(.setPaused(true))
        scene.advance(40)
        scene.send(.logOut(.this))
        scene.advance(1)
        #expect(scene.state == .signedOut(.user))
    }

    @Test("an entry that cannot be delivered does not hold up another logout")
    func notHeldUp() {
        let scene = Self.loggedOut(Array(repeating: .status(503), count: 1))
        scene.send(.logIn)
        scene.advance(1)
        scene.backend.logoutFaults = Array(repeating: .status(503), count: 1)
        scene.send(.logOut(.everywhere))
        scene.advance(2)
        #expect(scene.state == .signedOut(.everywhere))
        scene.advance(60)
        #expect(scene.vault.record?.outbox.isEmpty == true)
        #expect(scene.backend.revoked.count == 2)
    }

    @Test(
        "a logout while the draining session has no refresh token left ends, and is not retried for ever"
    )
    func withoutRefreshToken() {
        let scene = Scene.signedIn()
        scene.backend.refreshFaults = [.refused]
        scene.advanceToSoft()
        scene.advance(1)
        scene.backend.logoutFaults = Array(repeating: .notSent, count: 100)
        scene.send(.logOut(.this))
        scene.advance(1)
        #expect(scene.state == .signedOut(.user))
        scene.advance(200)
        #expect(scene.vault.record?.outbox.isEmpty == true)
        #expect(scene.machine.nextDeadline == nil)
    }

    @Test("a new session does not lose what the old one owed")
    func survivesLogin() {
        let scene = Self.loggedOut(Array(repeating: .notSent, count: 3))
        scene.send(.logIn)
        scene.advance(1)
        #expect(scene.vault.record?.outbox.count == 1)
        scene.advance(60)
        #expect(scene.vault.record?.outbox.isEmpty == true)
        #expect(scene.state.isLive)
    }
}
