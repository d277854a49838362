import Basics
import Model
import Profiles
import Testing

@testable import Client

@Suite("ClientMachine: actions with a result")
struct SessionActionTests {
    private static let disk = VaultProblem(.full, message: "no space left on the device")

    // MARK: - Login

    @Test("a login is answered with its result")
    func login() {
        let harness = MachineHarness.signedOut()
        #expect(harness.perform(.logIn) == .logIn(.loggedIn))
        #expect(harness.state == .fresh)
        #expect(harness.perform(.logIn) == .logIn(.rejected(.signedInAlready)))
        let refused = MachineHarness.signedOut()
        refused.backend.loginFaults = [.refused]
        let failure = RefreshFailure(.credentialsRefused(status: 401, detail: "wrong password"))
        #expect(refused.perform(.logIn) == .logIn(.failed(failure)))
    }

    @Test("a login whose only token ended on its way is answered with the session's end")
    func endedOnArrival() {
        let harness = MachineHarness.signedOut()
        harness.backend.hasRefreshToken = false
        harness.backend.accessLifetime = 0.1
        let result = harness.perform(.logIn)
        guard case .signedOut(let reason) = harness.state else {
            Issue.record("the session goes on: \(harness.state)")
            return
        }
        #expect(result == .logIn(.signedOut(reason)))
    }

    @Test("a login that another process preceded is answered with that")
    func adopted() {
        let first = MachineHarness.signedIn()
        let harness = MachineHarness.signedOut()
        harness.backend = first.backend
        harness.vault.record = first.vault.record
        #expect(harness.perform(.logIn) == .logIn(.adopted))
    }

    @Test("a login that cannot be stored is answered, and a wait for the write after two attempts")
    func unsaved() {
        let harness = MachineHarness.signedOut()
        harness.send(.logIn)
        harness.settle()
        harness.vault.writeProblem = Self.disk
        #expect(harness.perform(.logIn) == .logIn(.loggedIn))
        #expect(harness.perform(.save) == .saved(Self.disk))
        harness.vault.writeProblem = nil
        #expect(harness.perform(.save) == .saved(nil))
    }

    @Test("a login that a logout ends is answered")
    func endedLogin() {
        let harness = MachineHarness.signedOut()
        harness.send(.perform(.logIn, caller: 1))
        harness.send(.logOut(.this))
        #expect(harness.results[1] == [.logIn(.signedOut(.user))])
    }

    // MARK: - Refresh

    @Test("a refresh is answered with the time that it took")
    func refresh() {
        let harness = MachineHarness.signedIn()
        let roundTrip = Duration.milliseconds(300)
        #expect(harness.perform(.refresh) == .refresh(.renewed(roundTrip: roundTrip)))
        #expect(harness.generation == 2)
    }

    @Test("two that ask for a refresh share a flight, and one that cancels ends its own wait only")
    func shared() {
        let harness = MachineHarness.signedIn()
        harness.send(.perform(.refresh, caller: 1))
        harness.send(.perform(.refresh, caller: 2))
        harness.send(.callerCancelled(1))
        #expect(harness.results[1] == [.refresh(.cancelled)])
        #expect(harness.results[2] == nil)
        harness.advance(1)
        #expect(harness.results[1]?.count == 1)
        #expect(harness.results[2] == [.refresh(.renewed(roundTrip: .milliseconds(300)))])
        #expect(harness.refreshes.count == 1)
    }

    @Test(
        "a refresh that fails is answered at once, and the session is kept",
        arguments: [ScriptedBackend.Fault.status(503), .notSent, .clientFault(400)]
    )
    func failed(fault: ScriptedBackend.Fault) throws {
        let harness = MachineHarness.signedIn()
        harness.backend.refreshFaults = [fault]
        let result = try #require(harness.perform(.refresh, within: 1))
        guard case .refresh(.failed) = result else { throw UnexpectedResult(result) }
        #expect(harness.state.isLive)
    }

    @Test("a refresh whose answer is lost is answered by the attempt that follows")
    func recovered() {
        let harness = MachineHarness.signedIn()
        harness.backend.grace = 60
        harness.backend.refreshFaults = [.lostAnswer]
        harness.send(.perform(.refresh, caller: 1))
        harness.advance(until: { $0.state.name == "unknown" })
        #expect(harness.results[1] == nil)
        harness.advance(30)
        #expect(harness.results[1] == [.refresh(.renewed(roundTrip: .milliseconds(300)))])
    }

    @Test("a refresh whose answers stay lost is answered with the loss once no caller waits")
    func lost() throws {
        let harness = MachineHarness.signedIn()
        harness.backend.refreshFaults = Array(repeating: .lostRequest, count: 40)
        harness.send(.perform(.refresh, caller: 1))
        harness.advance(20)
        #expect(harness.results[1] == nil)
        harness.send(.callerCancelled(1))
        let result = try #require(harness.results[1]?.first)
        guard case .refresh(.lost(let failure)) = result else { throw UnexpectedResult(result) }
        #expect(failure.kind == .unknown)
    }

    @Test("a refresh that is refused is answered with how long the access token lasts")
    func refused() throws {
        let harness = MachineHarness.signedIn()
        harness.backend.refreshFaults = [.refused]
        let usableUntil = try #require(harness.machine.schedule?.usableUntil)
        let result = harness.perform(.refresh)
        #expect(result == .refresh(.draining(.revoked, until: usableUntil)))
        #expect(harness.perform(.refresh) == result)
    }

    @Test("a refresh in a state without a pair is answered at once")
    func nothingToRenew() {
        #expect(MachineHarness.signedOut().perform(.refresh) == .refresh(.signedOut(.never)))
        let harness = MachineHarness(configuration: .testing(logInAtStart: false))
        harness.vault.readProblem = Self.disk
        harness.send(.start)
        harness.settle()
        #expect(harness.perform(.refresh) == .refresh(.vaultUnavailable(Self.disk)))
    }

    // MARK: - Logout

    @Test(
        "a logout is answered once the backend was notified, or could not be",
        arguments: [
            (nil, RevocationPhase.done), (ScriptedBackend.Fault.status(503), .pending),
        ]
    )
    func logout(fault: ScriptedBackend.Fault?, phase: RevocationPhase) throws {
        let harness = MachineHarness.signedIn()
        harness.backend.logoutFaults = [fault].compactMap(\.self)
        let result = try #require(harness.perform(.logOut(.this)))
        guard case .logOut(.ended(let report)) = result else { throw UnexpectedResult(result) }
        #expect(report.revocation == phase)
        #expect(report.status != nil)
        #expect(report.erasedAfter != nil)
        #expect(report.unkept == nil)
        #expect(harness.perform(.logOut(.this)) == .logOut(.signedOut(.user)))
    }

    @Test("a logout that an earlier one precedes is answered with its own outcome")
    func secondLogout() throws {
        let harness = MachineHarness.signedIn()
        harness.backend.logoutFaults = [.status(503)]
        harness.send(.logOut(.this))
        harness.advance(1)
        harness.send(.logIn)
        harness.advance(1)
        let result = try #require(harness.perform(.logOut(.this)))
        guard case .logOut(.ended(let report)) = result else { throw UnexpectedResult(result) }
        #expect(report.revocation == .done)
        #expect(harness.revocationPhases.first == .pending)
    }

    @Test("a logout that no caller waits for goes on, and says what is known")
    func cancelledLogout() throws {
        let harness = MachineHarness.signedIn()
        harness.send(.perform(.logOut(.this), caller: 1))
        harness.settle()
        harness.send(.callerCancelled(1))
        let result = try #require(harness.results[1]?.first)
        guard case .logOut(.ended(let report)) = result else { throw UnexpectedResult(result) }
        #expect(report.revocation == nil)
        harness.advance(1)
        #expect(harness.revocationPhases == [.done])
    }

    @Test("a logout whose record cannot be written says so, and what the backend was told")
    func unwrittenLogout() throws {
        let harness = MachineHarness.signedIn()
        harness.vault.writeProblem = Self.disk
        let result = try #require(harness.perform(.logOut(.this)))
        guard case .logOut(.unsaved(Self.disk, let report)) = result else {
            throw UnexpectedResult(result)
        }
        #expect(report.revocation == .done)
        #expect(report.erasedAfter == nil)
    }

    @Test("a logout that erased, and could write nothing besides, says that it will not be sent")
    func erasedOnly() throws {
        let harness = MachineHarness.signedIn()
        harness.vault.erasingProblem = Self.disk
        harness.backend.logoutFaults = [.status(503)]
        let result = try #require(harness.perform(.logOut(.this)))
        guard case .logOut(.ended(let report)) = result else { throw UnexpectedResult(result) }
        #expect(report.unkept == Self.disk)
        #expect(report.revocation == .pending)
    }

    // MARK: - The outbox

    @Test("the pending logouts are answered for once each was tried")
    func outbox() throws {
        let first = MachineHarness.signedIn()
        first.backend.logoutFaults = [.status(503)]
        first.send(.logOut(.this))
        first.advance(1)
        let harness = MachineHarness(configuration: .testing(logInAtStart: false))
        harness.backend = first.backend
        harness.vault.record = first.vault.record
        harness.send(.start)
        harness.settle()
        let tried = ActionResult.sendOutbox(.tried([.done]))
        #expect(harness.perform(.sendOutbox(endingSession: true)) == tried)
        #expect(harness.perform(.sendOutbox(endingSession: false)) == tried)
    }

    @Test("the pending logouts of a live session include its own if it is to end")
    func outboxOfSession() {
        let harness = MachineHarness.signedIn()
        #expect(
            harness.perform(.sendOutbox(endingSession: false)) == .sendOutbox(.tried([]))
        )
        #expect(
            harness.perform(.sendOutbox(endingSession: true)) == .sendOutbox(.tried([.done]))
        )
        #expect(harness.state == .signedOut(.user))
    }

    // MARK: - States

    @Test("a state is waited for until it is at rest")
    func rest() {
        let harness = MachineHarness.signedIn()
        #expect(harness.perform(.wait(for: .settled), within: 0) == .state(.fresh))
        harness.send(.refreshNow)
        #expect(harness.perform(.wait(for: .loaded), within: 0) == .state(.renewing))
        #expect(harness.perform(.wait(for: .attempted), within: 0) == nil)
        harness.advance(1)
        #expect(harness.lastResult == .state(.fresh))
    }

    // MARK: - Giving up a login

    @Test("cancelLogIn ends a login that waits for the lock, at once and with the lock given up")
    func cancelledWait() {
        let harness = MachineHarness.signedOut()
        harness.vault.lockHeldElsewhere = 20
        harness.send(.perform(.logIn, caller: 1))
        harness.settle()
        harness.send(.cancelLogIn)
        let failure = RefreshFailure(.authorization(.cancelled))
        #expect(harness.results[1] == [.logIn(.failed(failure))])
        #expect(harness.state == .signedOut(.never))
        #expect(harness.vault.holder == nil)
        harness.advance(30)
        #expect(harness.logins == 0)
    }

    @Test("cancelLogIn does not interrupt a login whose credentials have been sent")
    func sentLogin() {
        let harness = MachineHarness.signedOut()
        harness.send(.perform(.logIn, caller: 1))
        harness.settle()
        #expect(harness.logins == 1)
        harness.send(.cancelLogIn)
        harness.advance(1)
        #expect(harness.results[1] == [.logIn(.loggedIn)])
    }
}

/// A result of another kind than expected.
private struct UnexpectedResult: Error {
    let result: ActionResult

    init(_ result: ActionResult) {
        self.result = result
    }
}
