import Model
import Testing

@testable import Basics
@testable import Client
@testable import Profiles

@Suite("ClientMachine: the ID token of a login")
struct SessionIDTokenTests {
    @Test("is stored with the pair, kept by a renewal without one, and replaced by a newer one")
    func kept() {
        let harness = MachineHarness.signedIn { $0.idToken = IDToken(Secret("id-1")) }
        #expect(harness.vault.record?.pair?.idToken == Secret("id-1"))
        harness.backend.idToken = nil
        harness.advanceToSoft()
        harness.advance(1)
        #expect(harness.machine.held?.generation == 2)
        #expect(harness.machine.held?.idToken == Secret("id-1"))
        harness.backend.idToken = IDToken(Secret("id-3"))
        harness.advanceToSoft()
        harness.advance(1)
        #expect(harness.machine.held?.generation == 3)
        #expect(harness.machine.held?.idToken == Secret("id-3"))
        #expect(harness.vault.record?.pair?.idToken == Secret("id-3"))
    }

    @Test("is not that of the session before")
    func anotherLogin() {
        let harness = MachineHarness.signedIn { $0.idToken = IDToken(Secret("id-1")) }
        #expect(harness.vault.record?.secrets.contains(Secret("id-1")) == true)
        harness.send(.logOut(.this))
        harness.advance(1)
        #expect(harness.vault.record?.secrets.contains(Secret("id-1")) == false)
    }
}
