import Dialects
import FoundationEssentials
import Lifecycle
import Testing
import Timekeeping
import Tokens

@Suite("ClientMachine: changes of the vault by others")
struct SessionVaultTests {
    @Test("any, vaultChanged(newer, same family) → fresh(g'), and the feed is told")
    func newer() {
        let scene = Scene.signedIn()
        scene.advance(30)
        scene.siblingRenews()
        scene.send(.vaultChanged)
        scene.settle()
        #expect(scene.state == .fresh)
        #expect(scene.generation == 2)
        #expect(scene.has("adopted"))
        #expect(scene.feedOrders.count == 2)
        scene.advance(40)
        #expect(scene.refreshes.isEmpty)
        scene.request(1)
        scene.advance(1)
        #expect(scene.finished[1] == [.accepted(status: 200)])
    }

    @Test("our own changes change nothing")
    func ours() {
        let scene = Scene.signedIn()
        scene.send(.vaultChanged)
        scene.settle()
        #expect(scene.path == ["cold", "signedOut", "signingIn", "fresh"])
        #expect(scene.count("tokensIssued") == 1)
    }

    @Test("any, vaultDeleted → signedOut(deletedExternally), and the file is not made again")
    func deleted() {
        let scene = Scene.signedIn()
        scene.vault.record = nil
        scene.send(.vaultChanged)
        scene.advance(100)
        #expect(scene.state == .signedOut(.deletedExternally))
        #expect(scene.vault.record == nil)
        #expect(scene.feedOrders.last == .ended)
    }

    @Test("another process's logout ends the session here")
    func tombstone() {
        let scene = Scene.signedIn()
        scene.siblingLogsOut()
        let record = scene.vault.record
        scene.send(.vaultChanged)
        scene.advance(100)
        #expect(scene.state == .signedOut(.deletedExternally))
        #expect(scene.vault.record == record)
        scene.send(.logIn)
        scene.advance(1)
        #expect(scene.state == .fresh)
        #expect(scene.storedPair?.generation == 1)
    }

    @Test("another process's login of the same person is adopted")
    func sameSubject() {
        let scene = Scene.signedIn()
        scene.siblingLogsIn(as: "u1")
        scene.send(.vaultChanged)
        scene.settle()
        #expect(scene.state == .fresh)
        #expect(scene.machine.held?.family == "another family")
        scene.advance(60)
        #expect(scene.state == .fresh)
        #expect(scene.generation == 2)
        #expect(scene.storedPair?.generation == 2)
    }

    @Test("another process's login of another person → signedOut(replaced), and theirs stays")
    func replaced() {
        let scene = Scene.signedIn()
        scene.siblingLogsIn(as: "u2")
        scene.send(.vaultChanged)
        scene.advance(100)
        #expect(scene.state == .signedOut(.replaced))
        #expect(scene.storedPair?.subject == "u2")
    }

    @Test("a change that comes during a flight is looked at after it")
    func duringFlight() {
        let scene = Scene.signedIn { $0.roundTrip = 2 }
        scene.backend.refreshFaults = [.notSent]
        scene.advanceToSoft()
        scene.vault.record = nil
        scene.send(.vaultChanged)
        scene.advance(2.1)
        #expect(scene.state == .signedOut(.deletedExternally))
    }

    @Test("a pair renewed by us and one renewed by another: theirs counts, ours is revoked")
    func superseded() {
        let scene = Scene.signedIn { $0.roundTrip = 2 }
        scene.advanceToSoft()
        let ours = scene.backend.families
        scene.siblingRenews()
        scene.vault.record?.pair?.generation = 5
        scene.advance(5)
        #expect(ours.isEmpty == false)
        #expect(scene.generation == 5)
        #expect(scene.has("adopted"))
        #expect(scene.storedPair?.generation == 5)
    }

    @Test("a pair renewed while another process logged out is revoked, not stored")
    func supersededByLogout() {
        let scene = Scene.signedIn { $0.roundTrip = 2 }
        scene.advanceToSoft()
        scene.siblingLogsOut()
        scene.advance(5)
        #expect(scene.state == .signedOut(.deletedExternally))
        #expect(scene.storedPair == nil)
        #expect(
            scene.revocations.last?.entry.refresh?.secret.reveal() == "REFRESH-secret-of-1-2"
        )
    }

    @Test("what one process saves never puts an older pair over a newer one")
    func neverOlder() {
        let scene = Scene.signedIn()
        scene.backend.logoutFaults = [.status(503)]
        scene.send(.logOut(.this))
        scene.advance(1)
        scene.send(.logIn)
        scene.advance(1)
        scene.siblingRenews()
        scene.advance(20)
        #expect(scene.revocationPhases.last == .done)
        #expect(scene.storedPair?.generation == 2)
        scene.send(.vaultChanged)
        scene.settle()
        #expect(scene.generation == 2)
    }

    @Test("an ending here does not erase the pair that another process renewed meanwhile")
    func endingSparesNewer() {
        let scene = Scene.signedIn(traits: .testing(giveUpAfter: 1))
        scene.backend.refreshFaults = Array(repeating: .notSent, count: 50)
        scene.advanceToHard()
        scene.advance(until: { $0.refreshes.last?.at == $0.now })
        scene.siblingRenews()
        scene.advance(60)
        #expect(scene.storedPair?.generation == 2)
    }
}
