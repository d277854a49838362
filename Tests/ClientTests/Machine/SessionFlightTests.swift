import Basics
import FoundationEssentials
import Model
import Profiles
import Testing

@testable import Client

@Suite("ClientMachine: the flight")
struct SessionFlightTests {
    @Test("fresh, soft → renewing, OK → fresh(g+1)")
    func renews() {
        let harness = MachineHarness.signedIn()
        harness.advanceToSoft()
        #expect(harness.state == .renewing)
        #expect(harness.has("refreshStarted"))
        harness.advance(0.3)
        #expect(harness.state == .fresh)
        #expect(harness.generation == 2)
        #expect(harness.refreshes.count == 1)
        #expect(harness.storedPair?.generation == 2)
        #expect(harness.feedOrders.count == 2)
        #expect(harness.vault.holder == nil)
    }

    @Test("a renewal begins between the latest and the earliest soft", arguments: 0..<20)
    func jitter(seed: UInt64) {
        let harness = MachineHarness.signedIn(seed: seed)
        let refreshAt = harness.machine.schedule?.refreshAt.seconds(since: .origin) ?? 0
        #expect((46.8...48).contains(refreshAt))
        harness.advance(until: { !$0.refreshes.isEmpty })
        #expect(harness.refreshes.first?.at == refreshAt)
    }

    @Test("lock, read again, journal, send: each waits for the one before")
    func steps() {
        let harness = MachineHarness.signedIn()
        harness.vault.latency = 0.1
        harness.advanceToSoft()
        #expect(harness.vault.holder != nil)
        harness.advance(0.15)
        #expect(harness.vault.record?.journal == nil)
        harness.advance(0.1)
        #expect(harness.vault.record?.journal?.generation == 1)
        #expect(harness.vault.record?.journal?.sends == 1)
        #expect(harness.refreshes.isEmpty)
        harness.advance(0.1)
        #expect(harness.refreshes.count == 1)
        harness.advance(1)
        #expect(harness.vault.record?.journal == nil)
        #expect(harness.generation == 2)
    }

    @Test("a new pair is committed before it is published")
    func commitFirst() {
        let harness = MachineHarness.signedIn()
        harness.advanceToSoft()
        harness.vault.latency = 1
        harness.advance(0.5)
        #expect(harness.storedPair?.generation == 2)
        #expect(harness.generation == 1)
        #expect(harness.count("tokensIssued") == 1)
        harness.advance(1)
        #expect(harness.generation == 2)
    }

    @Test("without a durable journal nothing is sent")
    func journalFirst() {
        let harness = MachineHarness.signedIn()
        harness.vault.writeProblem = VaultProblem(message: "disk full")
        harness.advanceToSoft()
        harness.advance(5)
        #expect(harness.refreshes.isEmpty)
        #expect(harness.state.name == "retrying")
        harness.vault.writeProblem = nil
        harness.advance(until: { $0.state == .fresh })
        #expect(harness.generation == 2)
    }

    @Test("flight, OK[epoch changed] → same: not committed, and the new token is revoked")
    func lateSuccess() {
        let harness = MachineHarness.signedIn { $0.roundTrip = 5 }
        harness.advanceToSoft()
        harness.backend.roundTrip = 0.3
        harness.send(.logOut(.this))
        harness.settle()
        harness.advance(1)
        #expect(harness.state == .signedOut(.user))
        harness.advance(10)
        #expect(harness.state == .signedOut(.user))
        #expect(harness.machine.held == nil)
        #expect(harness.storedPair == nil)
        #expect(harness.count("tokensIssued") == 1)
        let revoked = harness.revocations.compactMap { $0.entry.refresh?.secret.reveal() }
        #expect(revoked == ["REFRESH-secret-of-1-1", "REFRESH-secret-of-1-2"])
        #expect(harness.vault.record?.outbox.isEmpty == true)
    }

    @Test("what a late success still has to revoke survives the program's end")
    func lateSuccessIsKept() {
        let harness = MachineHarness.signedIn { $0.roundTrip = 5 }
        harness.advanceToSoft()
        harness.backend.roundTrip = 0.3
        harness.send(.logOut(.this))
        harness.advance(1)
        harness.backend.logoutFaults = [.notSent]
        harness.advance(5)
        #expect(harness.vault.record?.outbox.count == 1)
        let next = harness.restarted(configuration: .testing(logInAtStart: false))
        next.advance(1)
        #expect(next.backend.revoked.last == "REFRESH-secret-of-1-2")
    }

    @Test("flight, OK, save failed → fresh(g+1) + unsaved: saved later, no rotation before that")
    func unsaved() {
        let harness = MachineHarness.signedIn()
        harness.advanceToSoft()
        harness.vault.writeProblem = VaultProblem(message: "disk full")
        harness.advance(0.3)
        #expect(harness.state == .fresh)
        #expect(harness.generation == 2)
        #expect(harness.has("unsaved"))
        harness.advance(70)
        #expect(harness.refreshes.count == 1)
        #expect(harness.storedPair?.generation == 1)
        harness.vault.writeProblem = nil
        harness.advance(11)
        #expect(harness.has("saved"))
        #expect(harness.machine.flags.unsaved == nil)
        #expect(harness.state == .fresh)
        #expect(harness.generation == 3)
        #expect(harness.storedPair?.generation == 3)
    }

    @Test("an unsaved pair is written once, also if its renewal becomes due meanwhile")
    func savedOnce() {
        let harness = MachineHarness.signedIn()
        harness.advanceToSoft()
        harness.vault.writeProblem = VaultProblem(message: "disk full")
        harness.advance(0.3)
        harness.vault.writeProblem = nil
        harness.vault.latency = 2
        let commits = harness.vault.commits.count
        harness.advance(1)
        #expect(harness.vault.commits.count == commits + 1)
        harness.send(.refreshNow)
        harness.advance(until: { $0.has("saved") })
        #expect(harness.vault.commits.count == commits + 1)
        harness.advance(10)
        #expect(harness.generation == 3)
    }

    @Test("a refresh that the backend did not act on leaves no journal, once that can be written")
    func journalIsSettled() {
        let harness = MachineHarness.signedIn()
        harness.backend.refreshFaults = [.status(429)]
        harness.advanceToSoft()
        #expect(harness.vault.record?.journal != nil)
        harness.vault.writeProblem = VaultProblem(message: "disk full")
        harness.advance(0.4)
        harness.vault.writeProblem = nil
        #expect(harness.vault.record?.journal != nil)
        harness.advance(until: { $0.has("saved") })
        #expect(harness.vault.record?.journal == nil)
    }

    @Test("an unsaved pair whose access token is over does not pretend to be fresh")
    func unsavedAndDead() {
        let harness = MachineHarness.signedIn()
        harness.advanceToSoft()
        harness.vault.writeProblem = VaultProblem(message: "disk full")
        harness.advance(70)
        #expect(harness.state.name == "expired")
        harness.vault.writeProblem = nil
        harness.needToken(1)
        harness.advance(11)
        #expect(harness.state == .fresh)
    }

    @Test("a refused request is renewed for as soon as the pair before it is saved")
    func unsavedAndRefused() {
        let harness = MachineHarness.signedIn()
        harness.advanceToSoft()
        harness.vault.writeProblem = VaultProblem(message: "disk full")
        harness.advance(10)
        harness.backend.endAccessTokens()
        harness.request(1, timeout: 60)
        harness.advance(0.5)
        #expect(harness.refreshes.count == 1)
        harness.vault.writeProblem = nil
        harness.advance(11)
        #expect(harness.finished[1] == [.accepted(status: 200)])
        #expect(harness.generation == 3)
    }

    @Test("an answer without a refresh token keeps the old one", arguments: [true, false])
    func newOrOld(isSilent: Bool) {
        let harness = MachineHarness.signedIn { $0.behavior = isSilent ? .keepsSilently : .keeps }
        let token = harness.refreshToken
        harness.advanceToSoft()
        harness.advance(0.3)
        #expect(harness.generation == 2)
        #expect(harness.refreshToken == token)
        #expect(harness.storedPair?.tokens.refresh == token)
        let rotated = harness.events.compactMap { event -> Bool? in
            (event.kind as? RefreshSucceeded)?.rotated
        }
        #expect(rotated == [false])
    }

    @Test("a renewal by the user starts at once, or joins the one in progress")
    func byUser() {
        let harness = MachineHarness.signedIn()
        harness.advance(10)
        harness.send(.refreshNow)
        harness.send(.refreshNow)
        harness.advance(0.3)
        #expect(harness.refreshes.count == 1)
        #expect(harness.refreshes.first?.cause == .user)
        #expect(harness.generation == 2)
    }

    @Test("without a session there is nothing to renew")
    func nothingToRenew() {
        let harness = MachineHarness(configuration: .testing(logInAtStart: false))
        harness.send(.refreshNow)
        harness.send(.start)
        harness.settle()
        harness.send(.refreshNow)
        #expect(harness.rejections.count == 2)
        #expect(harness.refreshes.isEmpty)
    }

    @Test("while another process holds the lock 25 s and renews, its pair is adopted")
    func lockedElsewhere() {
        let harness = MachineHarness.signedIn { $0.accessLifetime = 900 }
        harness.vault.lockHeldElsewhere = 60
        harness.advanceToSoft()
        harness.siblingRenews()
        harness.advance(24)
        #expect(harness.generation == 1)
        harness.advance(2)
        #expect(harness.generation == 2)
        #expect(harness.state == .fresh)
        #expect(harness.has("adopted"))
        #expect(harness.refreshes.isEmpty)
    }

    @Test("while another process holds the lock 25 s and nothing comes of it, we try again later")
    func lockedForNothing() {
        let harness = MachineHarness.signedIn { $0.accessLifetime = 900 }
        harness.vault.lockHeldElsewhere = 60
        harness.advanceToSoft()
        harness.advance(26)
        #expect(harness.state.name == "retrying")
        #expect(harness.failures.last?.failure == RefreshFailure(.lockHeld))
        harness.vault.lockHeldElsewhere = nil
        harness.advance(until: { $0.state == .fresh })
        #expect(harness.generation == 2)
    }

    @Test("a lock that cannot be had says why, sends nothing, and is asked for again")
    func lockOutOfReach() {
        let harness = MachineHarness.signedIn()
        let problem = VaultProblem(.full, message: "cannot make the lock: no room")
        harness.vault.lockProblem = problem
        harness.advanceToSoft()
        harness.settle()
        #expect(harness.state.name == "retrying")
        #expect(harness.failures.map(\.failure.kind) == [.heldBack])
        #expect(harness.failures.last?.failure == RefreshFailure(.vault(problem)))
        #expect(harness.refreshes.isEmpty)
        harness.siblingRenews()
        harness.advance(until: { $0.state == .fresh })
        #expect(harness.has("adopted"))
        harness.vault.lockProblem = nil
        harness.advance(until: { $0.generation == 3 })
        #expect(harness.refreshes.count == 1)
    }

    @Test("a newer pair in the vault is adopted instead of spending the token twice")
    func adopts() {
        let harness = MachineHarness.signedIn()
        harness.advance(40)
        harness.siblingRenews()
        harness.advanceToSoft()
        harness.settle()
        #expect(harness.refreshes.isEmpty)
        #expect(harness.generation == 2)
        #expect(harness.has("adopted"))
        #expect(harness.vault.holder == nil)
    }

    @Test("a vault that cannot be read delays a renewal and ends nothing")
    func unreadable() {
        let harness = MachineHarness.signedIn()
        harness.vault.readProblem = VaultProblem(message: "locked")
        harness.advanceToSoft()
        harness.settle()
        #expect(harness.state.name == "retrying")
        harness.vault.readProblem = nil
        harness.advance(until: { $0.state == .fresh })
        #expect(harness.refreshes.count == 1)
    }

    @Test("a journal that another process's change superseded makes us look again, not stop")
    func journalSuperseded() {
        let harness = MachineHarness.signedIn()
        harness.vault.latency = 0.1
        harness.advanceToSoft()
        harness.advance(0.15)
        harness.siblingRenews()
        harness.advance(0.3)
        #expect(harness.generation == 2)
        #expect(harness.state == .fresh)
        #expect(harness.refreshes.isEmpty)
    }

    @Test("an outbox saved while a new pair is being stored does not put the old pair back")
    func outboxDuringRotation() {
        let harness = MachineHarness.signedIn()
        harness.backend.logoutFaults = [.status(503)]
        harness.send(.logOut(.this))
        harness.advance(until: { $0.revocationPhases == [.pending] })
        harness.send(.logIn)
        harness.advance(4.9)
        harness.send(.refreshNow)
        harness.settle()
        harness.vault.latency = 3
        // Its answer comes at 5.2 s, the end of the revocation at 5.3 s, its commit's at 8.2 s.
        harness.advance(0.5)
        #expect(harness.revocationPhases == [.pending, .done])
        #expect(harness.generation == 1)
        #expect(harness.storedPair?.generation == 2)
        harness.advance(20)
        #expect(harness.generation == 2)
        #expect(harness.storedPair?.generation == 2)
        #expect(harness.vault.record?.outbox.isEmpty == true)
    }

    @Test("the smoothed round trip follows what renewals take")
    func roundTrip() {
        let harness = MachineHarness.signedIn { $0.roundTrip = 2 }
        #expect(harness.machine.roundTrip == 1)
        harness.advanceToSoft()
        harness.advance(2)
        #expect(abs(harness.machine.roundTrip - 1.3) < 0.001)
    }
}
