import Basics
import Model
import Profiles
import Testing

@testable import Client

@Suite("ClientMachine: requests and refusals")
struct SessionRequestTests {
    @Test("fresh, 401(current g) → renewing: the request is sent once more with the new token")
    func repeated() {
        let harness = MachineHarness.signedIn()
        harness.advance(20)
        harness.backend.endAccessTokens()
        harness.request(1)
        harness.advance(0.3)
        #expect(harness.state == .renewing)
        harness.advance(1)
        #expect(harness.finished[1] == [.accepted(status: 200)])
        #expect(harness.refreshes.map(\.cause) == [.unauthorized])
        #expect(harness.protectedSends.count == 2)
        let records = harness.requestRecords.filter { $0.purpose == .protected }
        #expect(records.map(\.retryOf) == [nil, records.first?.id])
        #expect(records.map(\.generation) == [1, 2])
    }

    @Test("a refusal with another status, which the profile names, is not called a 401")
    func otherStatus() {
        let harness = MachineHarness.signedIn()
        harness.advance(20)
        harness.backend.protectedFaults = [.bareRefusal]
        harness.request(1)
        harness.advance(1)
        #expect(harness.finished[1] == [.accepted(status: 200)])
        #expect(harness.refreshes.map(\.cause) == [.tokenRefused])
    }

    @Test("ten refused requests share one renewal, and each succeeds")
    func singleFlight() {
        let harness = MachineHarness.signedIn()
        harness.advance(20)
        harness.backend.endAccessTokens()
        for id in 1...10 { harness.request(id) }
        harness.advance(2)
        #expect(harness.refreshes.count == 1)
        for id in 1...10 { #expect(harness.finished[id] == [.accepted(status: 200)]) }
        #expect(harness.protectedSends.count == 20)
    }

    @Test("any, 401(g' < current) → same: the caller retries once with the current token")
    func olderGeneration() {
        let harness = MachineHarness.signedIn()
        harness.advance(20)
        harness.backend.protectedFaults = [.refused]
        harness.backend.roundTrip = 3
        harness.request(1)
        harness.backend.roundTrip = 0.3
        harness.send(.refreshNow)
        harness.advance(1)
        #expect(harness.generation == 2)
        harness.advance(5)
        #expect(harness.finished[1] == [.accepted(status: 200)])
        #expect(harness.refreshes.count == 1)
        #expect(harness.state == .fresh)
    }

    @Test("a request whose deadline has passed during a sleep is not sent when the token comes")
    func overslept() {
        let harness = MachineHarness.signedIn { $0.roundTrip = 15 }
        harness.advanceToHard()
        harness.request(1, timeout: 12)
        harness.sleep(20)
        harness.advance(1)
        #expect(harness.generation == 2)
        #expect(harness.protectedSends.isEmpty)
        #expect(harness.finished[1] == [.noToken(.timedOut)])
    }

    @Test("a request whose caller no longer waits is not sent again")
    func refusedTooLate() {
        let harness = MachineHarness.signedIn()
        harness.advance(20)
        harness.backend.protectedFaults = [.refused]
        harness.backend.roundTrip = 3
        harness.request(1, timeout: 2)
        harness.backend.roundTrip = 0.3
        harness.send(.refreshNow)
        harness.advance(5)
        #expect(harness.generation == 2)
        #expect(harness.protectedSends.count == 1)
        #expect(harness.finished[1] == [.rejected(status: 401)])
    }

    @Test("the refusal of an older token renews nothing, even when the current one has ended")
    func olderGenerationWhilePaused() {
        let harness = MachineHarness.signedIn { $0.accessLifetime = 20 }
        harness.send(.setPaused(.timer, by: .background))
        harness.backend.protectedFaults = [.refused]
        harness.backend.roundTrip = 19.5
        harness.request(1)
        harness.backend.roundTrip = 0.3
        harness.send(.refreshNow)
        harness.advance(19)
        #expect(harness.generation == 2)
        #expect(harness.state.name == "expired")
        harness.advance(5)
        #expect(harness.finished[1] == [.rejected(status: 401)])
        #expect(harness.refreshes.map(\.cause) == [.user])
    }

    @Test("a request is sent twice at most")
    func twiceAtMost() {
        let harness = MachineHarness.signedIn()
        harness.advance(20)
        harness.backend.rejectsAll = true
        harness.request(1)
        harness.advance(5)
        #expect(harness.finished[1] == [.rejected(status: 401)])
        #expect(harness.protectedSends.count == 2)
    }

    @Test("more than a few refusals of fresh tokens open the breaker: no more flights for 30 s")
    func circuitBreakerOpened() throws {
        let harness = MachineHarness.signedIn()
        harness.advance(20)
        harness.backend.rejectsAll = true
        for id in 1...20 {
            harness.request(id)
            harness.advance(1)
        }
        #expect(harness.has("circuitBreakerOpened"))
        #expect(harness.signedOutReasons.isEmpty)
        let flights = harness.refreshes.count
        #expect(flights <= 3)
        let until = try #require(harness.machine.flags.breakerOpenUntil)
        harness.send(.refreshNow)
        harness.advance(1)
        #expect(harness.refreshes.count == flights + 1)
        harness.backend.rejectsAll = false
        harness.advance(until.seconds(since: harness.moment.now))
        #expect(harness.machine.flags.breakerOpenUntil == nil)
        harness.request(100)
        harness.advance(2)
        #expect(harness.finished[100] == [.accepted(status: 200)])
        harness.advance(300)
        #expect(harness.state == .fresh)
    }

    @Test("while the circuit breaker is open a refused request ends at once")
    func whileBreakerIsOpen() {
        let harness = MachineHarness.signedIn()
        harness.backend.rejectsAll = true
        for id in 1...4 {
            harness.request(id)
            harness.advance(1)
        }
        #expect(harness.machine.flags.breakerOpenUntil != nil)
        harness.request(9)
        harness.advance(0.3)
        #expect(harness.finished[9] == [.rejected(status: 401)])
    }

    @Test("an open circuit breaker does not hold back the timer, which renews the access token")
    func breakerAndTimer() {
        let harness = MachineHarness.signedIn { $0.accessLifetime = 20 }
        harness.backend.rejectsAll = true
        for id in 1...4 {
            harness.request(id)
            harness.advance(1)
        }
        harness.backend.rejectsAll = false
        #expect(harness.machine.flags.breakerOpenUntil != nil)
        harness.advance(25)
        #expect(harness.state == .fresh)
        #expect(!harness.path.contains("expired"))
    }

    @Test("a circuit breaker that opens while the end of the token is unknown closes too")
    func breakerWithoutSchedule() {
        let harness = MachineHarness.signedIn {
            $0.statement = .nothing
            $0.refreshLifetime = nil
        }
        harness.backend.refreshFaults = [.status(503)]
        harness.backend.rejectsAll = true
        for id in 1...6 {
            harness.request(id)
            harness.advance(1)
        }
        harness.backend.rejectsAll = false
        harness.advance(300)
        #expect(harness.state == .fresh)
    }

    @Test(
        "what says nothing about the token ends the request and changes nothing",
        arguments: [500, 503, 404]
    )
    func inconclusive(status: Int) {
        let harness = MachineHarness.signedIn()
        harness.backend.protectedFaults = [.status(status)]
        harness.request(1)
        harness.advance(1)
        #expect(harness.finished[1] == [.inconclusive(status: status)])
        #expect(harness.state == .fresh)
        #expect(harness.refreshes.isEmpty)
    }

    @Test("a request that did not leave, or got no answer, is not sent again")
    func unanswered() {
        let harness = MachineHarness.signedIn()
        harness.backend.protectedFaults = [.notSent, .lostRequest]
        harness.request(1)
        harness.request(2)
        harness.advance(1)
        #expect(harness.finished[1] == [.notSent(.unreachable(detail: "refused"))])
        #expect(harness.finished[2] == [.unanswered(detail: "timed out")])
        #expect(harness.protectedSends.count == 2)
    }

    @Test("without a session a request ends at once")
    func signedOut() {
        let harness = MachineHarness.signedIn()
        harness.send(.logOut(.this))
        harness.advance(1)
        harness.request(1)
        #expect(harness.finished[1] == [.noToken(.signedOut(.user))])
        #expect(harness.protectedSends.isEmpty)
    }

    @Test("no request is sent with an expired token, whatever else happens", arguments: 0..<10)
    func expiredTokenBan(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let harness = MachineHarness.signedIn(seed: seed) { $0.accessLifetime = 10 }
        for id in 1...200 {
            harness.backend.isUnreachable = random.uniform(0...1) < 0.4
            harness.request(id, timeout: 5)
            harness.advance(random.uniform(0...2))
        }
        harness.backend.isUnreachable = false
        harness.advance(30)
        for (at, token) in harness.protectedSends {
            #expect(
                MachineHarness.epoch + at < harness.backend.accessEnds[token.secret.reveal()] ?? 0
            )
        }
        for id in 1...200 { #expect(harness.finished[id]?.count == 1) }
    }

    @Test("a request that succeeds after the access token's end says that the network is back")
    func networkIsBack() {
        let harness = MachineHarness.signedIn()
        harness.backend.refreshFaults = Array(repeating: .notSent, count: 100)
        harness.advance(57)
        harness.backend.roundTrip = 40
        harness.request(1)
        harness.settle()
        harness.backend.roundTrip = 0.3
        harness.advance(39.9)
        #expect(harness.state.name == "expired")
        harness.backend.refreshFaults = []
        let sends = harness.refreshes.count
        harness.advance(0.2)
        #expect(harness.finished[1] == [.accepted(status: 200)])
        #expect(harness.refreshes.count == sends + 1)
    }

    @Test(
        "healthy backend: no request gets a 401, and none waits",
        arguments: [5.0, 15, 60, 900, 86_400]
    )
    func availability(lifetime: Double) {
        let harness = MachineHarness.signedIn {
            $0.accessLifetime = lifetime
            $0.refreshLifetime = nil
            $0.roundTrip = min(lifetime / 10, 0.3)
        }
        for id in 1...400 {
            harness.request(id)
            harness.advance(lifetime / 40)
            let isDone = harness.protectedSends.count == id
            #expect(isDone)
        }
        harness.advance(1)
        #expect((1...400).allSatisfy { harness.finished[$0] == [.accepted(status: 200)] })
        #expect(harness.refreshes.count <= 20)
    }
}
