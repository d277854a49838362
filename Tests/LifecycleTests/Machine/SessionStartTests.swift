import Dialects
import Lifecycle
import Testing
import Timekeeping
import Tokens

@Suite("ClientMachine: start")
struct SessionStartTests {
    @Test("cold, loaded(nil) → signedOut(never)")
    func nothingStored() {
        let scene = Scene(traits: .testing(logInAtStart: false))
        #expect(scene.state == .cold)
        scene.send(.start)
        scene.settle()
        #expect(scene.state == .signedOut(.never))
        #expect(scene.events.first?.kind.name == "capabilities")
        #expect(scene.logins == 0)
    }

    @Test("with nothing stored, a profile that logs in by itself does")
    func logsIn() {
        let scene = Scene.signedIn()
        #expect(scene.path == ["cold", "signedOut", "signingIn", "fresh"])
        #expect(scene.logins == 1)
    }

    @Test("cold, loaded(rec) → fresh: the stored pair is used and nothing is sent")
    func fresh() {
        let scene = Scene.signedIn().restarted(after: 10)
        #expect(scene.path == ["cold", "fresh"])
        #expect(scene.generation == 1)
        #expect(scene.logins == 0)
        scene.advance(30)
        #expect(scene.refreshes.isEmpty)
        scene.advanceToSoft()
        #expect(scene.refreshes.count == 1)
    }

    @Test("cold, loaded(rec) → renewing when the renewal is due")
    func renewing() {
        let scene = Scene.signedIn().restarted(after: 50)
        #expect(scene.state == .renewing)
        scene.advance(0.3)
        #expect(scene.generation == 2)
    }

    @Test("cold, loaded(rec) → blocked when the access token is over: callers wait")
    func blocked() {
        let scene = Scene.signedIn().restarted(after: 100)
        #expect(scene.state == .blocked)
        scene.request(1)
        #expect(scene.protectedSends.isEmpty)
        scene.advance(1)
        #expect(scene.finished[1] == [.accepted(status: 200)])
        #expect(scene.generation == 2)
    }

    @Test("cold, loaded(rec)[journal ≠ nil] → unknown: the same refresh token again, now")
    func journal() {
        let first = Scene.signedIn { $0.grace = 30 }
        first.backend.refreshFaults = [.lostAnswer]
        first.advanceToSoft()
        let token = first.refreshToken
        #expect(first.vault.record?.journal?.sends == 1)
        let scene = first.restarted(after: 5)
        #expect(scene.path == ["cold", "unknown"])
        #expect(scene.has("journalRecovered"))
        #expect(scene.refreshes.map(\.token) == [token])
        scene.advance(1)
        #expect(scene.state == .fresh)
        #expect(scene.has("graceRecovered"))
        #expect(scene.vault.record?.journal == nil)
    }

    @Test("a refusal of the token that a dead process had sent is a lost rotation")
    func journalRefused() {
        let first = Scene.signedIn()
        first.backend.refreshFaults = [.lostAnswer]
        first.advanceToSoft()
        let scene = first.restarted(after: 2)
        scene.advance(1)
        #expect(scene.state == .draining(.lostRotation))
        scene.advanceToHard()
        #expect(scene.state == .signedOut(.lostRotation))
    }

    @Test("a journal is followed up even when the access token is over")
    func journalOfDeadToken() {
        let first = Scene.signedIn { $0.grace = 3600 }
        first.backend.refreshFaults = [.lostAnswer]
        first.advanceToSoft()
        let scene = first.restarted(after: 300)
        #expect(scene.state.isLive)
        #expect(scene.refreshes.count == 1)
        scene.advance(1)
        #expect(scene.state == .fresh)
        #expect(scene.has("graceRecovered"))
    }

    @Test("a session that was ending when the program stopped ends as what it was")
    func drainingSurvives() {
        let first = Scene.signedIn()
        first.backend.refreshFaults = [.refused]
        first.advanceToSoft()
        first.advance(1)
        #expect(first.state == .draining(.revoked))
        let scene = first.restarted(after: 1)
        #expect(scene.state == .draining(.revoked))
        #expect(scene.refreshes.isEmpty)
        scene.advanceToHard()
        #expect(scene.state == .signedOut(.revoked))
    }

    @Test("a session that had ended while the program was stopped is signed out, not draining")
    func endedMeanwhile() {
        let first = Scene.signedIn()
        first.backend.refreshFaults = [.refused]
        first.advanceToSoft()
        first.advance(1)
        let scene = first.restarted(after: 100)
        scene.advance(1)
        #expect(scene.path.contains("draining") == false)
        #expect(scene.state == .signedOut(.revoked))
        #expect(scene.machine.held == nil)
    }

    @Test("cold, loadFailed → vaultUnavailable: read again after 1, 2, 5, 10, 10 s")
    func unreadable() {
        let scene = Scene.signedIn()
        let record = scene.vault.record
        let next = Scene()
        next.vault = ScriptedVault(record: record, readProblem: VaultProblem(words: "locked"))
        next.backend = scene.backend
        next.sleep(1)
        next.send(.start)
        next.settle()
        #expect(next.state == .vaultUnavailable(VaultProblem(words: "locked")))
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

    @Test("a person who unlocks the vault need not wait for the next try")
    func unlock() {
        let scene = Scene.signedIn().lockedRestart()
        scene.vault.readProblem = nil
        scene.send(.unlock)
        scene.settle()
        #expect(scene.state == .fresh)
    }

    @Test("a person who made room for the vault need not wait for the next save")
    func saveNow() {
        let scene = Scene.signedIn()
        scene.advanceToSoft()
        scene.vault.writeProblem = VaultProblem(words: "disk full")
        scene.advance(30)
        #expect(scene.storedPair?.generation == 1)
        scene.vault.writeProblem = nil
        scene.send(.unlock)
        scene.settle()
        #expect(scene.has("saved"))
        #expect(scene.machine.flags.unsaved == nil)
    }

    @Test("two people who unlock the vault open one session")
    func unlockedTwice() {
        let scene = Scene.signedIn().lockedRestart()
        scene.vault.readProblem = nil
        scene.vault.latency = 0.1
        scene.send(.unlock)
        scene.send(.unlock)
        scene.advance(1)
        #expect(scene.machine.session == 1)
        #expect(scene.count("tokensIssued") == 1)
    }

    @Test("callers who wait for the vault are told why it was in vain")
    func waitersAtStart() {
        let unreadable = Scene(traits: .testing(logInAtStart: false))
        unreadable.vault.readProblem = VaultProblem(words: "corrupt")
        unreadable.send(.start)
        unreadable.needToken(1)
        unreadable.settle()
        let problem = VaultProblem(words: "corrupt")
        #expect(unreadable.resumed[1]?.first?.failure == .vaultUnavailable(problem))
        unreadable.needToken(2)
        #expect(unreadable.resumed[2]?.first?.failure == .vaultUnavailable(problem))

        let empty = Scene(traits: .testing(logInAtStart: false))
        empty.send(.start)
        empty.needToken(1)
        empty.settle()
        #expect(empty.resumed[1]?.first?.failure == .signedOut(.never))
    }

    @Test("what the last run still owed the backend is sent at start")
    func outboxAtStart() {
        let first = Scene.signedIn()
        first.backend.logoutFaults = [.status(503)]
        first.send(.logOut(.this))
        first.advance(1)
        let scene = first.restarted(after: 1, traits: .testing(logInAtStart: false))
        scene.advance(1)
        #expect(scene.backend.revoked.count == 1)
        #expect(scene.vault.record?.outbox.isEmpty == true)
    }
}
