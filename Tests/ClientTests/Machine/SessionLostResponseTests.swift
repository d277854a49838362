import Basics
import Client
import FoundationEssentials
import Model
import Profiles
import Testing

@Suite("ClientMachine: lost answers")
struct SessionLostResponseTests {
    private static func losing(
        _ faults: [ScriptedBackend.Fault],
        lifetime: Double = 900,
        grace: Double = 60,
        seed: UInt64 = 1
    ) -> MachineHarness {
        let harness = MachineHarness.signedIn(seed: seed) {
            $0.accessLifetime = lifetime
            $0.grace = grace
        }
        harness.backend.refreshFaults = faults
        harness.advanceToSoft()
        harness.advance(0.3)
        return harness
    }

    @Test(
        "flight, no complete answer → unknown(g, n)",
        arguments: [ScriptedBackend.Fault.lostRequest, .lostAnswer, .undecodable]
    )
    func unknown(fault: ScriptedBackend.Fault) {
        let harness = Self.losing([fault])
        #expect(harness.state.name == "unknown")
        #expect(harness.outlook?.failures == 1)
        #expect(harness.outlook?.failure.kind == .unknown)
        #expect(harness.vault.record?.journal?.sends == 1)
        harness.request(1)
        harness.advance(0.3)
        #expect(harness.finished[1] == [.accepted(status: 200)])
    }

    @Test(
        "the same token is sent again after about 0.5, 2, 6, 15 and 28 s, then more seldom",
        arguments: 0..<8
    )
    func schedule(seed: UInt64) throws {
        let harness = Self.losing(Array(repeating: .lostRequest, count: 6), seed: seed)
        let firstLoss = harness.now
        let token = harness.refreshToken
        harness.advance(until: { $0.failures.count == 5 })
        #expect(harness.state.name == "unknown")
        harness.advance(until: { $0.failures.count == 6 })
        #expect(harness.state.name == "unknown")
        #expect(harness.refreshes.count == 6)
        for (send, expected) in zip(harness.refreshes.dropFirst(), [0.5, 2, 6, 15, 28]) {
            #expect(((0.9 * expected)...expected).contains(send.at - firstLoss))
        }
        #expect(harness.refreshes.allSatisfy { $0.token == token })
        #expect(harness.failures.map(\.attempt) == [1, 2, 3, 4, 5, 6])
        // The access token is still good, and so is the journal.
        #expect(harness.vault.record?.journal?.sends == 6)
        harness.request(1)
        harness.advance(0.3)
        #expect(harness.finished[1] == [.accepted(status: 200)])
        harness.advance(until: { $0.state == .fresh })
        #expect(harness.has("graceRecovered"))
    }

    @Test("unknown, OK → fresh(g+1): graceRecovered")
    func graceRecovered() {
        let harness = Self.losing([.lostAnswer])
        harness.advance(2)
        #expect(harness.state == .fresh)
        #expect(harness.generation == 2)
        #expect(harness.count("graceRecovered") == 1)
        #expect(harness.refreshToken?.secret.reveal() == "REFRESH-secret-of-1-2")
        #expect(harness.vault.record?.journal == nil)
    }

    @Test(
        "what was recovered from says what had become of the last answer",
        arguments: [
            ([ScriptedBackend.Fault.lostAnswer], MissingAnswer.lost),
            ([.lostRequest], .lost), ([.undecodable], .unusable),
            ([.lostAnswer, .undecodable], .unusable), ([.undecodable, .lostAnswer], .lost),
            ([.undecodable, .status(503)], .unusable),
        ]
    )
    func recoveredAfter(faults: [ScriptedBackend.Fault], missing: MissingAnswer) {
        let harness = Self.losing(faults)
        harness.advance(until: { $0.state == .fresh })
        #expect(harness.recovered == [missing])
    }

    @Test("unknown, refused → the rotation is lost, and called so, once")
    func lostRotation() {
        let harness = Self.losing([.lostAnswer], grace: 0)
        harness.advance(2)
        #expect(harness.state == .draining(.lostRotation))
        #expect(harness.refreshes.count == 2)
        harness.advance(1000)
        #expect(harness.state == .signedOut(.lostRotation))
        #expect(harness.refreshes.count == 2)
        #expect(harness.signedOutReasons == [.lostRotation])
    }

    @Test("where the refresh token never changes, no rotation can be lost")
    func neverRotates() {
        let harness = MachineHarness.signedIn(configuration: .testing(rotation: .never)) {
            $0.behavior = .keeps
        }
        harness.backend.refreshFaults = [.lostAnswer, .refused]
        harness.advanceToSoft()
        harness.advance(2)
        #expect(harness.state == .draining(.revoked))
    }

    @Test("unknown, hard → expired: the same token, and the journal stays")
    func usableUntilReached() {
        let harness = Self.losing(Array(repeating: .lostRequest, count: 4), lifetime: 20)
        harness.advanceToHard()
        harness.settle()
        #expect(harness.state.name == "expired")
        #expect(harness.vault.record?.journal != nil)
        harness.advance(until: { $0.state == .fresh })
        #expect(harness.has("graceRecovered"))
        #expect(Set(harness.refreshes.map(\.token)).count == 1)
    }

    @Test("after hard the state is never unknown again")
    func offlineStays() {
        let harness = Self.losing(Array(repeating: .lostRequest, count: 8), lifetime: 20)
        harness.advanceToHard()
        harness.settle()
        let past = harness.path.count
        harness.advance(until: { $0.state == .fresh })
        #expect(harness.path.dropFirst(past).contains("unknown") == false)
    }

    @Test("other failures in between count as tries, and are not sent faster")
    func mixed() {
        let harness = Self.losing([
            .lostRequest, .status(503), .notSent, .lostRequest, .status(503),
        ])
        let firstLoss = harness.now
        harness.advance(until: { $0.failures.count == 5 })
        #expect(harness.failures.map(\.attempt) == [1, 2, 3, 4, 5])
        let times = harness.refreshes.dropFirst().map { $0.at - firstLoss }
        for (time, expected) in zip(times, [0.5, 2, 6, 15]) { #expect(time >= 0.9 * expected) }
    }

    @Test("Retry-After holds after a lost answer too")
    func retryAfter() {
        let harness = Self.losing([.lostRequest, .status(429, retryAfter: .seconds(90))])
        harness.advance(until: { $0.failures.count == 2 })
        let asked = harness.now + 90
        harness.backend.endAccessTokens()
        harness.request(1, timeout: 5)
        harness.advance(10)
        #expect(harness.refreshes.count == 2)
        harness.advance(until: { $0.refreshes.count == 3 })
        #expect(harness.now >= asked)
    }

    @Test("network back within 20 s and grace of 30 s: the session survives", arguments: 0..<20)
    func survives(seed: UInt64) {
        let harness = MachineHarness.signedIn(seed: seed) {
            $0.accessLifetime = seed.isMultiple(of: 2) ? 60 : 900
            $0.grace = 30
        }
        var random = SeededGenerator(seed: seed)
        harness.backend.refreshFaults = [.lostAnswer]
        harness.advanceToSoft()
        harness.settle()
        harness.backend.isUnreachable = true
        harness.advance(random.uniform(0...20))
        harness.backend.isUnreachable = false
        harness.advance(until: { $0.state == .fresh }, atMost: 40)
        #expect(harness.generation == 2)
        #expect(harness.signedOutReasons.isEmpty)
    }

    @Test("a lost request and a lost response are distinguished later")
    func lostRequestIsHarmless() {
        let harness = Self.losing([.lostRequest], grace: 0)
        harness.advance(2)
        #expect(harness.state == .fresh)
        #expect(harness.generation == 2)
    }
}
