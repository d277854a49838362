import Basics
import Model
import Testing

@testable import Client

@Suite("ClientMachine: what a pause lets through")
struct SessionPauseTests {
    @Test("by the user, a request leaves with a token that has ended, and its 401 renews")
    func timerPause() throws {
        let harness = MachineHarness.signedIn()
        harness.send(.setPaused(.timer))
        harness.advance(100)
        #expect(harness.state.name == "expired")
        #expect(harness.toldPlan == .held(.paused))
        let ended = try #require(harness.machine.held?.tokens.access)
        harness.request(1)
        harness.advance(2)
        #expect(harness.protectedSends.first?.token == ended)
        #expect(harness.refreshes.map(\.cause) == [.unauthorized])
        #expect(harness.finished[1] == [.accepted(status: 200)])
        #expect(harness.state == .fresh)
    }

    @Test("altogether, 401s come and nothing is renewed but by the user")
    func wholePause() {
        let harness = MachineHarness.signedIn()
        harness.send(.setPaused(.all))
        harness.advance(100)
        #expect(harness.toldPlan == .held(.user))
        for request in 1...3 {
            harness.request(request)
            harness.advance(1)
            #expect(harness.finished[request] == [.rejected(status: 401)])
        }
        #expect(harness.protectedSends.count == 3)
        #expect(harness.refreshes.isEmpty)
        #expect(!harness.has("circuitBreakerOpened"))
        harness.send(.feedRejected(generation: 1))
        harness.needToken(1)
        harness.advance(1)
        #expect(harness.refreshes.isEmpty)
        harness.send(.refreshNow)
        harness.advance(1)
        #expect(harness.state == .fresh)
        #expect(harness.generation == 2)
    }

    @Test("a live token that is refused is renewed unless all renewal is paused")
    func liveToken() {
        for (extent, refreshes) in [(PauseExtent.timer, 1), (.all, 0)] {
            let harness = MachineHarness.signedIn()
            harness.send(.setPaused(extent))
            harness.backend.endAccessTokens()
            harness.request(1)
            harness.advance(2)
            #expect(harness.refreshes.count == refreshes)
            #expect(
                harness.finished[1]?.first
                    == (refreshes == 0 ? .rejected(status: 401) : .accepted(status: 200))
            )
        }
    }

    @Test("each extent takes the place of the other, and the end of it begins what is due")
    func cycle() {
        let harness = MachineHarness.signedIn()
        for extent in [PauseExtent.timer, .all, .timer, .all] {
            harness.send(.setPaused(extent))
            #expect(harness.machine.flags.pauses == [.user: extent])
            #expect(harness.snapshot.flags.pauses == [.user: extent])
        }
        #expect(harness.count("paused") == 4)
        harness.advance(100)
        harness.send(.setPaused(nil))
        harness.advance(1)
        #expect(harness.snapshot.flags.pauses.isEmpty)
        #expect(harness.refreshes.map(\.cause) == [.timer])
    }

    @Test("by the background, no token leaves that has ended: a request renews first")
    func background() {
        let harness = MachineHarness.signedIn()
        harness.send(.setPaused(.timer, by: .background))
        harness.advance(100)
        harness.request(1)
        harness.advance(2)
        #expect(harness.refreshes.map(\.cause) == [.caller])
        #expect(harness.protectedSends.count == 1)
        #expect(harness.finished[1] == [.accepted(status: 200)])
    }

    @Test("a 401 renews also where a try by timer had failed before the pause")
    func afterFailure() {
        let harness = MachineHarness.signedIn()
        harness.bring(to: "retrying")
        harness.send(.setPaused(.timer))
        let refreshes = harness.refreshes.count
        harness.backend.endAccessTokens()
        harness.request(1)
        harness.advance(2)
        #expect(harness.refreshes.count == refreshes + 1)
        #expect(harness.finished[1] == [.accepted(status: 200)])
    }

    @Test("after five lost answers a token that is good is still called so")
    func goodAfterLostAnswers() {
        let harness = MachineHarness.signedIn { $0.accessLifetime = 3_600 }
        harness.backend.refreshFaults = Array(repeating: .lostRequest, count: 8)
        harness.advanceToSoft()
        harness.advance(until: { $0.refreshes.count == 8 })
        #expect(!harness.path.contains("expired"))
    }
}
