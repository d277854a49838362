import Basics
import Client
import Model
import Profiles
import Testing

@Suite("ClientMachine: a renewed access token that is refused, too")
struct SessionSecondRefusalTests {
    private static func refusing(ends: Bool) -> MachineHarness {
        let harness = MachineHarness.signedIn(configuration: .testing(secondRefusalEnds: ends)) {
            $0.accessLifetime = 900
        }
        harness.advance(60)
        harness.backend.rejectsAll = true
        harness.request(1)
        harness.advance(2)
        return harness
    }

    @Test("ends the session where the profile says so")
    func ends() {
        let harness = Self.refusing(ends: true)
        #expect(harness.state == .signedOut(.renewedTokenRefused))
        #expect(harness.finished[1] == [.rejected(status: 401)])
        #expect(harness.protectedSends.count == 2)
        #expect(harness.refreshes.count == 1)
        #expect(harness.storedPair == nil)
        #expect(harness.vault.holder == nil)
    }

    @Test("keeps the session otherwise")
    func keeps() {
        let harness = Self.refusing(ends: false)
        #expect(harness.state.isLive)
        #expect(harness.finished[1] == [.rejected(status: 401)])
        #expect(harness.storedPair != nil)
    }

    @Test("the request that is sent again is marked as that, and no other")
    func marked() {
        let harness = MachineHarness.signedIn()
        harness.request(1)
        harness.advance(1)
        #expect(harness.retries == 0)
        harness.backend.protectedFaults = [.refused]
        harness.request(2)
        harness.advance(2)
        #expect(harness.finished[2] == [.accepted(status: 200)])
        #expect(harness.retries == 1)
    }

    @Test("does not end it when a newer one is there already")
    func olderToken() {
        let harness = MachineHarness.signedIn(configuration: .testing(secondRefusalEnds: true)) {
            $0.accessLifetime = 900
        }
        harness.advance(60)
        harness.backend.protectedFaults = [.refused, .refused]
        harness.request(1)
        harness.advance(0.7)
        #expect(harness.generation == 2)
        harness.siblingRenews()
        harness.send(.vaultChanged)
        harness.settle()
        harness.advance(2)
        #expect(harness.state == .fresh)
        #expect(harness.generation == 3)
    }

    @Test("a 401 whose renewal is refused leaves no usable token")
    func renewalRefused() {
        let harness = MachineHarness.signedIn()
        harness.backend.protectedFaults = [.refused]
        harness.backend.refreshFaults = [.refused]
        harness.request(1)
        harness.advance(2)
        #expect(harness.state == .signedOut(.revoked))
        #expect(harness.finished[1] == [.rejected(status: 401)])
    }
}
