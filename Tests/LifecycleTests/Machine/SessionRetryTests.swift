import Dialects
import FoundationEssentials
import Lifecycle
import Testing
import Timekeeping
import Tokens

@Suite("ClientMachine: transient failures")
struct SessionRetryTests {
    private static func failing(
        _ faults: ScriptedBackend.Fault...,
        lifetime: Double = 900
    ) -> Scene {
        let scene = Scene.signedIn { $0.accessLifetime = lifetime }
        scene.backend.refreshFaults = faults
        scene.advanceToSoft()
        scene.advance(0.3)
        return scene
    }

    @Test(
        "renewing, transient → retrying(k), and the session lives on",
        arguments: [
            ScriptedBackend.Fault.status(503), .status(429), .status(418), .notSent,
            .clientFault(422), .clientFault(302),
        ]
    )
    func retrying(fault: ScriptedBackend.Fault) {
        let scene = Self.failing(fault)
        #expect(scene.state.name == "retrying")
        #expect(scene.outlook?.failures == 1)
        #expect(scene.failures.count == 1)
        scene.request(1)
        scene.advance(until: { $0.state == .fresh })
        #expect(scene.finished[1] == [.accepted(status: 200)])
        #expect(scene.generation == 2)
        #expect(!scene.has("graceRecovered"))
        #expect(scene.vault.record?.journal == nil)
    }

    @Test("the first wait follows the policy, and each try is counted")
    func waits() {
        let scene = Self.failing(.status(503), .status(503), .status(503))
        // L = 900: a window of 177.5 s; floor 5, base 5.
        #expect((5...5.01).contains(scene.nextTryIn ?? 0))
        scene.advance(until: { $0.failures.count == 2 })
        #expect((5...10).contains(scene.nextTryIn ?? 0))
        scene.advance(until: { $0.failures.count == 3 })
        #expect((10...20).contains(scene.nextTryIn ?? 0))
        #expect(scene.failures.map(\.attempt) == [1, 2, 3])
    }

    @Test("at most twelve tries follow the first, and one last chance before hard")
    func budget() throws {
        let scene = Scene.signedIn { $0.accessLifetime = 3600 }
        scene.backend.refreshFaults = Array(repeating: .status(503), count: 100)
        let hard = try #require(scene.machine.schedule?.hard.seconds(since: .origin))
        scene.advance(until: { $0.state.name == "offline" }, atMost: 4000)
        #expect(scene.refreshes.count <= 14)
        let last = try #require(scene.refreshes.last?.at)
        #expect(abs(hard - last - (2 * scene.machine.roundTrip + 1)) < 0.001)
    }

    @Test("renewing, hard → blocked: callers wait, and the same flight serves them")
    func blocked() {
        let scene = Scene.signedIn { $0.roundTrip = 15 }
        scene.advanceToSoft()
        #expect(scene.state == .renewing)
        scene.advanceToHard()
        #expect(scene.state == .blocked)
        scene.needToken(1, patience: 20)
        #expect(scene.resumed[1] == nil)
        scene.advance(15)
        #expect(scene.resumed[1]?.first?.generation == 2)
        #expect(scene.refreshes.count == 1)
    }

    @Test("retrying with a try under way, hard → blocked")
    func retryingBlocked() {
        let scene = Scene.signedIn { $0.roundTrip = 4 }
        scene.backend.refreshFaults = [.status(503)]
        scene.advance(until: { $0.failures.count == 1 })
        scene.backend.roundTrip = 60
        scene.advance(until: { $0.refreshes.count == 2 })
        #expect(scene.state.name == "retrying")
        scene.advanceToHard()
        #expect(scene.state == .blocked)
    }

    @Test("blocked, transient → offline: waiters learn when it is tried again")
    func blockedOffline() throws {
        let scene = Scene.signedIn { $0.roundTrip = 15 }
        scene.backend.refreshFaults = [.status(503)]
        scene.advanceToSoft()
        scene.advanceToHard()
        scene.needToken(1)
        scene.advance(until: { $0.state.name == "offline" })
        let nextAt = try #require(scene.outlook?.nextAt)
        #expect(scene.resumed[1]?.first?.failure == .offline(retryAt: nextAt))
        scene.needToken(2)
        #expect(scene.resumed[2]?.first?.failure == .offline(retryAt: nextAt))
    }

    @Test("retrying, hard → offline when no try is under way")
    func retryingOffline() {
        let scene = Scene.signedIn()
        scene.backend.isUnreachable = true
        scene.advanceToHard()
        scene.advance(1)
        #expect(scene.state.name == "offline")
        scene.request(1)
        #expect(scene.protectedSends.isEmpty)
        #expect(scene.signedOutReasons.isEmpty)
    }

    @Test("offline, it is tried again after 2, 4, 8 … 60 s, less jitter, for ever")
    func deadSchedule() {
        let scene = Scene.signedIn { $0.refreshLifetime = nil }
        scene.backend.isUnreachable = true
        scene.advance(2 * 3600)
        #expect(scene.state.name == "offline")
        #expect(scene.signedOutReasons.isEmpty)
        let times = scene.refreshes.map(\.at).filter { $0 > 58 }
        let waits = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(waits.allSatisfy { $0 <= 60.31 })
        #expect(waits.suffix(20).allSatisfy { $0 >= 30 })
        #expect(scene.refreshes.count <= 12 + 1 + 6 + 2 * 3600 / 30)
    }

    @Test("an outage of hours is no verdict: the session comes back")
    func comesBack() {
        let scene = Scene.signedIn { $0.refreshLifetime = nil }
        scene.backend.isUnreachable = true
        scene.advance(5 * 3600)
        scene.backend.isUnreachable = false
        scene.advance(until: { $0.state == .fresh }, atMost: 61)
        #expect(scene.generation == 2)
    }

    @Test("a profile may give up after so many failures with a dead access token")
    func givesUp() {
        let scene = Scene.signedIn(traits: .testing(giveUpAfter: 3))
        scene.backend.isUnreachable = true
        scene.advance(300)
        #expect(scene.state == .signedOut(.gaveUp))
        #expect(scene.storedPair == nil)
    }

    @Test("a profile gives up as well when the answers are lost again and again")
    func givesUpWithoutAnswers() {
        let scene = Scene.signedIn(traits: .testing(rotation: .never, giveUpAfter: 5)) {
            $0.habit = .keeps
        }
        scene.backend.refreshFaults = Array(repeating: .lostRequest, count: 100)
        scene.advance(300)
        #expect(scene.state == .signedOut(.gaveUp))
        #expect(scene.vault.holder == nil)
    }

    @Test("a profile that gives up does not while the access token is good")
    func givesUpLater() {
        let scene = Scene.signedIn(traits: .testing(giveUpAfter: 2)) { $0.accessLifetime = 900 }
        scene.backend.isUnreachable = true
        scene.advanceToSoft()
        scene.advance(60)
        #expect(scene.failures.count > 2)
        #expect(scene.state.name == "retrying")
    }

    @Test("a caller's need does not shorten what Retry-After asks for, a person's wish does")
    func retryAfter() {
        let scene = Self.failing(.status(429, retryAfter: .seconds(60)))
        #expect((scene.nextTryIn ?? 0) >= 60)
        scene.backend.endAccessTokens()
        scene.request(1)
        scene.advance(10)
        #expect(scene.refreshes.count == 1)
        scene.send(.refreshNow)
        scene.advance(1)
        #expect(scene.refreshes.count == 2)
        #expect(scene.refreshes.last?.cause == .person)
        #expect(scene.state == .fresh)
    }

    @Test("Retry-After holds beyond the end of the access token")
    func retryAfterBeyondHard() {
        let scene = Self.failing(.status(503, retryAfter: .seconds(300)))
        let asked = scene.now + 300
        scene.advance(200)
        #expect(scene.state.name == "offline")
        scene.needToken(1)
        #expect(scene.refreshes.count == 1)
        scene.advance(until: { $0.refreshes.count == 2 })
        #expect(scene.now >= asked)
        scene.advance(1)
        #expect(scene.state == .fresh)
    }

    @Test("a pause and its end do not shorten what Retry-After asks for")
    func retryAfterPaused() {
        let scene = Self.failing(.status(503, retryAfter: .seconds(60)))
        let asked = scene.now + 60
        scene.send(.setPaused(true))
        scene.advance(10)
        scene.send(.setPaused(false))
        scene.advance(until: { $0.refreshes.count == 2 })
        #expect(scene.now >= asked)
    }

    @Test("Retry-After as a date is read by the server's clock")
    func retryAfterDate() {
        let scene = Scene.signedIn {
            $0.accessLifetime = 900
            $0.ahead = 1000
        }
        let at = scene.machine.schedule?.soft.seconds(since: .origin) ?? 0
        let date = Date(timeIntervalSince1970: Scene.epoch + at + 1000 + 60)
        scene.backend.refreshFaults = [.status(503, retryAfter: .date(date))]
        scene.advanceToSoft()
        scene.advance(0.3)
        let wait = scene.nextTryIn ?? 0
        #expect((58...62.5).contains(wait))
    }

    @Test("Retry-After asks for an hour at most")
    func retryAfterForEver() {
        let scene = Self.failing(
            .status(503, retryAfter: .seconds(1e9)),
            lifetime: 86_400
        )
        #expect((3600...3601).contains(scene.nextTryIn ?? 0))
    }

    @Test("client fault → retrying, three times, then a protocol error; the tokens are kept")
    func clientFaults() {
        let scene = Self.failing(
            .clientFault(422),
            .clientFault(422),
            .clientFault(422),
            .clientFault(422)
        )
        scene.advance(until: { $0.failures.count == 3 })
        #expect(scene.count("protocolError") == 1)
        #expect(scene.state.name == "retrying")
        #expect(scene.refreshToken != nil)
        let nextAt = scene.outlook?.nextAt
        let hard = scene.machine.schedule?.hard
        if let nextAt, let hard { #expect(hard.seconds(since: nextAt) < 4) }
    }

    @Test("a success forgets all failures")
    func forgets() {
        let scene = Self.failing(.status(503), .status(503))
        scene.advance(until: { $0.generation == 2 })
        scene.backend.refreshFaults = [.status(503)]
        scene.advanceToSoft()
        scene.advance(0.3)
        #expect(scene.failures.last?.attempt == 1)
    }
}
