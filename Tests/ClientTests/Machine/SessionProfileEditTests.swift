import Basics
import Model
import Profiles
import Testing

@testable import Client

@Suite("ClientMachine: a profile that is edited while the session runs")
struct SessionProfileEditTests {
    @Test("with a longer lead, the next renewal is earlier, of the pair in use already")
    func earlier() throws {
        let harness = MachineHarness.signedIn()
        harness.send(.profileEdited(.testing(lead: 30)))
        let due = try #require(harness.toldPlan?.renewsAt).seconds(since: .origin)
        #expect(due < 31)
        harness.advance(31)
        #expect(harness.refreshes.map(\.cause) == [.timer])
        #expect(harness.generation == 2)
        #expect(harness.logins == 1)
    }

    @Test("with the same lead, the next renewal stays where it was")
    func same() throws {
        let harness = MachineHarness.signedIn()
        let due = try #require(harness.toldPlan?.renewsAt)
        harness.send(.profileEdited(.testing()))
        #expect(harness.toldPlan?.renewsAt == due)
        harness.advance(31)
        #expect(harness.refreshes.isEmpty)
    }

    @Test("says again what the session can do")
    func capabilities() {
        let harness = MachineHarness.signedIn()
        let before = harness.count("capabilities")
        harness.send(.profileEdited(.testing(logouts: [.this])))
        #expect(harness.count("capabilities") == before + 1)
        #expect(harness.snapshot.capabilities?.logoutScopes == [.this])
        #expect(harness.state == .fresh)
    }

    @Test("while a renewal is in progress, it ends as it began")
    func renewing() {
        let harness = MachineHarness.signedIn()
        harness.send(.refreshNow)
        harness.send(.profileEdited(.testing(lead: 30)))
        harness.advance(2)
        #expect(harness.refreshes.count == 1)
        #expect(harness.generation == 2)
    }

    @Test("paused by the user, nothing is renewed by the new lead either")
    func paused() {
        let harness = MachineHarness.signedIn()
        harness.send(.setPaused(.timer))
        harness.send(.profileEdited(.testing(lead: 30)))
        harness.advance(40)
        #expect(harness.refreshes.isEmpty)
    }
}
