import Basics
import FoundationEssentials
import Model
import Profiles
import Testing

@testable import Client

@Suite("ClientMachine: transient failures")
struct SessionRetryTests {
    private static func failing(
        _ faults: ScriptedBackend.Fault...,
        lifetime: Double = 900
    ) -> MachineHarness {
        let harness = MachineHarness.signedIn { $0.accessLifetime = lifetime }
        harness.backend.refreshFaults = faults
        harness.advanceToSoft()
        harness.advance(0.3)
        return harness
    }

    @Test(
        "renewing, transient → retrying(k), and the session continues",
        arguments: [
            ScriptedBackend.Fault.status(503), .status(429), .status(418), .notSent,
            .clientFault(422), .clientFault(302),
        ]
    )
    func retrying(fault: ScriptedBackend.Fault) {
        let harness = Self.failing(fault)
        #expect(harness.state.name == "retrying")
        #expect(harness.outlook?.failures == 1)
        #expect(harness.failures.count == 1)
        harness.request(1)
        harness.advance(until: { $0.state == .fresh })
        #expect(harness.finished[1] == [.accepted(status: 200)])
        #expect(harness.generation == 2)
        #expect(!harness.has("graceRecovered"))
        #expect(harness.vault.record?.journal == nil)
    }

    @Test("the first wait follows the policy, and each try is counted")
    func waits() {
        let harness = Self.failing(.status(503), .status(503), .status(503))
        // L = 900: a window of 177.5 s, and a first wait of 5 s at most.
        #expect((2.5...5).contains(harness.nextTryIn ?? 0))
        harness.advance(until: { $0.failures.count == 2 })
        #expect((5...10).contains(harness.nextTryIn ?? 0))
        harness.advance(until: { $0.failures.count == 3 })
        #expect((10...20).contains(harness.nextTryIn ?? 0))
        #expect(harness.failures.map(\.attempt) == [1, 2, 3])
    }

    @Test(
        "waits grow up to a minute, but for one last chance before the access token's end",
        arguments: [8.0, 60, 900],
        0..<10
    )
    func grows(lifetime: Double, seed: UInt64) throws {
        let harness = MachineHarness.signedIn(seed: seed) {
            $0.accessLifetime = lifetime
            $0.refreshLifetime = nil
            $0.roundTrip = 0.01
        }
        harness.backend.refreshFaults = Array(repeating: .status(503), count: 200)
        harness.advanceToSoft()
        let usableUntil = try #require(
            harness.machine.schedule?.usableUntil.seconds(since: .origin)
        )
        harness.advance(lifetime + 600)
        let times = harness.refreshes.map(\.at)
        let lastChance = usableUntil - (2 * harness.machine.roundTrip + 1)
        let waits = zip(times, times.dropFirst()).map { (wait: $1 - $0, at: $1) }
        for (before, after) in zip(waits, waits.dropFirst()) {
            let isLastChance = abs(after.at - lastChance) < 0.001
            let isAtLimit = after.wait >= 30
            #expect(isLastChance || isAtLimit || after.wait >= before.wait - 0.02)
        }
        #expect(waits.allSatisfy { $0.wait <= 60.1 || $0.at < usableUntil + 60 })
        #expect(times.count { $0 < (times.first ?? 0) + 3 } <= 5)
        // One that is in progress then is as good.
        #expect(times.contains { $0 > lastChance - 0.05 && $0 < usableUntil })
    }

    @Test("the wait that was planned is not made shorter by the access token's end")
    func planned() throws {
        let harness = Self.failing(lifetime: 60)
        harness.backend.refreshFaults = Array(repeating: .status(503), count: 200)
        harness.advanceToHard()
        harness.advance(until: { $0.state.name == "expired" })
        let next = try #require(harness.outlook?.nextAt)
        let last = try #require(harness.refreshes.last?.at)
        #expect(next.seconds(since: .origin) - last >= 2.5)
    }

    @Test("a profile may limit the tries that follow each other: the next use tries again, later")
    func attempts() throws {
        let harness = MachineHarness.signedIn(configuration: .testing(attempts: 3)) {
            $0.accessLifetime = 900
            $0.refreshLifetime = nil
        }
        harness.backend.refreshFaults = Array(repeating: .status(503), count: 6)
        harness.advanceToSoft()
        harness.advance(60)
        #expect(harness.refreshes.count == 3)
        #expect(harness.outlook?.hold == .use)
        #expect(harness.outlook?.nextAt == nil)
        harness.advance(600)
        #expect(harness.refreshes.count == 3)
        // Then three more, beginning with the next use.
        harness.request(1)
        harness.advance(0.5)
        #expect(harness.refreshes.count == 4)
        #expect(harness.refreshes.last?.cause == .caller)
        harness.advance(300)
        #expect(harness.refreshes.count == 6)
        harness.request(2)
        harness.advance(1)
        #expect(harness.refreshes.count == 7)
        #expect(harness.state == .fresh)
    }

    @Test("a use soon after a failure starts no try: a good token is sent, a dead one is not")
    func usesAreSpaced() {
        let harness = MachineHarness.signedIn(configuration: .testing(attempts: 3)) {
            $0.refreshLifetime = nil
        }
        harness.backend.refreshFaults = Array(repeating: .status(503), count: 100)
        harness.advanceToSoft()
        for id in 1...100 {
            harness.request(id)
            harness.advance(1)
        }
        // Ten seconds with a good token, then ninety with waits of up to a minute.
        #expect(harness.refreshes.count <= 9)
        #expect(harness.finished[1] == [.accepted(status: 200)])
        guard case .noToken(.notRenewed)? = harness.finished[100]?.first else {
            Issue.record("a request is sent with a dead token")
            return
        }
    }

    @Test("at most twelve tries follow the first, and one last chance before hard")
    func budget() throws {
        let harness = MachineHarness.signedIn { $0.accessLifetime = 3600 }
        harness.backend.refreshFaults = Array(repeating: .status(503), count: 100)
        let usableUntil = try #require(
            harness.machine.schedule?.usableUntil.seconds(since: .origin)
        )
        harness.advance(until: { $0.state.name == "expired" }, atMost: 4000)
        #expect(harness.refreshes.count <= 14)
        let last = try #require(harness.refreshes.last?.at)
        #expect(abs(usableUntil - last - (2 * harness.machine.roundTrip + 1)) < 0.001)
    }

    @Test("renewing, hard → blocked: callers wait, and the same flight serves them")
    func blocked() {
        let harness = MachineHarness.signedIn { $0.roundTrip = 15 }
        harness.advanceToSoft()
        #expect(harness.state == .renewing)
        harness.advanceToHard()
        #expect(harness.state == .blocked)
        harness.needToken(1, timeout: 20)
        #expect(harness.resumed[1] == nil)
        harness.advance(15)
        #expect(harness.resumed[1]?.first?.generation == 2)
        #expect(harness.refreshes.count == 1)
    }

    @Test("retrying during an attempt, hard → blocked")
    func retryingBlocked() {
        let harness = MachineHarness.signedIn { $0.roundTrip = 4 }
        harness.backend.refreshFaults = [.status(503)]
        harness.advance(until: { $0.failures.count == 1 })
        harness.backend.roundTrip = 60
        harness.advance(until: { $0.refreshes.count == 2 })
        #expect(harness.state.name == "retrying")
        harness.advanceToHard()
        #expect(harness.state == .blocked)
    }

    @Test("blocked, transient → expired: waiters learn when it is tried again")
    func blockedExpired() throws {
        let harness = MachineHarness.signedIn { $0.roundTrip = 15 }
        harness.backend.refreshFaults = [.status(503)]
        harness.advanceToSoft()
        harness.advanceToHard()
        harness.needToken(1)
        harness.advance(until: { $0.state.name == "expired" })
        let nextAt = try #require(harness.outlook?.nextAt)
        #expect(harness.resumed[1]?.first?.failure == .notRenewed(retryAt: nextAt))
        harness.needToken(2)
        #expect(harness.resumed[2]?.first?.failure == .notRenewed(retryAt: nextAt))
    }

    @Test("retrying, hard → expired if no attempt is in progress")
    func retryingExpired() {
        let harness = MachineHarness.signedIn()
        harness.backend.isUnreachable = true
        harness.advanceToHard()
        harness.advance(1)
        #expect(harness.state.name == "expired")
        harness.request(1)
        #expect(harness.protectedSends.isEmpty)
        #expect(harness.signedOutReasons.isEmpty)
    }

    @Test("expired, it is retried after 2, 4, 8 … 60 s, less jitter, without end")
    func deadSchedule() {
        let harness = MachineHarness.signedIn { $0.refreshLifetime = nil }
        harness.backend.isUnreachable = true
        harness.advance(2 * 3600)
        #expect(harness.state.name == "expired")
        #expect(harness.signedOutReasons.isEmpty)
        let times = harness.refreshes.map(\.at).filter { $0 > 58 }
        let waits = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(waits.allSatisfy { $0 <= 60.31 })
        #expect(waits.suffix(20).allSatisfy { $0 >= 30 })
        #expect(harness.refreshes.count <= 12 + 1 + 6 + 2 * 3600 / 30)
    }

    @Test("an outage of hours is no verdict: the session comes back")
    func comesBack() {
        let harness = MachineHarness.signedIn { $0.refreshLifetime = nil }
        harness.backend.isUnreachable = true
        harness.advance(5 * 3600)
        harness.backend.isUnreachable = false
        harness.advance(until: { $0.state == .fresh }, atMost: 61)
        #expect(harness.generation == 2)
    }

    @Test("a profile may give up after a number of failures with a dead access token")
    func givesUp() {
        let harness = MachineHarness.signedIn(configuration: .testing(giveUpAfter: 3))
        harness.backend.isUnreachable = true
        harness.advance(300)
        #expect(harness.state == .signedOut(.gaveUp))
        #expect(harness.storedPair == nil)
    }

    @Test("a profile gives up as well when the answers are lost again and again")
    func givesUpWithoutAnswers() {
        let harness = MachineHarness.signedIn(
            configuration: .testing(rotation: .never, giveUpAfter: 5)
        ) {
            $0.behavior = .keeps
        }
        harness.backend.refreshFaults = Array(repeating: .lostRequest, count: 100)
        harness.advance(300)
        #expect(harness.state == .signedOut(.gaveUp))
        #expect(harness.vault.holder == nil)
    }

    @Test("a profile that gives up does not while the access token is good")
    func givesUpLater() {
        let harness = MachineHarness.signedIn(configuration: .testing(giveUpAfter: 2)) {
            $0.accessLifetime = 900
        }
        harness.backend.isUnreachable = true
        harness.advanceToSoft()
        harness.advance(60)
        #expect(harness.failures.count > 2)
        #expect(harness.state.name == "retrying")
    }

    @Test("a caller does not shorten the wait for Retry-After, the user does")
    func retryAfter() {
        let harness = Self.failing(.status(429, retryAfter: .seconds(60)))
        #expect((harness.nextTryIn ?? 0) >= 60)
        harness.backend.endAccessTokens()
        harness.request(1)
        harness.advance(10)
        #expect(harness.refreshes.count == 1)
        harness.send(.refreshNow)
        harness.advance(1)
        #expect(harness.refreshes.count == 2)
        #expect(harness.refreshes.last?.cause == .user)
        #expect(harness.state == .fresh)
    }

    @Test("a refusal of what the user asked for does not shorten the wait for Retry-After")
    func retryAfterThenBareRefusal() throws {
        let harness = MachineHarness.signedIn { $0.accessLifetime = 3_600 }
        harness.backend.refreshFaults = [
            .status(429, retryAfter: .seconds(60)), .bareRefusal,
        ]
        harness.advanceToSoft()
        harness.advance(until: { $0.failures.count == 1 })
        let answeredAt = harness.now
        harness.advance(10)
        harness.send(.refreshNow)
        harness.advance(until: { $0.refreshes.count == 3 })
        #expect(harness.refreshes[1].at < answeredAt + 60)
        #expect(harness.refreshes[2].at >= answeredAt + 60)
    }

    @Test("Retry-After holds beyond the end of the access token")
    func retryAfterBeyondHard() {
        let harness = Self.failing(.status(503, retryAfter: .seconds(300)))
        let asked = harness.now + 300
        harness.advance(200)
        #expect(harness.state.name == "expired")
        harness.needToken(1)
        #expect(harness.refreshes.count == 1)
        harness.advance(until: { $0.refreshes.count == 2 })
        #expect(harness.now >= asked)
        harness.advance(1)
        #expect(harness.state == .fresh)
    }

    @Test("a pause and its end do not shorten the wait for Retry-After")
    func retryAfterPaused() {
        let harness = Self.failing(.status(503, retryAfter: .seconds(60)))
        let asked = harness.now + 60
        harness.send(.setPaused(.timer))
        harness.advance(10)
        harness.send(.setPaused(nil))
        harness.advance(until: { $0.refreshes.count == 2 })
        #expect(harness.now >= asked)
    }

    @Test(
        "what comes meanwhile moves neither the try nor its announcement to before Retry-After",
        arguments: ["a login that fails", "a sleep", "a renewal that the user asks for"]
    )
    func retryAfterIsAnnounced(what: String) throws {
        let harness = Self.failing(.status(503, retryAfter: .seconds(300)))
        let asked = harness.moment.now.advanced(bySeconds: 300)
        harness.advance(200)
        #expect(harness.toldPlan == .scheduled(at: asked, .retry))
        switch what {
        case "a login that fails":
            harness.backend.loginFaults = [.status(503)]
            harness.send(.logIn)
        case "a sleep":
            harness.interrupt(20, suspended: 20)
            harness.send(.feed(.pong(socket: 1)))
            #expect(harness.has("wake"))
        default:
            harness.backend.refreshFaults = [.notSent]
            harness.send(.refreshNow)
        }
        harness.advance(0.5)
        #expect(harness.state.name == "expired")
        let next = try #require(harness.outlook?.nextAt)
        #expect(next >= asked)
        #expect(harness.toldPlan == .scheduled(at: next, .retry))
    }

    @Test("Retry-After as a date is read by the server's clock")
    func retryAfterDate() {
        let harness = MachineHarness.signedIn {
            $0.accessLifetime = 900
            $0.ahead = 1000
        }
        let at = harness.machine.schedule?.refreshAt.seconds(since: .origin) ?? 0
        let date = Date(timeIntervalSince1970: MachineHarness.epoch + at + 1000 + 60)
        harness.backend.refreshFaults = [.status(503, retryAfter: .date(date))]
        harness.advanceToSoft()
        harness.advance(0.3)
        let wait = harness.nextTryIn ?? 0
        #expect((58...62.5).contains(wait))
    }

    @Test("Retry-After is limited to an hour")
    func retryAfterLimit() {
        let harness = Self.failing(
            .status(503, retryAfter: .seconds(1e9)),
            lifetime: 86_400
        )
        #expect((3600...3601).contains(harness.nextTryIn ?? 0))
    }

    @Test("client fault → retrying, three times, then a protocol error; the tokens are kept")
    func clientFaults() {
        let harness = Self.failing(
            .clientFault(422),
            .clientFault(422),
            .clientFault(422),
            .clientFault(422)
        )
        harness.advance(until: { $0.failures.count == 3 })
        #expect(harness.count("protocolError") == 1)
        #expect(harness.state.name == "retrying")
        #expect(harness.refreshToken != nil)
        let nextAt = harness.outlook?.nextAt
        let usableUntil = harness.machine.schedule?.usableUntil
        if let nextAt, let usableUntil { #expect(usableUntil.seconds(since: nextAt) < 4) }
    }

    @Test(
        "a request that has worked, answered with the same 4xx again: the token is in doubt, and kept",
        arguments: [ScriptedBackend.Fault.clientFault(400), .status(401), .status(403)]
    )
    func doubt(fault: ScriptedBackend.Fault) {
        let harness = Self.signedInAndRenewed()
        harness.backend.refreshFaults = Array(repeating: fault, count: 40)
        harness.advance(until: { $0.failures.count == 10 })
        #expect(harness.count("protocolError") == 1)
        #expect(harness.refreshToken != nil)
        #expect(harness.state.name == "expired")
        #expect((harness.nextTryIn ?? 0) > 120)
        harness.backend.refreshFaults = []
        harness.advance(until: { $0.state == .fresh })
        #expect(harness.generation == 3)
    }

    @Test(
        "an answer that is hardly about the token, or to a request that never worked, is as before",
        arguments: [
            (ScriptedBackend.Fault.clientFault(404), true), (.status(418), true),
            (.status(401), false), (.clientFault(400), false),
        ]
    )
    func noDoubt(fault: ScriptedBackend.Fault, hasWorked: Bool) {
        let harness =
            hasWorked
            ? Self.signedInAndRenewed() : MachineHarness.signedIn { $0.accessLifetime = 60 }
        harness.backend.refreshFaults = Array(repeating: fault, count: 40)
        harness.advance(until: { $0.failures.count == 10 })
        #expect((harness.nextTryIn ?? 0) <= 62)
    }

    private static func signedInAndRenewed() -> MachineHarness {
        let harness = MachineHarness.signedIn { $0.accessLifetime = 60 }
        harness.advance(until: { $0.generation == 2 })
        return harness
    }

    @Test("a success forgets all failures")
    func forgets() {
        let harness = Self.failing(.status(503), .status(503))
        harness.advance(until: { $0.generation == 2 })
        harness.backend.refreshFaults = [.status(503)]
        harness.advanceToSoft()
        harness.advance(0.3)
        #expect(harness.failures.last?.attempt == 1)
    }
}
