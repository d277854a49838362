import Basics
import FoundationEssentials
import Model
import Profiles
import Testing

@testable import Client

@Suite("ClientMachine: the outbox")
struct SessionOutboxTests {
    private static func loggedOut(
        _ faults: [ScriptedBackend.Fault],
        refreshLifetime: Double? = 600
    ) -> MachineHarness {
        let harness = MachineHarness.signedIn { $0.refreshLifetime = refreshLifetime }
        harness.backend.logoutFaults = faults
        harness.send(.logOut(.this))
        harness.advance(0.3)
        return harness
    }

    @Test("outbox, 2xx | 401 | 404 → removed", arguments: [ScriptedBackend.Fault?.none, .refused])
    func removed(fault: ScriptedBackend.Fault?) {
        let harness = Self.loggedOut([fault].compactMap(\.self))
        #expect(harness.revocationPhases == [fault == nil ? .done : .notKnown])
        harness.settle()
        #expect(harness.vault.record?.outbox.isEmpty == true)
        #expect(harness.machine.nextDeadline == nil)
    }

    @Test("transient: the session is signed out, and the backend notified after 5, 10, 20 … s")
    func retried() {
        let harness = Self.loggedOut(Array(repeating: .status(503), count: 3))
        #expect(harness.state == .signedOut(.user))
        #expect(harness.revocationPhases == [.pending])
        harness.advance(60)
        let times = harness.revocations.map(\.at)
        let waits = zip(times, times.dropFirst()).map { ($1 - $0).rounded() }
        #expect(waits == [5, 10, 20])
        #expect(harness.revocationPhases.last == .done)
        #expect(harness.vault.record?.outbox.isEmpty == true)
    }

    @Test("an hour is the longest wait")
    func longestWait() {
        let harness = Self.loggedOut(
            Array(repeating: .notSent, count: 30),
            refreshLifetime: 30 * 86_400
        )
        harness.advance(86_400)
        let times = harness.revocations.map(\.at)
        let waits = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(waits.allSatisfy { $0 <= 3600.5 })
        #expect((waits.last ?? 0) > 3599)
    }

    @Test("Retry-After is respected here too")
    func retryAfter() {
        let harness = Self.loggedOut([.status(429, retryAfter: .seconds(120))])
        harness.advance(119)
        #expect(harness.revocations.count == 1)
        harness.advance(3)
        #expect(harness.revocations.count == 2)
    }

    @Test("once the refresh token has expired, the backend is not notified")
    func expires() {
        let harness = Self.loggedOut(Array(repeating: .notSent, count: 100))
        harness.advance(1000)
        #expect(harness.revocationPhases.last == .expired)
        #expect(harness.vault.record?.outbox.isEmpty == true)
        #expect(harness.machine.nextDeadline == nil)
    }

    @Test("a logout of a session whose refresh token has ended does not wait for anything")
    func endedAlready() {
        let harness = MachineHarness.signedIn { $0.refreshLifetime = 30 }
        harness.send(.setPaused(.timer))
        harness.advance(40)
        harness.send(.logOut(.this))
        harness.advance(1)
        #expect(harness.state == .signedOut(.user))
    }

    @Test("an entry that cannot be delivered does not hold up another logout")
    func notHeldUp() {
        let harness = Self.loggedOut(Array(repeating: .status(503), count: 1))
        harness.send(.logIn)
        harness.advance(1)
        harness.backend.logoutFaults = Array(repeating: .status(503), count: 1)
        harness.send(.logOut(.everywhere))
        harness.advance(2)
        #expect(harness.state == .signedOut(.everywhere))
        harness.advance(60)
        #expect(harness.vault.record?.outbox.isEmpty == true)
        #expect(harness.backend.revoked.count == 2)
    }

    @Test(
        "a logout of a draining session without a refresh token ends, and is not retried endlessly"
    )
    func withoutRefreshToken() {
        let harness = MachineHarness.signedIn()
        harness.backend.refreshFaults = [.refused]
        harness.advanceToSoft()
        harness.advance(1)
        harness.backend.logoutFaults = Array(repeating: .notSent, count: 100)
        harness.send(.logOut(.this))
        harness.advance(1)
        #expect(harness.state == .signedOut(.user))
        harness.advance(200)
        #expect(harness.vault.record?.outbox.isEmpty == true)
        #expect(harness.machine.nextDeadline == nil)
    }

    @Test("a new session does not lose what the old one owed")
    func survivesLogin() {
        let harness = Self.loggedOut(Array(repeating: .notSent, count: 3))
        harness.send(.logIn)
        harness.advance(1)
        #expect(harness.vault.record?.outbox.count == 1)
        harness.advance(60)
        #expect(harness.vault.record?.outbox.isEmpty == true)
        #expect(harness.state.isLive)
    }
}
