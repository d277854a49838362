import Basics
import Model
import Profiles
import Testing

@testable import Client

@Suite("ClientMachine: the timers of a paused session")
struct SessionPauseTimerTests {
    @Test("any, pause → same + flag: no flight by the timer")
    func pause() {
        let harness = MachineHarness.signedIn()
        harness.send(.setPaused(.timer))
        harness.send(.setPaused(.timer))
        #expect(harness.count("paused") == 1)
        #expect(harness.machine.flags.isPaused)
        harness.advance(55)
        #expect(harness.refreshes.isEmpty)
        #expect(harness.state == .fresh)
        harness.advance(600)
        #expect(harness.refreshes.isEmpty)
        #expect(harness.state.name == "expired")
    }

    @Test("the pauses of the background and of the user end independently")
    func twoPauses() {
        let harness = MachineHarness.signedIn()
        harness.send(.setPaused(.timer))
        harness.send(.setPaused(.timer, by: .background))
        #expect(harness.count("paused") == 2)
        harness.advance(55)
        harness.send(.setPaused(nil, by: .background))
        #expect(harness.machine.flags.pauses == [.user: .timer])
        harness.advance(1)
        #expect(harness.refreshes.isEmpty)
        harness.send(.setPaused(.timer, by: .background))
        harness.send(.setPaused(nil))
        harness.advance(1)
        #expect(harness.refreshes.isEmpty)
        harness.send(.setPaused(nil, by: .background))
        harness.advance(1)
        #expect(harness.refreshes.count == 1)
        #expect(harness.generation == 2)
    }

    @Test("paused, a 401 still renews")
    func pausedRejection() {
        let harness = MachineHarness.signedIn()
        harness.send(.setPaused(.timer))
        harness.backend.endAccessTokens()
        harness.request(1)
        harness.advance(1)
        #expect(harness.finished[1] == [.accepted(status: 200)])
        #expect(harness.generation == 2)
    }

    @Test("paused, the user still renews, and so does a caller without a token")
    func pausedUser() {
        let harness = MachineHarness.signedIn()
        harness.send(.setPaused(.timer))
        harness.send(.refreshNow)
        harness.advance(1)
        #expect(harness.generation == 2)
        harness.advance(100)
        harness.needToken(1)
        harness.advance(1)
        #expect(harness.resumed[1]?.first?.generation == 3)
    }

    @Test("paused, a caller that times out does not prevent a renewal for later callers")
    func pausedOutage() {
        let harness = MachineHarness.signedIn()
        harness.send(.setPaused(.timer))
        harness.advance(100)
        harness.backend.isUnreachable = true
        harness.needToken(1)
        harness.advance(1)
        #expect(harness.resumed[1]?.first?.failure != nil)
        harness.backend.isUnreachable = false
        harness.advance(100)
        #expect(harness.generation == 1)
        harness.needToken(2)
        harness.advance(1)
        #expect(harness.resumed[2]?.first?.generation == 2)
    }

    @Test("any, resume: the zone is looked at first", arguments: [(10.0, 0), (50, 1), (100, 1)])
    func resume(after: Double, flights: Int) {
        let harness = MachineHarness.signedIn()
        harness.send(.setPaused(.timer))
        harness.advance(after)
        harness.send(.setPaused(nil))
        harness.advance(1)
        #expect(harness.count("resumed") == 1)
        #expect(harness.refreshes.count == flights)
        #expect(harness.state == .fresh)
        #expect(harness.generation == 1 + flights)
    }

    @Test("paused at the start of a resumed session, no timer renews")
    func pausedBeforeStart() {
        let harness = MachineHarness.signedIn()
        let next = MachineHarness(seed: 2)
        next.backend = harness.backend
        next.vault = ScriptedVault(record: harness.vault.record)
        next.sleep(100)
        next.send(.setPaused(.timer))
        next.send(.start)
        next.advance(10)
        #expect(next.refreshes.isEmpty)
        next.send(.setPaused(nil))
        next.advance(1)
        #expect(next.state == .fresh)
    }
}
