import Basics
import Client
import Model
import Profiles
import Testing

@Suite("ClientMachine: a token that is renewed before it is used")
struct SessionRenewalFirstTests {
    private static func signedIn(attempts: Int? = 1, roundTrip: Double = 0.3) -> MachineHarness {
        let configuration = SessionConfiguration.testing(
            lead: 300,
            attempts: attempts,
            renewsBeforeUse: true
        )
        return MachineHarness.signedIn(configuration: configuration) {
            $0.accessLifetime = 900
            $0.refreshLifetime = nil
            $0.roundTrip = roundTrip
        }
    }

    @Test("before it is due a request goes at once, and starts nothing")
    func early() {
        let harness = Self.signedIn()
        harness.request(1)
        harness.advance(1)
        #expect(harness.finished[1] == [.accepted(status: 200)])
        #expect(harness.refreshes.isEmpty)
    }

    @Test("a request during a renewal waits for it, and goes with the new token")
    func during() {
        let harness = Self.signedIn(roundTrip: 5)
        harness.advanceToSoft()
        harness.advance(1)
        #expect(harness.state == .renewing)
        harness.request(1)
        harness.needToken(2)
        #expect(harness.protectedSends.isEmpty)
        #expect(harness.resumed[2] == nil)
        harness.advance(10)
        #expect(harness.protectedSends.count == 1)
        #expect(harness.finished[1] == [.accepted(status: 200)])
        #expect(harness.resumed[2]?.first?.generation == 2)
        #expect(harness.refreshes.count == 1)
    }

    @Test("in the background no timer renews: a request renews first")
    func inBackground() {
        let harness = Self.signedIn()
        harness.send(.setPaused(.timer, by: .background))
        harness.advanceToSoft()
        harness.advance(60)
        #expect(harness.refreshes.isEmpty)
        harness.request(1)
        harness.advance(1)
        #expect(harness.refreshes.map(\.cause) == [.caller])
        #expect(harness.finished[1] == [.accepted(status: 200)])
        #expect(harness.protectedSends.count == 1)
        #expect(harness.generation == 2)
    }

    @Test("a renewal that fails makes the request fail, and nothing is sent with the old token")
    func failing() {
        let harness = Self.signedIn()
        harness.backend.refreshFaults = Array(repeating: .status(503), count: 100)
        harness.advanceToSoft()
        for id in 1...60 {
            harness.request(id)
            harness.advance(1)
        }
        #expect(harness.protectedSends.isEmpty)
        #expect(harness.finished.values.allSatisfy { $0 == [.noToken(.notRenewed(retryAt: nil))] })
        #expect(harness.finished.count == 60)
        #expect((4...6).contains(harness.refreshes.count))
        let times = harness.refreshes.map(\.at)
        let waits = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(zip(waits, waits.dropFirst()).allSatisfy { $0 <= $1 + 1 })
        #expect(harness.state.name == "retrying")
        harness.backend.refreshFaults = []
        harness.advance(120)
        harness.request(100)
        harness.advance(1)
        #expect(harness.finished[100] == [.accepted(status: 200)])
    }

    @Test("a token that was refused is not sent again before it is renewed")
    func refused() {
        let harness = Self.signedIn()
        harness.backend.protectedFaults = [.refused]
        harness.backend.refreshFaults = Array(repeating: .status(503), count: 100)
        for id in 1...60 {
            harness.request(id)
            harness.advance(1)
        }
        #expect(harness.protectedSends.count == 1)
        #expect(harness.finished[1] == [.rejected(status: 401)])
        #expect(harness.finished[2] == [.noToken(.notRenewed(retryAt: nil))])
        #expect((4...6).contains(harness.refreshes.count))
        harness.backend.refreshFaults = []
        harness.advance(120)
        harness.request(100)
        harness.advance(1)
        #expect(harness.finished[100] == [.accepted(status: 200)])
        #expect(harness.generation == 2)
    }

    @Test("where timers try again, a request fails with the try that it waited for")
    func byTimer() throws {
        let harness = Self.signedIn(attempts: nil, roundTrip: 2)
        harness.backend.refreshFaults = [.status(503)]
        harness.advanceToSoft()
        harness.advance(1)
        harness.request(1)
        harness.advance(2)
        let nextAt = try #require(harness.outlook?.nextAt)
        #expect(harness.finished[1] == [.noToken(.notRenewed(retryAt: nextAt))])
        #expect(harness.protectedSends.isEmpty)
    }

    @Test("a token of which nothing states an expiry is renewed before its first use, and once")
    func unstated() throws {
        let harness = MachineHarness.signedIn(configuration: .testing(renewsUnstated: true)) {
            $0.statement = .nothing
        }
        harness.request(1)
        harness.needToken(2)
        #expect(harness.protectedSends.isEmpty)
        harness.advance(1)
        #expect(harness.refreshes.count == 1)
        #expect(harness.finished[1] == [.accepted(status: 200)])
        #expect(harness.resumed[2]?.first?.generation == 2)
        #expect(harness.state == .fresh)
        harness.advance(600)
        #expect(harness.refreshes.count == 1)
        // The next run does not know its result meanwhile.
        let next = harness.restarted(configuration: .testing(renewsUnstated: true))
        next.advance(1)
        #expect(next.generation == 3)
    }

    @Test("a token that states its expiry is used at once")
    func stated() {
        let harness = MachineHarness.signedIn(configuration: .testing(renewsUnstated: true))
        harness.request(1)
        harness.advance(1)
        #expect(harness.finished[1] == [.accepted(status: 200)])
        #expect(harness.refreshes.isEmpty)
    }

    @Test(
        "an answer that decides nothing makes the request fail, while that is still being saved",
        arguments: [ScriptedBackend.Fault.clientFault(400), .clientFault(404), .bareRefusal]
    )
    func answered(_ fault: ScriptedBackend.Fault) {
        let harness = Self.signedIn()
        harness.backend.refreshFaults = Array(repeating: fault, count: 100)
        harness.send(.setPaused(.timer, by: .background))
        harness.advanceToSoft()
        harness.advance(1)
        harness.request(1)
        harness.advance(1)
        #expect(harness.protectedSends.isEmpty)
        #expect(harness.finished[1] == [.noToken(.notRenewed(retryAt: nil))])
    }

    @Test("a refresh token that is refused makes a request fail whose access token is due")
    func refusedWhenDue() {
        let harness = Self.signedIn()
        harness.backend.refreshFaults = [.refused]
        harness.send(.setPaused(.timer, by: .background))
        harness.advanceToSoft()
        harness.advance(1)
        harness.request(1)
        harness.advance(1)
        #expect(harness.state == .draining(.revoked))
        harness.request(2)
        harness.needToken(3)
        harness.advance(1)
        #expect(harness.protectedSends.isEmpty)
        #expect(harness.finished[1] == [.noToken(.signedOut(.revoked))])
        #expect(harness.finished[2] == [.noToken(.signedOut(.revoked))])
        #expect(harness.resumed[3] == [.failure(.signedOut(.revoked))])
        #expect(harness.refreshes.count == 1)
    }

    @Test("while the session drains, requests use the access token until it is due")
    func draining() {
        let harness = Self.signedIn()
        harness.backend.refreshFaults = [.refused]
        harness.send(.refreshNow)
        harness.advance(1)
        #expect(harness.state == .draining(.revoked))
        harness.request(1)
        harness.advance(1)
        #expect(harness.finished[1] == [.accepted(status: 200)])
    }

    @Test("while the user has paused renewal, a request is sent with the old token")
    func paused() {
        let harness = Self.signedIn()
        harness.send(.setPaused(.timer))
        harness.advanceToSoft()
        harness.advance(1)
        harness.request(1)
        harness.advance(1)
        #expect(harness.finished[1] == [.accepted(status: 200)])
        #expect(harness.refreshes.isEmpty)
    }
}
