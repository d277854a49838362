import Basics
import FoundationEssentials
import Model
import Profiles
import Testing

@testable import Client

@Suite("ClientMachine: logout")
struct SessionLogoutTests {
    @Test("any, logout(this) → signingOut: erased locally first, then the backend is notified")
    func this() {
        let harness = MachineHarness.signedIn()
        let epoch = harness.machine.epoch
        let token = harness.refreshToken
        harness.send(.logOut(.this))
        #expect(harness.state == .signingOut(.this))
        #expect(harness.machine.held == nil)
        #expect(harness.machine.epoch == epoch + 1)
        #expect(harness.feedOrders.last == .ended)
        #expect(harness.storedPair == nil)
        #expect(harness.vault.record?.outbox.map(\.refresh) == [token])
        harness.advance(1)
        #expect(harness.state == .signedOut(.user))
        #expect(harness.revocations.count == 1)
        #expect(harness.revocationPhases == [.done])
        #expect(harness.vault.record?.outbox.isEmpty == true)
        #expect(harness.vault.record?.epoch == epoch + 1)
    }

    @Test("reports the time until no pair was stored")
    func erasure() throws {
        let harness = MachineHarness.signedIn()
        harness.vault.latency = 0.25
        harness.send(.logOut(.this))
        #expect(harness.erasures == [])
        harness.advance(1)
        let erasure = try #require(harness.erasures.first)
        #expect(harness.erasures.count == 1)
        #expect(abs(erasure.inSeconds - 0.25) < 0.001)
    }

    @Test("erases the record if it cannot be written, and notifies the backend at once")
    func erasedOnly() {
        let harness = MachineHarness.signedIn()
        harness.vault.erasingProblem = VaultProblem(message: "disk full")
        harness.backend.logoutFaults = [.status(503)]
        harness.send(.logOut(.this))
        harness.advance(1)
        #expect(harness.state == .signedOut(.user))
        #expect(harness.erasures.count == 1)
        #expect(
            harness.events.contains {
                $0.kind as? PairUnsaved == PairUnsaved(VaultProblem(message: "disk full"))
            }
        )
        #expect(harness.revocationPhases == [.pending])
        #expect(harness.vault.record == nil)
        harness.advance(60)
        #expect(harness.revocationPhases == [.pending, .done])
        #expect(harness.vault.record == nil)
        #expect(harness.state == .signedOut(.user))
    }

    @Test("that names no session is sent without a token, kept without one, and said to be so")
    func anonymous() {
        let harness = MachineHarness.signedIn(
            configuration: .testing(
                logouts: [.this],
                logoutNeeds: [.this: LogoutNeeds(refresh: false)]
            )
        )
        harness.send(.logOut(.this))
        #expect(harness.vault.record?.outbox.map(\.refresh) == [nil])
        #expect(harness.vault.record?.outbox.map(\.access) == [nil])
        harness.advance(1)
        #expect(harness.state == .signedOut(.user))
        #expect(harness.revocationPhases == [.anonymous])
    }

    @Test("reports no erasure that was not written, or that concerned another session")
    func noErasure() {
        let full = MachineHarness.signedIn()
        full.vault.writeProblem = VaultProblem(message: "disk full")
        full.send(.logOut(.this))
        full.advance(1)
        #expect(full.erasures == [])
        let theirs = MachineHarness.signedIn()
        theirs.siblingLogsIn(as: "u2")
        theirs.send(.logOut(.this))
        theirs.advance(1)
        #expect(theirs.erasures == [])
    }

    @Test("that overtakes a renewal and cannot be written keeps the lock until it is")
    func unwrittenDuringRenewal() {
        let harness = MachineHarness.signedIn { $0.roundTrip = 5 }
        harness.advanceToSoft()
        harness.vault.writeProblem = VaultProblem(message: "disk full")
        harness.send(.logOut(.this))
        harness.advance(6)
        // The stored token is spent: another process with the lock would send it again.
        #expect(harness.storedPair?.generation == 1)
        #expect(harness.backend.families.first?.generation == 2)
        #expect(harness.vault.holder != nil)
        harness.vault.writeProblem = nil
        harness.advance(20)
        #expect(harness.storedPair == nil)
        #expect(harness.vault.holder == nil)
    }

    @Test("an ending that is being written when an overtaken renewal is answered keeps the lock")
    func endingDuringRenewal() {
        let harness = MachineHarness.signedIn(configuration: .testing(secondRefusalEnds: true)) {
            $0.accessLifetime = 900
        }
        harness.advance(60)
        harness.backend.rejectsAll = true
        harness.request(1)
        harness.advance(until: { $0.protectedSends.count == 2 })
        harness.backend.roundTrip = 2
        harness.send(.refreshNow)
        harness.settle()
        #expect(harness.refreshes.count == 2)
        harness.vault.latency = 10
        harness.advance(5)
        #expect(harness.state == .signedOut(.renewedTokenRefused))
        #expect(harness.vault.holder != nil)
        harness.advance(30)
        #expect(harness.storedPair == nil)
        #expect(harness.vault.holder == nil)
    }

    @Test("logout(all) with a live access token")
    func everywhere() {
        let harness = MachineHarness.signedIn()
        harness.send(.logOut(.everywhere))
        #expect(harness.state == .signingOut(.everywhere))
        harness.advance(1)
        #expect(harness.state == .signedOut(.everywhere))
        #expect(harness.revocations.map(\.entry.scope) == [.everywhere])
        #expect(harness.revocations.first?.entry.access != nil)
    }

    @Test("logout(all) with a dead access token refreshes once, then logs out")
    func everywhereWhenDead() {
        let harness = MachineHarness.signedIn()
        harness.send(.setPaused(.timer))
        harness.advance(100)
        #expect(harness.state.name == "expired")
        harness.send(.logOut(.everywhere))
        harness.advance(2)
        #expect(harness.refreshes.count == 1)
        #expect(harness.state == .signedOut(.everywhere))
        let access = harness.revocations.last?.entry.access?.secret.reveal()
        #expect(access == "ACCESS-secret-of-1-2")
    }

    @Test("logout(all) with a dead access token and no network says so, and ends nothing")
    func everywhereOffline() {
        let harness = MachineHarness.signedIn()
        harness.backend.isUnreachable = true
        harness.advance(100)
        harness.send(.logOut(.everywhere))
        harness.advance(until: { !$0.rejections.isEmpty })
        #expect(harness.state.isLive)
        harness.backend.isUnreachable = false
        harness.advance(70)
        #expect(harness.state == .fresh)
    }

    @Test("what the backend does not offer is refused and ends nothing")
    func notOffered() {
        let harness = MachineHarness.signedIn(configuration: .testing(logouts: [.this]))
        harness.send(.logOut(.everywhere))
        #expect(harness.state == .fresh)
        #expect(harness.rejections.count == 1)
    }

    @Test("logging out here always works, without an endpoint too")
    func noEndpoint() {
        let harness = MachineHarness.signedIn(configuration: .testing(logouts: []))
        harness.send(.logOut(.this))
        harness.settle()
        #expect(harness.state == .signedOut(.user))
        #expect(harness.revocationPhases == [.notOffered])
        #expect(harness.storedPair == nil)
        #expect(harness.revocations.isEmpty)
    }

    @Test("without a session there is nothing to end")
    func nothingToEnd() {
        let harness = MachineHarness(configuration: .testing(logInAtStart: false))
        harness.send(.start)
        harness.settle()
        harness.send(.logOut(.this))
        #expect(harness.rejections.count == 1)
        #expect(harness.state == .signedOut(.never))
    }

    @Test(
        "logout always works: in every state nothing readable is left at once",
        arguments: [
            "fresh", "renewing", "retrying", "unknown", "blocked", "expired", "draining",
            "probing", "paused", "unsaved",
        ]
    )
    func everyState(name: String) {
        let harness = MachineHarness.signedIn()
        harness.bring(to: name)
        let token = harness.refreshToken
        harness.backend.isUnreachable = true
        harness.backend.roundTrip = 0.3
        harness.vault.writeProblem = nil
        harness.send(.logOut(.this))
        #expect(harness.storedPair == nil)
        harness.advance(2)
        #expect(harness.state == .signedOut(.user))
        #expect(harness.machine.held == nil)
        #expect(harness.feedOrders.last == .ended)
        harness.advance(600)
        #expect(harness.state == .signedOut(.user))
        #expect(harness.storedPair == nil)
        if let token {
            #expect(harness.vault.record?.outbox.contains { $0.refresh == token } == true)
        }
    }

    @Test("a logout whose erasing fails is made good as soon as the vault can be written")
    func eraseLater() {
        let harness = MachineHarness.signedIn()
        harness.vault.writeProblem = VaultProblem(message: "disk full")
        harness.send(.logOut(.this))
        harness.advance(2)
        #expect(harness.state == .signedOut(.user))
        #expect(harness.has("unsaved"))
        #expect(harness.storedPair != nil)
        harness.vault.writeProblem = nil
        harness.advance(20)
        #expect(harness.storedPair == nil)
        #expect(harness.has("saved"))
        #expect(harness.machine.flags.unsaved == nil)
    }

    @Test("an ending whose erasing fails is made good too")
    func eraseEndingLater() {
        let harness = MachineHarness.signedIn()
        harness.backend.refreshFaults = [.refused]
        harness.advanceToSoft()
        harness.advance(0.3)
        harness.vault.writeProblem = VaultProblem(message: "disk full")
        harness.advanceToHard()
        harness.advance(1)
        #expect(harness.state == .signedOut(.revoked))
        #expect(harness.storedPair != nil)
        harness.vault.writeProblem = nil
        harness.advance(20)
        #expect(harness.storedPair == nil)
    }

    @Test("a login after a logout that could not be written is kept")
    func loginAfterFailedErase() {
        let harness = MachineHarness.signedIn()
        harness.vault.writeProblem = VaultProblem(message: "disk full")
        harness.send(.logOut(.this))
        harness.advance(2)
        harness.vault.writeProblem = nil
        harness.send(.logIn)
        harness.advance(60)
        #expect(harness.state.isLive)
        #expect(harness.storedPair?.generation == harness.generation)
        #expect(harness.machine.flags.unsaved == nil)
    }

    @Test("a logout does not end a session that another process has opened in the meantime")
    func notTheirs() {
        let harness = MachineHarness.signedIn()
        harness.siblingLogsIn(as: "u2")
        harness.send(.logOut(.this))
        harness.advance(1)
        #expect(harness.state == .signedOut(.user))
        #expect(harness.storedPair?.statements.subject == "u2")
    }

    @Test(
        "while a refresh is on its way keeps others from sending the same token",
        arguments: [nil, VaultProblem(message: "disk full")]
    )
    func keepsTheLock(problem: VaultProblem?) {
        let harness = MachineHarness.signedIn()
        harness.backend.roundTrip = 5
        harness.advanceToSoft()
        #expect(harness.refreshes.count == 1)
        harness.vault.writeProblem = problem
        harness.send(.logOut(.this))
        harness.advance(1)
        #expect(harness.vault.holder != nil)
        harness.vault.writeProblem = nil
        harness.advance(5)
        #expect(harness.vault.holder == nil)
        #expect(harness.refreshes.count == 1)
    }

    @Test("is written before others may refresh, however early the refresh ends")
    func keepsTheLockUntilWritten() {
        let harness = MachineHarness.signedIn()
        harness.backend.roundTrip = 1
        harness.advanceToSoft()
        harness.vault.latency = 3
        harness.send(.logOut(.this))
        harness.advance(2)
        #expect(harness.vault.holder != nil)
        harness.advance(2)
        #expect(harness.vault.holder == nil)
    }
}
