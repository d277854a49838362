import Basics
import Model
import Profiles
import Testing

@testable import Client

@Suite("ClientMachine: a failed renewal that waits for the next use")
struct SessionUseTests {
    private static func failed(
        _ faults: [ScriptedBackend.Fault] = [.status(503)],
        lifetime: Double = 900
    ) -> MachineHarness {
        let configuration = SessionConfiguration.testing(lead: 300, attempts: 1)
        let harness = MachineHarness.signedIn(configuration: configuration) {
            $0.accessLifetime = lifetime
            $0.refreshLifetime = nil
        }
        harness.backend.refreshFaults = faults
        harness.advanceToSoft()
        harness.advance(6)
        return harness
    }

    @Test(
        "arms no timer, before the access token's end and after it",
        arguments: [ScriptedBackend.Fault.status(503), .notSent, .lostRequest, .clientFault(404)]
    )
    func noTimer(fault: ScriptedBackend.Fault) {
        let harness = Self.failed([fault])
        #expect(harness.outlook?.nextAt == nil)
        #expect(harness.outlook?.hold == .use)
        #expect(harness.machine.nextDeadline == harness.machine.schedule?.usableUntil)
        harness.advanceToHard()
        harness.advance(3600)
        #expect(harness.state.name == "expired")
        #expect(harness.outlook?.hold == .use)
        #expect(harness.machine.nextDeadline == nil)
        #expect(harness.refreshes.count == 1)
    }

    @Test("the next request renews first, and goes out with the new token")
    func nextRequest() {
        let harness = Self.failed()
        harness.request(1)
        harness.advance(2)
        #expect(harness.refreshes.map(\.cause) == [.timer, .caller])
        #expect(harness.protectedSends.map(\.token.generation) == [2])
        #expect(harness.state == .fresh)
        harness.advanceToSoft()
        harness.advance(1)
        #expect(harness.generation == 3)
    }

    @Test("a login that fails leaves the next try to the next use")
    func failedLogin() {
        let harness = Self.failed()
        harness.advanceToHard()
        harness.backend.loginFaults = [.status(429)]
        harness.send(.logIn)
        harness.advance(3600)
        #expect(harness.state.name == "expired")
        #expect(harness.outlook?.nextAt == nil)
        #expect(harness.outlook?.hold == .use)
        #expect(harness.refreshes.count == 1)
    }

    @Test("a request whose renewal fails again uses the token that is still good")
    func failsAgain() {
        let harness = Self.failed([.status(503), .status(503)])
        harness.request(1)
        harness.advance(2)
        #expect(harness.refreshes.count == 2)
        #expect(harness.finished[1] == [.accepted(status: 200)])
        #expect(harness.outlook?.hold == .use)
        #expect(harness.outlook?.failures == 2)
    }

    @Test("once the access token is over a request waits for the renewal, or fails with it")
    func afterTheEnd() {
        let harness = Self.failed([.status(503), .status(503)])
        harness.advanceToHard()
        harness.advance(10)
        harness.request(1)
        harness.advance(2)
        #expect(harness.finished[1] == [.noToken(.notRenewed(retryAt: nil))])
        harness.advance(20)
        harness.request(2)
        harness.advance(2)
        #expect(harness.finished[2] == [.accepted(status: 200)])
        #expect(harness.state == .fresh)
    }

    @Test("a 401 renews, and a refusal of that ends the session at once")
    func refusedAfter401() {
        let harness = Self.failed([.notSent, .notSent, .refused])
        harness.backend.protectedFaults = [.refused]
        harness.request(1)
        harness.advance(3)
        // The wait after the second failure is not over.
        #expect(harness.refreshes.count == 2)
        #expect(harness.finished[1] == [.rejected(status: 401)])
        harness.advance(10)
        harness.request(2)
        harness.advance(3)
        #expect(harness.refreshes.count == 3)
        #expect(harness.state == .signedOut(.revoked))
    }

    @Test("Retry-After is not undercut by a use, which takes the token that is still good")
    func retryAfter() {
        let harness = Self.failed([.status(429, retryAfter: .seconds(60))])
        harness.request(1)
        harness.advance(2)
        #expect(harness.refreshes.count == 1)
        #expect(harness.finished[1] == [.accepted(status: 200)])
        harness.advance(60)
        harness.request(2)
        harness.advance(2)
        #expect(harness.refreshes.count == 2)
    }

    @Test("the user, a resumed app and a new start try at once")
    func otherTries() {
        let user = Self.failed()
        user.send(.refreshNow)
        user.advance(1)
        #expect(user.state == .fresh)
        let resumed = Self.failed()
        resumed.send(.setPaused(.timer))
        resumed.send(.setPaused(nil))
        resumed.advance(1)
        #expect(resumed.state == .fresh)
    }

    @Test("a use soon after a failure starts no attempt, and each failure makes the wait longer")
    func spaced() {
        let harness = Self.failed(Array(repeating: .status(503), count: 100))
        for id in 1...100 {
            harness.request(id)
            harness.advance(1)
        }
        #expect((4...6).contains(harness.refreshes.count))
        #expect(harness.finished[100] == [.accepted(status: 200)])
    }

    @Test("a profile's lead is limited to half the lifetime")
    func lead() throws {
        for (lifetime, lead) in [(900.0, 300.0), (400, 200)] {
            let harness = MachineHarness.signedIn(configuration: .testing(lead: 300)) {
                $0.accessLifetime = lifetime
            }
            let pair = try #require(harness.machine.held)
            let left = try #require(pair.access).at.seconds(
                since: try #require(harness.machine.schedule).refreshAt
            )
            // The jitter only makes it earlier, by a tenth at most.
            #expect((lead...lead * 1.1).contains(left))
        }
    }
}

extension AccessToken {
    /// As the scripted backend numbers them.
    fileprivate var generation: Int? {
        secret.reveal().split(separator: "-").last.flatMap { Int($0) }
    }
}
