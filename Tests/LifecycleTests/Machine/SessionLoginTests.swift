import Dialects
import Lifecycle
import Testing
import Timekeeping
import Tokens

@Suite("ClientMachine: login")
struct SessionLoginTests {
    private static func signedOut() -> Scene {
        let scene = Scene(traits: .testing(logInAtStart: false))
        scene.send(.start)
        scene.settle()
        return scene
    }

    @Test("signedOut, login → signingIn: the epoch is a new one")
    func signingIn() {
        let scene = Self.signedOut()
        let epoch = scene.machine.epoch
        scene.send(.logIn)
        #expect(scene.state == .signingIn)
        #expect(scene.machine.epoch == epoch + 1)
        #expect(scene.has("loginStarted"))
    }

    @Test("signingIn, loginOK → fresh(1): a new family, committed, published, and the feed told")
    func loginOK() throws {
        let scene = Self.signedOut()
        scene.send(.logIn)
        scene.advance(0.3)
        #expect(scene.state == .fresh)
        #expect(scene.generation == 1)
        #expect(scene.machine.session == 1)
        let held = try #require(scene.machine.held)
        #expect(scene.storedPair?.tokens == held.tokens)
        #expect(scene.vault.record?.family == held.family)
        #expect(
            scene.feedOrders == [.token(generation: 1, usableUntil: scene.machine.schedule?.hard)]
        )
    }

    @Test("a login is committed before anyone hears of its tokens")
    func commitFirst() {
        let scene = Self.signedOut()
        scene.send(.logIn)
        scene.settle()
        scene.vault.latency = 1
        scene.advance(0.3)
        #expect(scene.storedPair != nil)
        #expect(scene.state == .signingIn)
        #expect(!scene.has("tokensIssued"))
        scene.advance(1)
        #expect(scene.state == .fresh)
    }

    @Test(
        "signingIn, loginRejected → signedOut(previous)",
        arguments: [
            (ScriptedBackend.Fault.refused, RefreshFailure.Class.refused),
            (.status(503), .transient), (.clientFault(404), .clientFault),
            (.undecodable, .unknown), (.notSent, .notSent), (.lostRequest, .unknown),
        ]
    )
    func rejected(fault: ScriptedBackend.Fault, kind: RefreshFailure.Class) {
        let scene = Self.signedOut()
        scene.backend.loginFaults = [fault]
        scene.send(.logIn)
        scene.needToken(1)
        scene.advance(0.3)
        #expect(scene.state == .signedOut(.never))
        #expect(scene.resumed[1]?.first?.failure == .signedOut(.never))
        let failures = scene.events.compactMap { event -> RefreshFailure.Class? in
            if case .loginFailed(let failure) = event.kind { failure.kind } else { nil }
        }
        #expect(failures == [kind])
        scene.send(.logIn)
        scene.advance(0.3)
        #expect(scene.state == .fresh)
    }

    @Test("callers who come while a person signs in wait for the end of it")
    func callersWait() {
        let scene = Self.signedOut()
        scene.send(.logIn)
        scene.needToken(1)
        scene.request(2)
        #expect(scene.resumed[1] == nil)
        scene.advance(1)
        #expect(scene.resumed[1]?.first?.generation == 1)
        #expect(scene.finished[2] == [.accepted(status: 200)])
    }

    @Test("a second login during the first changes nothing")
    func loginTwice() {
        let scene = Self.signedOut()
        scene.send(.logIn)
        scene.send(.logIn)
        scene.advance(1)
        #expect(scene.logins == 1)
        #expect(scene.machine.session == 1)
    }

    @Test("who is signed in must log out first")
    func signedInAlready() {
        let scene = Scene.signedIn()
        scene.send(.logIn)
        #expect(scene.state == .fresh)
        #expect(scene.refusedActs.count == 1)
        #expect(scene.logins == 1)
    }

    @Test("a login from draining opens a new session, and the feed starts over")
    func fromDraining() {
        let scene = Scene.signedIn()
        scene.backend.refreshFaults = [.refused]
        scene.advanceToSoft()
        scene.advance(1)
        let family = scene.machine.held?.family
        scene.send(.logIn)
        scene.advance(1)
        #expect(scene.state == .fresh)
        #expect(scene.machine.session == 2)
        #expect(scene.generation == 1)
        #expect(scene.machine.held?.family != family)
        #expect(Array(scene.feedOrders.suffix(2).prefix(1)) == [.ended])
    }

    @Test("a login from draining that fails leaves the rest of the session as it was")
    func failsInDraining() {
        let scene = Scene.signedIn()
        scene.backend.refreshFaults = [.refused]
        scene.backend.loginFaults = [.status(503)]
        scene.advanceToSoft()
        scene.advance(1)
        scene.send(.logIn)
        scene.request(1)
        scene.advance(1)
        #expect(scene.state == .draining(.revoked))
        #expect(scene.finished[1] == [.accepted(status: 200)])
        scene.advanceToHard()
        #expect(scene.state == .signedOut(.revoked))
        #expect(scene.storedPair == nil)
    }

    @Test("a login from offline that fails leaves the session able to renew")
    func failsOffline() {
        let scene = Scene.signedIn()
        scene.backend.isUnreachable = true
        scene.advance(90)
        #expect(scene.state.name == "offline")
        scene.advance(until: { $0.outlook?.nextAt != nil && $0.isIdle })
        scene.send(.logIn)
        scene.advance(1)
        scene.backend.isUnreachable = false
        scene.advance(until: { $0.state == .fresh })
        #expect(scene.generation == 2)
        #expect(scene.machine.session == 1)
    }

    @Test("a login while a renewal is under way waits for nobody and is refused")
    func duringFlight() {
        let scene = Scene.signedIn()
        scene.backend.isUnreachable = true
        scene.advance(90)
        scene.backend.isUnreachable = false
        scene.backend.roundTrip = 10
        scene.advance(until: { !$0.refreshes.isEmpty && $0.refreshes.last?.at == $0.now })
        scene.send(.logIn)
        #expect(scene.refusedActs.count == 1)
        scene.advance(10)
        #expect(scene.state == .fresh)
        #expect(scene.generation == 2)
    }

    @Test("a login after an outage ends the old family: its refresh token is revoked")
    func replacesOffline() throws {
        let scene = Scene.signedIn()
        scene.backend.isUnreachable = true
        scene.advance(90)
        scene.advance(until: { $0.outlook?.nextAt != nil && $0.isIdle })
        let old = try #require(scene.refreshToken)
        scene.backend.isUnreachable = false
        scene.send(.logIn)
        scene.advance(1)
        #expect(scene.machine.session == 2)
        #expect(scene.revocations.map(\.entry.refresh) == [old])
        #expect(scene.vault.record?.outbox.isEmpty == true)
    }

    @Test("any, login of another subject → signedOut(replaced) of the old family")
    func anotherSubject() {
        let scene = Scene.signedIn()
        scene.backend.refreshFaults = [.refused]
        scene.advanceToSoft()
        scene.advance(1)
        scene.backend.subject = "u2"
        scene.send(.logIn)
        scene.advance(1)
        #expect(scene.signedOutReasons == [.replaced])
        #expect(scene.state == .fresh)
        #expect(scene.machine.held?.subject == "u2")
    }

    @Test("a logout during a login ends it: what it brings later is revoked")
    func logoutDuringLogin() {
        let scene = Self.signedOut()
        scene.backend.roundTrip = 5
        scene.send(.logIn)
        scene.advance(1)
        scene.send(.logOut(.this))
        scene.settle()
        #expect(scene.state == .signedOut(.user))
        scene.advance(10)
        #expect(scene.state == .signedOut(.user))
        #expect(scene.storedPair == nil)
        #expect(!scene.has("tokensIssued"))
        #expect(scene.revocations.count == 1)
        #expect(scene.vault.record?.outbox.isEmpty == true)
    }

    @Test("a logout while the login is being stored erases what was stored")
    func logoutDuringCommit() {
        let scene = Self.signedOut()
        scene.send(.logIn)
        scene.settle()
        scene.vault.latency = 1
        scene.advance(0.5)
        #expect(scene.storedPair != nil)
        scene.send(.logOut(.this))
        scene.advance(20)
        #expect(scene.state == .signedOut(.user))
        #expect(scene.storedPair == nil)
        #expect(scene.revocations.count == 1)
    }

    @Test("a login that could not be saved is used all the same, and saved later")
    func unsaved() {
        let scene = Self.signedOut()
        scene.send(.logIn)
        scene.settle()
        scene.vault.writeProblem = VaultProblem(words: "disk full")
        scene.advance(0.3)
        #expect(scene.state == .fresh)
        #expect(scene.machine.flags.unsaved == VaultProblem(words: "disk full"))
        scene.request(1)
        scene.advance(0.3)
        #expect(scene.finished[1] == [.accepted(status: 200)])
        scene.vault.writeProblem = nil
        scene.advance(20)
        #expect(scene.state == .fresh)
        #expect(scene.has("saved"))
        #expect(scene.machine.flags.unsaved == nil)
        #expect(scene.storedPair?.generation == 1)
    }

    @Test("a login that could not be saved is not taken for a deleted session")
    func unsavedAndChanged() {
        let scene = Self.signedOut()
        scene.send(.logIn)
        scene.settle()
        scene.vault.writeProblem = VaultProblem(words: "disk full")
        scene.advance(0.3)
        scene.send(.vaultChanged)
        scene.settle()
        #expect(scene.state == .fresh)
    }
}
