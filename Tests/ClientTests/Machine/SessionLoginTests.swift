import Basics
import Model
import Profiles
import Testing

@testable import Client

@Suite("ClientMachine: login")
struct SessionLoginTests {
    @Test("signedOut, login → signingIn: the epoch is a new one")
    func signingIn() {
        let harness = MachineHarness.signedOut()
        let epoch = harness.machine.epoch
        harness.send(.logIn)
        #expect(harness.state == .signingIn)
        #expect(harness.machine.epoch == epoch + 1)
        #expect(harness.has("loginStarted"))
    }

    @Test(
        "signingIn, loginOK → fresh(1): a new family, committed, published, and passed to the feed"
    )
    func loginOK() throws {
        let harness = MachineHarness.signedOut()
        harness.send(.logIn)
        harness.advance(0.3)
        #expect(harness.state == .fresh)
        #expect(harness.generation == 1)
        #expect(harness.machine.loginCount == 1)
        let held = try #require(harness.machine.held)
        #expect(harness.storedPair?.tokens == held.tokens)
        #expect(harness.vault.record?.family == held.family)
        #expect(
            harness.feedOrders == [
                .token(generation: 1, usableUntil: harness.machine.schedule?.usableUntil)
            ]
        )
    }

    @Test("a login is committed before its tokens are published")
    func commitFirst() {
        let harness = MachineHarness.signedOut()
        harness.send(.logIn)
        harness.settle()
        harness.vault.latency = 1
        harness.advance(0.3)
        #expect(harness.storedPair != nil)
        #expect(harness.state == .signingIn)
        #expect(!harness.has("tokensIssued"))
        harness.advance(1)
        #expect(harness.state == .fresh)
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
        let harness = MachineHarness.signedOut()
        harness.backend.loginFaults = [fault]
        harness.send(.logIn)
        harness.needToken(1)
        harness.advance(0.3)
        #expect(harness.state == .signedOut(.never))
        #expect(harness.resumed[1]?.first?.failure == .signedOut(.never))
        let failures = harness.events.compactMap { event -> RefreshFailure.Class? in
            if let failure = (event.kind as? LoginFailed)?.failure { failure.kind } else { nil }
        }
        #expect(failures == [kind])
        harness.send(.logIn)
        harness.advance(0.3)
        #expect(harness.state == .fresh)
    }

    @Test("callers during a user's sign-in wait for its end")
    func callersWait() {
        let harness = MachineHarness.signedOut()
        harness.send(.logIn)
        harness.needToken(1)
        harness.request(2)
        #expect(harness.resumed[1] == nil)
        harness.advance(1)
        #expect(harness.resumed[1]?.first?.generation == 1)
        #expect(harness.finished[2] == [.accepted(status: 200)])
    }

    @Test("a second login during the first changes nothing")
    func loginTwice() {
        let harness = MachineHarness.signedOut()
        harness.send(.logIn)
        harness.send(.logIn)
        harness.advance(1)
        #expect(harness.logins == 1)
        #expect(harness.machine.loginCount == 1)
    }

    @Test("who is signed in must log out first")
    func signedInAlready() {
        let harness = MachineHarness.signedIn()
        harness.send(.logIn)
        #expect(harness.state == .fresh)
        #expect(harness.rejections.count == 1)
        #expect(harness.logins == 1)
    }

    /// A session that is alive, which a login may replace.
    private static func replaceable() -> MachineHarness {
        var configuration = SessionConfiguration.testing()
        configuration.loginReplaces = true
        return MachineHarness.signedIn(configuration: configuration)
    }

    @Test("a login that the user wants nevertheless takes the place of the session")
    func replaced() {
        let harness = Self.replaceable()
        let family = harness.machine.held?.family
        harness.send(.logIn)
        harness.advance(1)
        #expect(harness.state == .fresh)
        #expect(harness.logins == 2 && harness.rejections.isEmpty)
        #expect(harness.machine.held?.family != family)
        #expect(harness.vault.record?.family == harness.machine.held?.family)
    }

    @Test("if that login is refused, the session is as it was")
    func notReplaced() throws {
        let harness = Self.replaceable()
        let held = try #require(harness.machine.held)
        harness.backend.loginFaults = [.refused]
        harness.send(.logIn)
        harness.advance(1)
        #expect(harness.state == .fresh)
        #expect(harness.machine.held?.family == held.family)
        #expect(harness.vault.record?.family == held.family)
        harness.advanceToSoft()
        harness.advance(1)
        #expect(harness.generation == 2)
    }

    @Test("a login from draining opens a new session, and the feed starts over")
    func fromDraining() {
        let harness = MachineHarness.signedIn()
        harness.backend.refreshFaults = [.refused]
        harness.advanceToSoft()
        harness.advance(1)
        let family = harness.machine.held?.family
        harness.send(.logIn)
        harness.advance(1)
        #expect(harness.state == .fresh)
        #expect(harness.machine.loginCount == 2)
        #expect(harness.generation == 1)
        #expect(harness.machine.held?.family != family)
        #expect(Array(harness.feedOrders.suffix(2).prefix(1)) == [.ended])
    }

    @Test("a login from draining that fails leaves the rest of the session as it was")
    func failsInDraining() {
        let harness = MachineHarness.signedIn()
        harness.backend.refreshFaults = [.refused]
        harness.backend.loginFaults = [.status(503)]
        harness.advanceToSoft()
        harness.advance(1)
        harness.send(.logIn)
        harness.request(1)
        harness.advance(1)
        #expect(harness.state == .draining(.revoked))
        #expect(harness.finished[1] == [.accepted(status: 200)])
        harness.advanceToHard()
        #expect(harness.state == .signedOut(.revoked))
        #expect(harness.storedPair == nil)
    }

    @Test("a login with an expired token that fails leaves the session able to renew")
    func failsExpired() {
        let harness = MachineHarness.signedIn()
        harness.backend.isUnreachable = true
        harness.advance(90)
        #expect(harness.state.name == "expired")
        harness.advance(until: { $0.outlook?.nextAt != nil && $0.isIdle })
        harness.send(.logIn)
        harness.advance(1)
        harness.backend.isUnreachable = false
        harness.advance(until: { $0.state == .fresh })
        #expect(harness.generation == 2)
        #expect(harness.machine.loginCount == 1)
    }

    @Test("a login during a renewal is rejected at once")
    func duringFlight() {
        let harness = MachineHarness.signedIn()
        harness.backend.isUnreachable = true
        harness.advance(90)
        harness.backend.isUnreachable = false
        harness.backend.roundTrip = 10
        harness.advance(until: { !$0.refreshes.isEmpty && $0.refreshes.last?.at == $0.now })
        harness.send(.logIn)
        #expect(harness.rejections.count == 1)
        harness.advance(10)
        #expect(harness.state == .fresh)
        #expect(harness.generation == 2)
    }

    @Test("a login after an outage ends the old family: its refresh token is revoked")
    func replacesExpired() throws {
        let harness = MachineHarness.signedIn()
        harness.backend.isUnreachable = true
        harness.advance(90)
        harness.advance(until: { $0.outlook?.nextAt != nil && $0.isIdle })
        let old = try #require(harness.refreshToken)
        harness.backend.isUnreachable = false
        harness.send(.logIn)
        harness.advance(1)
        #expect(harness.machine.loginCount == 2)
        #expect(harness.revocations.map(\.entry.refresh) == [old])
        #expect(harness.vault.record?.outbox.isEmpty == true)
    }

    @Test("any, login of another subject → signedOut(replaced) of the old family")
    func anotherSubject() {
        let harness = MachineHarness.signedIn()
        harness.backend.refreshFaults = [.refused]
        harness.advanceToSoft()
        harness.advance(1)
        harness.backend.subject = "u2"
        harness.send(.logIn)
        harness.advance(1)
        #expect(harness.signedOutReasons == [.replaced])
        #expect(harness.state == .fresh)
        #expect(harness.machine.held?.subject == "u2")
    }

    @Test("a logout during a login ends it: what it brings later is revoked")
    func logoutDuringLogin() {
        let harness = MachineHarness.signedOut()
        harness.backend.roundTrip = 5
        harness.send(.logIn)
        harness.advance(1)
        harness.send(.logOut(.this))
        harness.settle()
        #expect(harness.state == .signedOut(.user))
        harness.advance(10)
        #expect(harness.state == .signedOut(.user))
        #expect(harness.storedPair == nil)
        #expect(!harness.has("tokensIssued"))
        #expect(harness.revocations.count == 1)
        #expect(harness.vault.record?.outbox.isEmpty == true)
    }

    @Test("a logout while the login is being stored erases what was stored")
    func logoutDuringCommit() {
        let harness = MachineHarness.signedOut()
        harness.send(.logIn)
        harness.settle()
        harness.vault.latency = 1
        harness.advance(0.5)
        #expect(harness.storedPair != nil)
        harness.send(.logOut(.this))
        harness.advance(20)
        #expect(harness.state == .signedOut(.user))
        #expect(harness.storedPair == nil)
        #expect(harness.revocations.count == 1)
    }

    @Test("a login that could not be saved is used, and saved later")
    func unsaved() {
        let harness = MachineHarness.signedOut()
        harness.send(.logIn)
        harness.settle()
        harness.vault.writeProblem = VaultProblem(message: "disk full")
        harness.advance(0.3)
        #expect(harness.state == .fresh)
        #expect(harness.machine.flags.unsaved == VaultProblem(message: "disk full"))
        harness.request(1)
        harness.advance(0.3)
        #expect(harness.finished[1] == [.accepted(status: 200)])
        harness.vault.writeProblem = nil
        harness.advance(20)
        #expect(harness.state == .fresh)
        #expect(harness.has("saved"))
        #expect(harness.machine.flags.unsaved == nil)
        #expect(harness.storedPair?.generation == 1)
    }

    @Test("a login that could not be saved is not taken for a deleted session")
    func unsavedAndChanged() {
        let harness = MachineHarness.signedOut()
        harness.send(.logIn)
        harness.settle()
        harness.vault.writeProblem = VaultProblem(message: "disk full")
        harness.advance(0.3)
        harness.send(.vaultChanged)
        harness.settle()
        #expect(harness.state == .fresh)
    }
}
