import Basics
import Model
import Profiles
import Testing

@testable import Client

@Suite("ClientMachine: several logins, and logins that cannot be kept")
struct SessionLoginLockTests {
    @Test("the credentials are sent under the flight lock, which is given back once it is stored")
    func locked() {
        let harness = MachineHarness.signedOut()
        harness.send(.logIn)
        harness.settle()
        #expect(harness.logins == 1)
        #expect(harness.vault.holder != nil)
        harness.advance(0.3)
        #expect(harness.state == .fresh)
        #expect(harness.vault.holder == nil)
    }

    @Test("a login that is refused gives the lock back as well")
    func refused() {
        let harness = MachineHarness.signedOut()
        harness.backend.loginFaults = [.refused]
        harness.send(.logIn)
        harness.advance(0.3)
        #expect(harness.state == .signedOut(.never))
        #expect(harness.vault.holder == nil)
    }

    @Test("of two that begin together one logs in, and the other continues with its session")
    func together() throws {
        let harness = MachineHarness.signedOut()
        harness.vault.lockHeldElsewhere = 2
        harness.send(.logIn)
        let first = MachineHarness.signedIn()
        harness.backend = first.backend
        harness.vault.record = first.vault.record
        harness.advance(3)
        #expect(harness.logins == 0)
        #expect(harness.state == .fresh)
        #expect(harness.machine.held?.tokens == first.machine.held?.tokens)
        #expect(harness.origins == [.adopted])
        #expect(harness.backend.families.count == 1)
        #expect(harness.vault.holder == nil)
    }

    @Test("a session that another process opened after the last one had ended is joined")
    func openedSinceTheEnd() throws {
        let harness = MachineHarness.signedIn()
        var opened = try #require(harness.vault.record)
        harness.siblingEnds(.user)
        harness.send(.vaultChanged)
        harness.advance(1)
        #expect(harness.state == .signedOut(.endedElsewhere))
        opened.epoch = try #require(harness.vault.record?.epoch) + 1
        opened.family = "another family"
        harness.vault.record = opened
        harness.send(.logIn)
        harness.advance(1)
        #expect(harness.logins == 1)
        #expect(harness.machine.held?.family == "another family")
    }

    @Test("a session that is joined when its renewal is due is renewed at once")
    func joinedWhenDue() {
        let first = MachineHarness.signedIn()
        let harness = MachineHarness.signedOut()
        harness.sleep(50)
        harness.backend = first.backend
        harness.vault.record = first.vault.record
        harness.send(.logIn)
        harness.advance(1)
        #expect(harness.logins == 0)
        #expect(harness.failures.isEmpty)
        #expect(harness.generation == 2)
        #expect(harness.vault.holder == nil)
    }

    @Test("a session that was logged out meanwhile is none to go on with")
    func loggedOutMeanwhile() {
        let harness = MachineHarness.signedOut()
        harness.vault.lockHeldElsewhere = 2
        harness.send(.logIn)
        let first = MachineHarness.signedIn()
        first.siblingEnds(.user)
        harness.vault.record = first.vault.record
        harness.advance(3)
        #expect(harness.logins == 1)
        #expect(harness.state == .fresh)
        #expect(harness.vault.record?.epoch == (first.vault.record?.epoch ?? 0) + 1)
    }

    @Test("what another process keeps locked for too long fails, and nothing is sent")
    func outwaited() {
        let harness = MachineHarness.signedOut()
        harness.vault.lockHeldElsewhere = 60
        harness.send(.logIn)
        harness.advance(30)
        #expect(harness.logins == 0)
        #expect(harness.state == .signedOut(.never))
        #expect(harness.loginFailures == [RefreshFailure(.lockHeld)])
    }

    @Test("no credentials are sent where what they bring could not be stored")
    func unwritable() {
        let harness = MachineHarness.signedOut()
        let problem = VaultProblem(message: "read-only file system")
        harness.vault.writeProblem = problem
        harness.send(.logIn)
        harness.advance(1)
        #expect(harness.logins == 0)
        #expect(harness.state == .signedOut(.never))
        #expect(harness.loginFailures == [RefreshFailure(.unstorable(problem))])
        #expect(harness.vault.holder == nil)
        harness.vault.writeProblem = nil
        harness.send(.logIn)
        harness.advance(1)
        #expect(harness.state == .fresh)
    }

    @Test("no credentials are sent where the lock cannot be had at all")
    func unlockable() {
        let harness = MachineHarness.signedOut()
        harness.vault.lockProblem = VaultProblem(message: "no such folder")
        harness.send(.logIn)
        harness.advance(1)
        #expect(harness.logins == 0)
        #expect(harness.loginFailures.map(\.kind) == [.heldBack])
    }

    @Test("a pair that could not be stored is revoked by a logout, at once")
    func abandoned() {
        let harness = MachineHarness.signedOut()
        harness.send(.logIn)
        harness.settle()
        harness.vault.writeProblem = VaultProblem(message: "disk full")
        harness.advance(0.3)
        #expect(harness.machine.flags.unsaved != nil)
        harness.send(.logOut(.this))
        harness.advance(1)
        #expect(harness.state == .signedOut(.user))
        #expect(harness.backend.families.map(\.isEnded) == [true])
    }

    @Test("a lock that is asked for by a login is given back when a logout comes first")
    func logoutWhileWaiting() {
        let harness = MachineHarness.signedOut()
        harness.vault.lockHeldElsewhere = 2
        harness.send(.logIn)
        harness.send(.logOut(.this))
        harness.advance(5)
        #expect(harness.logins == 0)
        #expect(harness.vault.holder == nil)
        #expect(harness.state == .signedOut(.user))
    }

    @Test("a renewal by login needs no vault that can be written, and takes up another's")
    func renewals() {
        let configuration = SessionConfiguration.testing(
            hasRefreshToken: false,
            renewsByLogin: true
        )
        let full = MachineHarness.signedIn(configuration: configuration) {
            $0.hasRefreshToken = false
        }
        full.vault.writeProblem = VaultProblem(message: "disk full")
        full.advanceToSoft()
        full.advance(1)
        #expect(full.logins == 2)
        #expect(full.state == .fresh)

        let beside = MachineHarness.signedIn(configuration: configuration) {
            $0.hasRefreshToken = false
        }
        let other = MachineHarness(configuration: configuration, seed: 2)
        other.backend.hasRefreshToken = false
        other.sleep(40)
        other.send(.start)
        other.advance(1)
        beside.vault.lockHeldElsewhere = 1
        beside.advanceToSoft()
        beside.vault.record = other.vault.record
        beside.vault.record?.epoch += 1
        beside.advance(2)
        #expect(beside.logins == 1)
        #expect(beside.origins.last == .adopted)
    }

    @Test(
        "a renewal by login that uses the lock of an unwritten pair keeps it to its end",
        arguments: [nil, VaultProblem(message: "disk full")]
    )
    func renewalKeepsLock(problem: VaultProblem?) {
        let harness = MachineHarness.signedIn(
            configuration: .testing(hasRefreshToken: false, renewsByLogin: true)
        ) {
            $0.hasRefreshToken = false
        }
        harness.vault.writeProblem = VaultProblem(message: "disk full")
        harness.advanceToSoft()
        harness.advance(0.3)
        #expect(harness.machine.flags.unsaved != nil)
        #expect(harness.vault.holder != nil)
        harness.vault.writeProblem = nil
        // Writes what was not written, and logs in meanwhile.
        harness.send(.logIn)
        harness.settle()
        #expect(harness.machine.flags.unsaved == nil)
        #expect(harness.state == .signingIn)
        #expect(harness.vault.holder != nil)
        harness.vault.writeProblem = problem
        harness.advance(0.3)
        #expect(harness.state == .fresh)
        #expect((harness.vault.holder == nil) == (problem == nil))
        harness.vault.writeProblem = nil
        harness.advance(20)
        #expect(harness.vault.holder == nil)
    }
}
