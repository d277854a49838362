import Dialects
import FoundationEssentials
import Lifecycle
import Testing
import Timekeeping
import Tokens

@Suite("ClientMachine: lost answers")
struct SessionLostAnswerTests {
    private static func losing(
        _ faults: [ScriptedBackend.Fault],
        lifetime: Double = 900,
        grace: Double = 60,
        seed: UInt64 = 1
    ) -> Scene {
        let scene = Scene.signedIn(seed: seed) {
            $0.accessLifetime = lifetime
            $0.grace = grace
        }
        scene.backend.refreshFaults = faults
        scene.advanceToSoft()
        scene.advance(0.3)
        return scene
    }

    @Test(
        "flight, no complete answer → unknown(g, n)",
        arguments: [ScriptedBackend.Fault.lostRequest, .lostAnswer, .undecodable]
    )
    func unknown(fault: ScriptedBackend.Fault) {
        let scene = Self.losing([fault])
        #expect(scene.state.name == "unknown")
        #expect(scene.outlook?.failures == 1)
        #expect(scene.outlook?.failure.kind == .unknown)
        #expect(scene.vault.record?.journal?.sends == 1)
        scene.request(1)
        scene.advance(0.3)
        #expect(scene.finished[1] == [.accepted(status: 200)])
    }

    @Test(
        "the same token is sent again after about 0.5, 2, 6, 15 and 28 s, then offline",
        arguments: 0..<8
    )
    func schedule(seed: UInt64) throws {
        let scene = Self.losing(Array(repeating: .lostRequest, count: 6), seed: seed)
        let firstLoss = scene.now
        let token = scene.refreshToken
        scene.advance(until: { $0.failures.count == 5 })
        #expect(scene.state.name == "unknown")
        scene.advance(until: { $0.failures.count == 6 })
        #expect(scene.state.name == "offline")
        #expect(scene.refreshes.count == 6)
        for (send, expected) in zip(scene.refreshes.dropFirst(), [0.5, 2, 6, 15, 28]) {
            #expect(((0.9 * expected)...expected).contains(send.at - firstLoss))
        }
        #expect(scene.refreshes.allSatisfy { $0.token == token })
        #expect(scene.failures.map(\.attempt) == [1, 2, 3, 4, 5, 6])
        // The access token is still good, and so is the journal.
        #expect(scene.vault.record?.journal?.sends == 6)
        scene.request(1)
        scene.advance(0.3)
        #expect(scene.finished[1] == [.accepted(status: 200)])
        scene.advance(until: { $0.state == .fresh })
        #expect(scene.has("graceRecovered"))
    }

    @Test("unknown, OK → fresh(g+1): graceRecovered")
    func graceRecovered() {
        let scene = Self.losing([.lostAnswer])
        scene.advance(2)
        #expect(scene.state == .fresh)
        #expect(scene.generation == 2)
        #expect(scene.count("graceRecovered") == 1)
        #expect(scene.refreshToken?.secret.reveal() == "REFRESH-secret-of-1-2")
        #expect(scene.vault.record?.journal == nil)
    }

    @Test("unknown, refused → the rotation is lost, and called so, once")
    func lostRotation() {
        let scene = Self.losing([.lostAnswer], grace: 0)
        scene.advance(2)
        #expect(scene.state == .draining(.lostRotation))
        #expect(scene.refreshes.count == 2)
        scene.advance(1000)
        #expect(scene.state == .signedOut(.lostRotation))
        #expect(scene.refreshes.count == 2)
        #expect(scene.signedOutReasons == [.lostRotation])
    }

    @Test("where the refresh token never changes, no rotation can be lost")
    func neverRotates() {
        let scene = Scene.signedIn(traits: .testing(rotation: .never)) { $0.habit = .keeps }
        scene.backend.refreshFaults = [.lostAnswer, .refused]
        scene.advanceToSoft()
        scene.advance(2)
        #expect(scene.state == .draining(.revoked))
    }

    @Test("unknown, hard → offline: the same token, and the journal stays")
    func hardReached() {
        let scene = Self.losing(Array(repeating: .lostRequest, count: 4), lifetime: 20)
        scene.advanceToHard()
        scene.settle()
        #expect(scene.state.name == "offline")
        #expect(scene.vault.record?.journal != nil)
        scene.advance(until: { $0.state == .fresh })
        #expect(scene.has("graceRecovered"))
        #expect(Set(scene.refreshes.map(\.token)).count == 1)
    }

    @Test("after hard the state is never unknown again")
    func offlineStays() {
        let scene = Self.losing(Array(repeating: .lostRequest, count: 8), lifetime: 20)
        scene.advanceToHard()
        scene.settle()
        let past = scene.path.count
        scene.advance(until: { $0.state == .fresh })
        #expect(scene.path.dropFirst(past).contains("unknown") == false)
    }

    @Test("other failures in between count as tries, and are not sent faster")
    func mixed() {
        let scene = Self.losing([.lostRequest, .status(503), .notSent, .lostRequest, .status(503)])
        let firstLoss = scene.now
        scene.advance(until: { $0.failures.count == 5 })
        #expect(scene.failures.map(\.attempt) == [1, 2, 3, 4, 5])
        let times = scene.refreshes.dropFirst().map { $0.at - firstLoss }
        for (time, expected) in zip(times, [0.5, 2, 6, 15]) { #expect(time >= 0.9 * expected) }
    }

    @Test("Retry-After holds after a lost answer too")
    func retryAfter() {
        let scene = Self.losing([.lostRequest, .status(429, retryAfter: .seconds(90))])
        scene.advance(until: { $0.failures.count == 2 })
        let asked = scene.now + 90
        scene.backend.endAccessTokens()
        scene.request(1, patience: 5)
        scene.advance(10)
        #expect(scene.refreshes.count == 2)
        scene.advance(until: { $0.refreshes.count == 3 })
        #expect(scene.now >= asked)
    }

    @Test("network back within 20 s and grace of 30 s: the session survives", arguments: 0..<20)
    func survives(seed: UInt64) {
        let scene = Scene.signedIn(seed: seed) {
            $0.accessLifetime = seed.isMultiple(of: 2) ? 60 : 900
            $0.grace = 30
        }
        var random = SeededGenerator(seed: seed)
        scene.backend.refreshFaults = [.lostAnswer]
        scene.advanceToSoft()
        scene.settle()
        scene.backend.isUnreachable = true
        scene.advance(random.uniform(0...20))
        scene.backend.isUnreachable = false
        scene.advance(until: { $0.state == .fresh }, atMost: 40)
        #expect(scene.generation == 2)
        #expect(scene.signedOutReasons.isEmpty)
    }

    @Test("an answer that was lost on the way there and one on the way back are told apart later")
    func lostRequestIsHarmless() {
        let scene = Self.losing([.lostRequest], grace: 0)
        scene.advance(2)
        #expect(scene.state == .fresh)
        #expect(scene.generation == 2)
    }
}
