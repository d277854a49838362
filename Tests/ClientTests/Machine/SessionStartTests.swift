import Basics
import Model
import Profiles
import Testing

@testable import Client

@Suite("ClientMachine: start")
struct SessionStartTests {
    @Test("cold, loaded(nil) → signedOut(never)")
    func nothingStored() {
        let harness = MachineHarness(configuration: .testing(logInAtStart: false))
        #expect(harness.state == .cold)
        harness.send(.start)
        harness.settle()
        #expect(harness.state == .signedOut(.never))
        #expect(harness.events.first?.kind.name == "capabilities")
        #expect(harness.logins == 0)
    }

    @Test("with nothing stored, a profile that logs in at start does so")
    func logsIn() {
        let harness = MachineHarness.signedIn()
        #expect(harness.path == ["cold", "signedOut", "signingIn", "fresh"])
        #expect(harness.logins == 1)
    }

    @Test("cold, loaded(rec) → fresh: the stored pair is used and nothing is sent")
    func fresh() {
        let harness = MachineHarness.signedIn().restarted(after: 10)
        #expect(harness.path == ["cold", "fresh"])
        #expect(harness.generation == 1)
        #expect(harness.logins == 0)
        harness.advance(30)
        #expect(harness.refreshes.isEmpty)
        harness.advanceToSoft()
        #expect(harness.refreshes.count == 1)
    }

    @Test("cold, loaded(rec) → renewing when the renewal is due")
    func renewing() {
        let harness = MachineHarness.signedIn().restarted(after: 50)
        #expect(harness.state == .renewing)
        harness.advance(0.3)
        #expect(harness.generation == 2)
    }

    @Test("cold, loaded(rec) → blocked when the access token is over: callers wait")
    func blocked() {
        let harness = MachineHarness.signedIn().restarted(after: 100)
        #expect(harness.state == .blocked)
        harness.request(1)
        #expect(harness.protectedSends.isEmpty)
        harness.advance(1)
        #expect(harness.finished[1] == [.accepted(status: 200)])
        #expect(harness.generation == 2)
    }

    @Test("cold, loaded(rec)[journal ≠ nil] → unknown: the same refresh token again, now")
    func journal() {
        let first = MachineHarness.signedIn { $0.grace = 30 }
        first.backend.refreshFaults = [.lostAnswer]
        first.advanceToSoft()
        let token = first.refreshToken
        #expect(first.vault.record?.journal?.sends == 1)
        let harness = first.restarted(after: 5)
        #expect(harness.path == ["cold", "unknown"])
        #expect(harness.has("journalRecovered"))
        #expect(harness.refreshes.map(\.token) == [token])
        // Whether it was sent, and the fate of the answer, is on no record.
        #expect(harness.started == [.unrecordedAnswer])
        harness.advance(1)
        #expect(harness.state == .fresh)
        #expect(harness.recovered == [.unrecorded])
        #expect(harness.vault.record?.journal == nil)
    }

    @Test("what follows a restart names no lost answer until one is lost")
    func restartedOutage() {
        let first = MachineHarness.signedIn { $0.grace = 3600 }
        first.backend.refreshFaults = [.undecodable]
        first.advanceToSoft()
        first.advance(0.3)
        #expect(first.state.name == "unknown")
        first.backend.refreshFaults = [.status(503), .lostAnswer]
        let harness = first.restarted(after: 0.1)
        harness.advance(until: { $0.state == .fresh })
        #expect(harness.started == [.unrecordedAnswer, .unrecordedAnswer, .lostAnswer])
        #expect(harness.recovered == [.lost])
    }

    @Test("a refusal of the token that a dead process had sent is a lost rotation")
    func journalRefused() {
        let first = MachineHarness.signedIn()
        first.backend.refreshFaults = [.lostAnswer]
        first.advanceToSoft()
        let harness = first.restarted(after: 2)
        harness.advance(1)
        #expect(harness.state == .draining(.lostRotation))
        harness.advanceToHard()
        #expect(harness.state == .signedOut(.lostRotation))
    }

    @Test("a send that another process has taken back says nothing of the refusal after it")
    func journalTakenBack() {
        let first = MachineHarness.signedIn()
        first.backend.refreshFaults = [.lostRequest]
        first.advanceToSoft()
        #expect(first.vault.record?.journal?.sends == 1)
        let harness = MachineHarness(configuration: .testing(), seed: 2)
        harness.backend = first.backend
        harness.vault = ScriptedVault(record: first.vault.record)
        harness.vault.lockHeldElsewhere = 5
        harness.sleep(first.now + 2)
        harness.send(.start)
        harness.settle()
        #expect(harness.path == ["cold", "unknown"])
        harness.vault.record?.journal = nil
        harness.backend.refreshFaults = [.refused]
        harness.advance(20)
        #expect(harness.refreshes.count == 1)
        #expect(harness.state == .signedOut(.revoked))
    }

    @Test("a journal is followed up even when the access token is over")
    func journalOfDeadToken() {
        let first = MachineHarness.signedIn { $0.grace = 3600 }
        first.backend.refreshFaults = [.lostAnswer]
        first.advanceToSoft()
        let harness = first.restarted(after: 300)
        #expect(harness.state.isLive)
        #expect(harness.refreshes.count == 1)
        harness.advance(1)
        #expect(harness.state == .fresh)
        #expect(harness.has("graceRecovered"))
    }

    @Test("a session that was ending when the program stopped ends as what it was")
    func drainingSurvives() {
        let first = MachineHarness.signedIn()
        first.backend.refreshFaults = [.refused]
        first.advanceToSoft()
        first.advance(1)
        #expect(first.state == .draining(.revoked))
        let harness = first.restarted(after: 1)
        #expect(harness.state == .draining(.revoked))
        #expect(harness.refreshes.isEmpty)
        harness.advanceToHard()
        #expect(harness.state == .signedOut(.revoked))
    }

    @Test("a session that had ended while the program was stopped is signed out, not draining")
    func endedMeanwhile() {
        let first = MachineHarness.signedIn()
        first.backend.refreshFaults = [.refused]
        first.advanceToSoft()
        first.advance(1)
        let harness = first.restarted(after: 100)
        harness.advance(1)
        #expect(harness.path.contains("draining") == false)
        #expect(harness.state == .signedOut(.revoked))
        #expect(harness.machine.held == nil)
    }

    @Test("cold, loadFailed → vaultUnavailable: read again after 1, 2, 5, 10, 10 s")
    func unreadable() {
        let harness = MachineHarness.signedIn()
        let record = harness.vault.record
        let next = MachineHarness()
        next.vault = ScriptedVault(record: record, readProblem: VaultProblem(message: "locked"))
        next.backend = harness.backend
        next.sleep(1)
        next.send(.start)
        next.settle()
        #expect(next.state == .vaultUnavailable(VaultProblem(message: "locked")))
        var waits: [Double] = []
        for _ in 0..<5 {
            guard let deadline = next.machine.nextDeadline else { break }
            waits.append(deadline.seconds(since: next.moment.now))
            next.advance(waits.last ?? 0)
        }
        #expect(waits == [1, 2, 5, 10, 10])
        #expect(next.vault.record == record)
        next.vault.readProblem = nil
        next.advance(10)
        #expect(next.state.isLive)
        #expect(next.generation == 1)
    }

    @Test("a user who unlocks the vault need not wait for the next try")
    func tryVault() {
        let harness = MachineHarness.signedIn().lockedRestart()
        harness.vault.readProblem = nil
        harness.send(.tryVault)
        harness.settle()
        #expect(harness.state == .fresh)
    }

    @Test("a user who made room for the vault need not wait for the next save")
    func saveNow() {
        let harness = MachineHarness.signedIn()
        harness.advanceToSoft()
        harness.vault.writeProblem = VaultProblem(message: "disk full")
        harness.advance(30)
        #expect(harness.storedPair?.generation == 1)
        harness.vault.writeProblem = nil
        harness.send(.tryVault)
        harness.settle()
        #expect(harness.has("saved"))
        #expect(harness.machine.flags.unsaved == nil)
    }

    @Test("two users who unlock the vault open one session")
    func unlockedTwice() {
        let harness = MachineHarness.signedIn().lockedRestart()
        harness.vault.readProblem = nil
        harness.vault.latency = 0.1
        harness.send(.tryVault)
        harness.send(.tryVault)
        harness.advance(1)
        #expect(harness.machine.loginCount == 1)
        #expect(harness.count("tokensIssued") == 1)
    }

    @Test("callers that wait for the vault fail with its problem")
    func waitersAtStart() {
        let unreadable = MachineHarness(configuration: .testing(logInAtStart: false))
        unreadable.vault.readProblem = VaultProblem(message: "corrupt")
        unreadable.send(.start)
        unreadable.needToken(1)
        unreadable.settle()
        let problem = VaultProblem(message: "corrupt")
        #expect(unreadable.resumed[1]?.first?.failure == .vaultUnavailable(problem))
        unreadable.needToken(2)
        #expect(unreadable.resumed[2]?.first?.failure == .vaultUnavailable(problem))

        let empty = MachineHarness(configuration: .testing(logInAtStart: false))
        empty.send(.start)
        empty.needToken(1)
        empty.settle()
        #expect(empty.resumed[1]?.first?.failure == .signedOut(.never))
    }

    @Test("what the last run still owed the backend is sent at start")
    func outboxAtStart() {
        let first = MachineHarness.signedIn()
        first.backend.logoutFaults = [.status(503)]
        first.send(.logOut(.this))
        first.advance(1)
        let harness = first.restarted(after: 1, configuration: .testing(logInAtStart: false))
        harness.advance(1)
        #expect(harness.backend.revoked.count == 1)
        #expect(harness.vault.record?.outbox.isEmpty == true)
    }
}
