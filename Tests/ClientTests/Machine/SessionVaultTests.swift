import Basics
import FoundationEssentials
import Model
import Profiles
import Testing

@testable import Client

@Suite("ClientMachine: changes of the vault by others")
struct SessionVaultTests {
    @Test("any, vaultChanged(newer, same family) → fresh(g'), and the feed gets the token")
    func newer() {
        let harness = MachineHarness.signedIn()
        harness.advance(30)
        harness.siblingRenews()
        harness.send(.vaultChanged)
        harness.settle()
        #expect(harness.state == .fresh)
        #expect(harness.generation == 2)
        #expect(harness.has("adopted"))
        #expect(harness.feedOrders.count == 2)
        harness.advance(40)
        #expect(harness.refreshes.isEmpty)
        harness.request(1)
        harness.advance(1)
        #expect(harness.finished[1] == [.accepted(status: 200)])
    }

    @Test("our own changes change nothing")
    func ours() {
        let harness = MachineHarness.signedIn()
        harness.send(.vaultChanged)
        harness.settle()
        #expect(harness.path == ["cold", "signedOut", "signingIn", "fresh"])
        #expect(harness.count("tokensIssued") == 1)
    }

    @Test("any, vaultDeleted → signedOut(deletedExternally), and the file is not made again")
    func deleted() {
        let harness = MachineHarness.signedIn()
        harness.vault.record = nil
        harness.send(.vaultChanged)
        harness.advance(100)
        #expect(harness.state == .signedOut(.deletedExternally))
        #expect(harness.vault.record == nil)
        #expect(harness.feedOrders.last == .ended)
    }

    @Test(
        "the end that another process stored ends the session here, for the same reason",
        arguments: [
            (.user, .endedElsewhere),
            (.everywhere, .endedElsewhere), (.revoked, .revoked),
            (.lostRotation, .lostRotation), (.gaveUp, .gaveUp), (nil, .deletedExternally),
        ] as [(SignedOutReason?, SignedOutReason)]
    )
    func tombstone(stored: SignedOutReason?, expected: SignedOutReason) {
        let harness = MachineHarness.signedIn()
        harness.siblingEnds(stored)
        let record = harness.vault.record
        harness.send(.vaultChanged)
        harness.advance(100)
        #expect(harness.state == .signedOut(expected))
        #expect(harness.vault.record == record)
        harness.send(.logIn)
        harness.advance(1)
        #expect(harness.state == .fresh)
        #expect(harness.storedPair?.generation == 1)
    }

    @Test("another process's login of the same user is adopted")
    func sameSubject() {
        let harness = MachineHarness.signedIn()
        harness.siblingLogsIn(as: "u1")
        harness.send(.vaultChanged)
        harness.settle()
        #expect(harness.state == .fresh)
        #expect(harness.machine.held?.family == "another family")
        harness.advance(60)
        #expect(harness.state == .fresh)
        #expect(harness.generation == 2)
        #expect(harness.storedPair?.generation == 2)
    }

    @Test("the feed of the login before is closed before that of the adopted one is dialed")
    func feedOfAdoptedLogin() {
        let harness = MachineHarness.signedIn()
        harness.advance(50)
        #expect(harness.generation == 2)
        let orders = harness.feedOrders.count
        harness.siblingLogsIn(as: "u1")
        harness.send(.vaultChanged)
        harness.settle()
        #expect(harness.feedOrders.dropFirst(orders).first == .ended)
        #expect(harness.feedOrders.count == orders + 2)
        #expect(harness.machine.feedToken?.generation == 1)
    }

    @Test("another process's login of another user → signedOut(replaced), and theirs stays")
    func replaced() {
        let harness = MachineHarness.signedIn()
        harness.siblingLogsIn(as: "u2")
        harness.send(.vaultChanged)
        harness.advance(100)
        #expect(harness.state == .signedOut(.replaced))
        #expect(harness.storedPair?.statements.subject == "u2")
    }

    @Test("a change that comes during a flight is looked at after it")
    func duringFlight() {
        let harness = MachineHarness.signedIn { $0.roundTrip = 2 }
        harness.backend.refreshFaults = [.notSent]
        harness.advanceToSoft()
        harness.vault.record = nil
        harness.send(.vaultChanged)
        harness.advance(2.1)
        #expect(harness.state == .signedOut(.deletedExternally))
    }

    @Test("a pair renewed by us and one renewed by another: theirs counts, ours is revoked")
    func superseded() {
        let harness = MachineHarness.signedIn { $0.roundTrip = 2 }
        harness.advanceToSoft()
        let ours = harness.backend.families
        harness.siblingRenews()
        harness.vault.record?.pair?.generation = 5
        harness.advance(5)
        #expect(ours.isEmpty == false)
        #expect(harness.generation == 5)
        #expect(harness.has("adopted"))
        #expect(harness.storedPair?.generation == 5)
    }

    @Test("a pair renewed while another process logged out is revoked, not stored")
    func supersededByLogout() {
        let harness = MachineHarness.signedIn { $0.roundTrip = 2 }
        harness.advanceToSoft()
        harness.siblingEnds(.user)
        harness.advance(5)
        #expect(harness.state == .signedOut(.endedElsewhere))
        #expect(harness.storedPair == nil)
        #expect(
            harness.revocations.last?.entry.refresh?.secret.reveal() == "REFRESH-secret-of-1-2"
        )
    }

    @Test("what one process saves never puts an older pair over a newer one")
    func neverOlder() {
        let harness = MachineHarness.signedIn()
        harness.backend.logoutFaults = [.status(503)]
        harness.send(.logOut(.this))
        harness.advance(1)
        harness.send(.logIn)
        harness.advance(1)
        harness.siblingRenews()
        harness.advance(20)
        #expect(harness.revocationPhases.last == .done)
        #expect(harness.storedPair?.generation == 2)
        harness.send(.vaultChanged)
        harness.settle()
        #expect(harness.generation == 2)
    }

    @Test("an ending here does not erase the pair that another process renewed meanwhile")
    func endingSparesNewer() {
        let harness = MachineHarness.signedIn(configuration: .testing(giveUpAfter: 1))
        harness.backend.refreshFaults = Array(repeating: .notSent, count: 50)
        harness.advanceToHard()
        harness.advance(until: { $0.refreshes.last?.at == $0.now })
        harness.siblingRenews()
        harness.advance(60)
        #expect(harness.storedPair?.generation == 2)
    }
}
