import Dialects
import FoundationEssentials
import Lifecycle
import Testing
import Timekeeping
import Tokens

@Suite("ClientMachine: the flight")
struct SessionFlightTests {
    @Test("fresh, soft → renewing, OK → fresh(g+1)")
    func renews() {
        let scene = Scene.signedIn()
        scene.advanceToSoft()
        #expect(scene.state == .renewing)
        #expect(scene.has("refreshStarted"))
        scene.advance(0.3)
        #expect(scene.state == .fresh)
        #expect(scene.generation == 2)
        #expect(scene.refreshes.count == 1)
        #expect(scene.storedPair?.generation == 2)
        #expect(scene.feedOrders.count == 2)
        #expect(scene.vault.holder == nil)
    }

    @Test("a renewal begins between the latest and the earliest soft", arguments: 0..<20)
    func jitter(seed: UInt64) {
        let scene = Scene.signedIn(seed: seed)
        let soft = scene.machine.schedule?.soft.seconds(since: .origin) ?? 0
        #expect((46.8...48).contains(soft))
        scene.advance(until: { !$0.refreshes.isEmpty })
        #expect(scene.refreshes.first?.at == soft)
    }

    @Test("lock, read again, journal, send: each waits for the one before")
    func steps() {
        let scene = Scene.signedIn()
        scene.vault.latency = 0.1
        scene.advanceToSoft()
        #expect(scene.vault.holder != nil)
        scene.advance(0.15)
        #expect(scene.vault.record?.journal == nil)
        scene.advance(0.1)
        #expect(scene.vault.record?.journal?.generation == 1)
        #expect(scene.vault.record?.journal?.sends == 1)
        #expect(scene.refreshes.isEmpty)
        scene.advance(0.1)
        #expect(scene.refreshes.count == 1)
        scene.advance(1)
        #expect(scene.vault.record?.journal == nil)
        #expect(scene.generation == 2)
    }

    @Test("a new pair is committed before anyone hears of it")
    func commitFirst() {
        let scene = Scene.signedIn()
        scene.advanceToSoft()
        scene.vault.latency = 1
        scene.advance(0.5)
        #expect(scene.storedPair?.generation == 2)
        #expect(scene.generation == 1)
        #expect(scene.count("tokensIssued") == 1)
        scene.advance(1)
        #expect(scene.generation == 2)
    }

    @Test("without a durable journal nothing is sent")
    func journalFirst() {
        let scene = Scene.signedIn()
        scene.vault.writeProblem = VaultProblem(words: "disk full")
        scene.advanceToSoft()
        scene.advance(5)
        #expect(scene.refreshes.isEmpty)
        #expect(scene.state.name == "retrying")
        scene.vault.writeProblem = nil
        scene.advance(until: { $0.state == .fresh })
        #expect(scene.generation == 2)
    }

    @Test("flight, OK[epoch changed] → same: not committed, and the new token is revoked")
    func lateSuccess() {
        let scene = Scene.signedIn { $0.roundTrip = 5 }
        scene.advanceToSoft()
        scene.backend.roundTrip = 0.3
        scene.send(.logOut(.this))
        scene.settle()
        scene.advance(1)
        #expect(scene.state == .signedOut(.user))
        scene.advance(10)
        #expect(scene.state == .signedOut(.user))
        #expect(scene.machine.held == nil)
        #expect(scene.storedPair == nil)
        #expect(scene.count("tokensIssued") == 1)
        let revoked = scene.revocations.compactMap { $0.entry.refresh?.secret.reveal() }
        #expect(revoked == ["REFRESH-secret-of-1-1", "REFRESH-secret-of-1-2"])
        #expect(scene.vault.record?.outbox.isEmpty == true)
    }

    @Test("what a late success still has to revoke survives the program's end")
    func lateSuccessIsKept() {
        let scene = Scene.signedIn { $0.roundTrip = 5 }
        scene.advanceToSoft()
        scene.backend.roundTrip = 0.3
        scene.send(.logOut(.this))
        scene.advance(1)
        scene.backend.logoutFaults = [.notSent]
        scene.advance(5)
        #expect(scene.vault.record?.outbox.count == 1)
        let next = scene.restarted(traits: .testing(logInAtStart: false))
        next.advance(1)
        #expect(next.backend.revoked.last == "REFRESH-secret-of-1-2")
    }

    @Test("flight, OK, save failed → fresh(g+1) + unsaved: saved later, no rotation before that")
    func unsaved() {
        let scene = Scene.signedIn()
        scene.advanceToSoft()
        scene.vault.writeProblem = VaultProblem(words: "disk full")
        scene.advance(0.3)
        #expect(scene.state == .fresh)
        #expect(scene.generation == 2)
        #expect(scene.has("unsaved"))
        scene.advance(70)
        #expect(scene.refreshes.count == 1)
        #expect(scene.storedPair?.generation == 1)
        scene.vault.writeProblem = nil
        scene.advance(11)
        #expect(scene.has("saved"))
        #expect(scene.machine.flags.unsaved == nil)
        #expect(scene.state == .fresh)
        #expect(scene.generation == 3)
        #expect(scene.storedPair?.generation == 3)
    }

    @Test("an unsaved pair whose access token is over does not pretend to be fresh")
    func unsavedAndDead() {
        let scene = Scene.signedIn()
        scene.advanceToSoft()
        scene.vault.writeProblem = VaultProblem(words: "disk full")
        scene.advance(70)
        #expect(scene.state.name == "offline")
        scene.vault.writeProblem = nil
        scene.needToken(1)
        scene.advance(11)
        #expect(scene.state == .fresh)
    }

    @Test("a refused request is renewed for as soon as the pair before it is saved")
    func unsavedAndRefused() {
        let scene = Scene.signedIn()
        scene.advanceToSoft()
        scene.vault.writeProblem = VaultProblem(words: "disk full")
        scene.advance(10)
        scene.backend.endAccessTokens()
        scene.request(1, patience: 60)
        scene.advance(0.5)
        #expect(scene.refreshes.count == 1)
        scene.vault.writeProblem = nil
        scene.advance(11)
        #expect(scene.finished[1] == [.accepted(status: 200)])
        #expect(scene.generation == 3)
    }

    @Test("an answer without a refresh token keeps the old one", arguments: [true, false])
    func newOrOld(isSilent: Bool) {
        let scene = Scene.signedIn { $0.habit = isSilent ? .keepsSilently : .keeps }
        let token = scene.refreshToken
        scene.advanceToSoft()
        scene.advance(0.3)
        #expect(scene.generation == 2)
        #expect(scene.refreshToken == token)
        #expect(scene.storedPair?.tokens.refresh == token)
        let rotated = scene.events.compactMap { event -> Bool? in
            if case .refreshSucceeded(_, _, _, let rotated) = event.kind { rotated } else { nil }
        }
        #expect(rotated == [false])
    }

    @Test("a person's renewal starts at once, and joins one under way")
    func person() {
        let scene = Scene.signedIn()
        scene.advance(10)
        scene.send(.refreshNow)
        scene.send(.refreshNow)
        scene.advance(0.3)
        #expect(scene.refreshes.count == 1)
        #expect(scene.refreshes.first?.cause == .person)
        #expect(scene.generation == 2)
    }

    @Test("without a session there is nothing to renew")
    func nothingToRenew() {
        let scene = Scene(traits: .testing(logInAtStart: false))
        scene.send(.refreshNow)
        scene.send(.start)
        scene.settle()
        scene.send(.refreshNow)
        #expect(scene.refusedActs.count == 2)
        #expect(scene.refreshes.isEmpty)
    }

    @Test("while another process holds the lock 25 s and renews, its pair is adopted")
    func lockedElsewhere() {
        let scene = Scene.signedIn { $0.accessLifetime = 900 }
        scene.vault.lockHeldElsewhere = 60
        scene.advanceToSoft()
        scene.siblingRenews()
        scene.advance(24)
        #expect(scene.generation == 1)
        scene.advance(2)
        #expect(scene.generation == 2)
        #expect(scene.state == .fresh)
        #expect(scene.has("adopted"))
        #expect(scene.refreshes.isEmpty)
    }

    @Test("while another process holds the lock 25 s and nothing comes of it, we try again later")
    func lockedForNothing() {
        let scene = Scene.signedIn { $0.accessLifetime = 900 }
        scene.vault.lockHeldElsewhere = 60
        scene.advanceToSoft()
        scene.advance(26)
        #expect(scene.state.name == "retrying")
        #expect(scene.failures.last?.failure.kind == .transient)
        scene.vault.lockHeldElsewhere = nil
        scene.advance(until: { $0.state == .fresh })
        #expect(scene.generation == 2)
    }

    @Test("a lock that cannot be had says why, sends nothing, and is asked for again")
    func lockOutOfReach() {
        let scene = Scene.signedIn()
        scene.vault.lockProblem = VaultProblem(words: "cannot make the lock: no room")
        scene.advanceToSoft()
        scene.settle()
        #expect(scene.state.name == "retrying")
        #expect(scene.failures.map(\.failure.kind) == [.transient])
        #expect(scene.failures.last?.failure.words == "cannot make the lock: no room")
        #expect(scene.refreshes.isEmpty)
        scene.siblingRenews()
        scene.advance(until: { $0.state == .fresh })
        #expect(scene.has("adopted"))
        scene.vault.lockProblem = nil
        scene.advance(until: { $0.generation == 3 })
        #expect(scene.refreshes.count == 1)
    }

    @Test("a newer pair in the vault is adopted instead of spending the token twice")
    func adopts() {
        let scene = Scene.signedIn()
        scene.advance(40)
        scene.siblingRenews()
        scene.advanceToSoft()
        scene.settle()
        #expect(scene.refreshes.isEmpty)
        #expect(scene.generation == 2)
        #expect(scene.has("adopted"))
        #expect(scene.vault.holder == nil)
    }

    @Test("a vault that cannot be read delays a renewal and ends nothing")
    func unreadable() {
        let scene = Scene.signedIn()
        scene.vault.readProblem = VaultProblem(words: "locked")
        scene.advanceToSoft()
        scene.settle()
        #expect(scene.state.name == "retrying")
        scene.vault.readProblem = nil
        scene.advance(until: { $0.state == .fresh })
        #expect(scene.refreshes.count == 1)
    }

    @Test("a journal that another process's change superseded makes us look again, not stop")
    func journalSuperseded() {
        let scene = Scene.signedIn()
        scene.vault.latency = 0.1
        scene.advanceToSoft()
        scene.advance(0.15)
        scene.siblingRenews()
        scene.advance(0.3)
        #expect(scene.generation == 2)
        #expect(scene.state == .fresh)
        #expect(scene.refreshes.isEmpty)
    }

    @Test("an outbox saved while a new pair is being stored does not put the old pair back")
    func outboxDuringRotation() {
        let scene = Scene.signedIn()
        scene.backend.logoutFaults = [.status(503)]
        scene.send(.logOut(.this))
        scene.advance(until: { $0.revocationPhases == [.pending] })
        scene.send(.logIn)
        scene.advance(4.9)
        scene.send(.refreshNow)
        scene.settle()
        scene.vault.latency = 3
        // Its answer comes at 5.2 s, the end of the revocation at 5.3 s, its commit's at 8.2 s.
        scene.advance(0.5)
        #expect(scene.revocationPhases == [.pending, .done])
        #expect(scene.generation == 1)
        #expect(scene.storedPair?.generation == 2)
        scene.advance(20)
        #expect(scene.generation == 2)
        #expect(scene.storedPair?.generation == 2)
        #expect(scene.vault.record?.outbox.isEmpty == true)
    }

    @Test("the smoothed round trip follows what renewals take")
    func roundTrip() {
        let scene = Scene.signedIn { $0.roundTrip = 2 }
        #expect(scene.machine.roundTrip == 1)
        scene.advanceToSoft()
        scene.advance(2)
        #expect(abs(scene.machine.roundTrip - 1.3) < 0.001)
    }
}
