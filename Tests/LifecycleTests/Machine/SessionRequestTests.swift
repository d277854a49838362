import Dialects
import Lifecycle
import Testing
import Timekeeping
import Tokens

@Suite("ClientMachine: requests and refusals")
struct SessionRequestTests {
    @Test("fresh, 401(current g) → renewing: the request is sent once more with the new token")
    func repeated() {
        let scene = Scene.signedIn()
        scene.advance(20)
        scene.backend.endAccessTokens()
        scene.request(1)
        scene.advance(0.3)
        #expect(scene.state == .renewing)
        scene.advance(1)
        #expect(scene.finished[1] == [.accepted(status: 200)])
        #expect(scene.refreshes.map(\.cause) == [.unauthorized])
        #expect(scene.protectedSends.count == 2)
        let records = scene.requestRecords.filter { $0.purpose == .protected }
        #expect(records.map(\.retryOf) == [nil, records.first?.id])
        #expect(records.map(\.generation) == [1, 2])
    }

    @Test("ten refused requests share one renewal, and each succeeds")
    func singleFlight() {
        let scene = Scene.signedIn()
        scene.advance(20)
        scene.backend.endAccessTokens()
        for id in 1...10 { scene.request(id) }
        scene.advance(2)
        #expect(scene.refreshes.count == 1)
        for id in 1...10 { #expect(scene.finished[id] == [.accepted(status: 200)]) }
        #expect(scene.protectedSends.count == 20)
    }

    @Test("any, 401(g' < current) → same: the caller retries once with the current token")
    func olderGeneration() {
        let scene = Scene.signedIn()
        scene.advance(20)
        scene.backend.protectedFaults = [.refused]
        scene.backend.roundTrip = 3
        scene.request(1)
        scene.backend.roundTrip = 0.3
        scene.send(.refreshNow)
        scene.advance(1)
        #expect(scene.generation == 2)
        scene.advance(5)
        #expect(scene.finished[1] == [.accepted(status: 200)])
        #expect(scene.refreshes.count == 1)
        #expect(scene.state == .fresh)
    }

    @Test("the refusal of an older token renews nothing, even when the current one has ended")
    func olderGenerationWhilePaused() {
        let scene = Scene.signedIn { $0.accessLifetime = 20 }
        scene.send(.setPaused(true))
        scene.backend.protectedFaults = [.refused]
        scene.backend.roundTrip = 19.5
        scene.request(1)
        scene.backend.roundTrip = 0.3
        scene.send(.refreshNow)
        scene.advance(19)
        #expect(scene.generation == 2)
        #expect(scene.state.name == "offline")
        scene.advance(5)
        #expect(scene.finished[1] == [.rejected(status: 401)])
        #expect(scene.refreshes.map(\.cause) == [.person])
    }

    @Test("a request is sent twice at most")
    func twiceAtMost() {
        let scene = Scene.signedIn()
        scene.advance(20)
        scene.backend.rejectsAll = true
        scene.request(1)
        scene.advance(5)
        #expect(scene.finished[1] == [.rejected(status: 401)])
        #expect(scene.protectedSends.count == 2)
    }

    @Test("more than a few refusals of fresh tokens open the breaker: no more flights for 30 s")
    func storm() throws {
        let scene = Scene.signedIn()
        scene.advance(20)
        scene.backend.rejectsAll = true
        for id in 1...20 {
            scene.request(id)
            scene.advance(1)
        }
        #expect(scene.has("storm"))
        #expect(scene.signedOutReasons.isEmpty)
        let flights = scene.refreshes.count
        #expect(flights <= 3)
        let until = try #require(scene.machine.flags.stormUntil)
        scene.send(.refreshNow)
        scene.advance(1)
        #expect(scene.refreshes.count == flights + 1)
        scene.backend.rejectsAll = false
        scene.advance(until.seconds(since: scene.moment.now))
        #expect(scene.machine.flags.stormUntil == nil)
        scene.request(100)
        scene.advance(2)
        #expect(scene.finished[100] == [.accepted(status: 200)])
        scene.advance(300)
        #expect(scene.state == .fresh)
    }

    @Test("during a storm a refused request ends at once")
    func duringStorm() {
        let scene = Scene.signedIn()
        scene.backend.rejectsAll = true
        for id in 1...4 {
            scene.request(id)
            scene.advance(1)
        }
        #expect(scene.machine.flags.stormUntil != nil)
        scene.request(9)
        scene.advance(0.3)
        #expect(scene.finished[9] == [.rejected(status: 401)])
    }

    @Test("a storm does not outlive the access token: after it the session renews")
    func stormAndHard() {
        let scene = Scene.signedIn { $0.accessLifetime = 20 }
        scene.backend.rejectsAll = true
        for id in 1...4 {
            scene.request(id)
            scene.advance(1)
        }
        scene.backend.rejectsAll = false
        #expect(scene.machine.flags.stormUntil != nil)
        scene.advance(25)
        #expect(scene.state.name == "offline")
        scene.advance(20)
        #expect(scene.state == .fresh)
    }

    @Test("a storm while the end of the token is unknown ends too")
    func stormWithoutSchedule() {
        let scene = Scene.signedIn {
            $0.statement = .nothing
            $0.refreshLifetime = nil
        }
        scene.backend.refreshFaults = [.status(503)]
        scene.backend.rejectsAll = true
        for id in 1...6 {
            scene.request(id)
            scene.advance(1)
        }
        scene.backend.rejectsAll = false
        scene.advance(300)
        #expect(scene.state == .fresh)
    }

    @Test(
        "what says nothing about the token ends the request and changes nothing",
        arguments: [500, 503, 404]
    )
    func inconclusive(status: Int) {
        let scene = Scene.signedIn()
        scene.backend.protectedFaults = [.status(status)]
        scene.request(1)
        scene.advance(1)
        #expect(scene.finished[1] == [.inconclusive(status: status)])
        #expect(scene.state == .fresh)
        #expect(scene.refreshes.isEmpty)
    }

    @Test("a request that did not leave, or got no answer, is not sent again")
    func unanswered() {
        let scene = Scene.signedIn()
        scene.backend.protectedFaults = [.notSent, .lostRequest]
        scene.request(1)
        scene.request(2)
        scene.advance(1)
        #expect(scene.finished[1] == [.notSent(words: "refused")])
        #expect(scene.finished[2] == [.unanswered(words: "timed out")])
        #expect(scene.protectedSends.count == 2)
    }

    @Test("without a session a request ends at once")
    func signedOut() {
        let scene = Scene.signedIn()
        scene.send(.logOut(.this))
        scene.advance(1)
        scene.request(1)
        #expect(scene.finished[1] == [.noToken(.signedOut(.user))])
        #expect(scene.protectedSends.isEmpty)
    }

    @Test("no request leaves with a token that is over, whatever else happens", arguments: 0..<10)
    func deadTokenBan(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let scene = Scene.signedIn(seed: seed) { $0.accessLifetime = 10 }
        for id in 1...200 {
            scene.backend.isUnreachable = random.uniform(0...1) < 0.4
            scene.request(id, patience: 5)
            scene.advance(random.uniform(0...2))
        }
        scene.backend.isUnreachable = false
        scene.advance(30)
        for (at, token) in scene.protectedSends {
            #expect(Scene.epoch + at < scene.backend.accessEnds[token.secret.reveal()] ?? 0)
        }
        for id in 1...200 { #expect(scene.finished[id]?.count == 1) }
    }

    @Test("a request that succeeds after the access token's end says that the network is back")
    func networkIsBack() {
        let scene = Scene.signedIn()
        scene.backend.refreshFaults = Array(repeating: .notSent, count: 100)
        scene.advance(57)
        scene.backend.roundTrip = 40
        scene.request(1)
        scene.settle()
        scene.backend.roundTrip = 0.3
        scene.advance(39.9)
        #expect(scene.state.name == "offline")
        scene.backend.refreshFaults = []
        let sends = scene.refreshes.count
        scene.advance(0.2)
        #expect(scene.finished[1] == [.accepted(status: 200)])
        #expect(scene.refreshes.count == sends + 1)
    }

    @Test(
        "healthy backend: nobody sees a 401, and nobody waits",
        arguments: [5.0, 15, 60, 900, 86_400]
    )
    func availability(lifetime: Double) {
        let scene = Scene.signedIn {
            $0.accessLifetime = lifetime
            $0.refreshLifetime = nil
            $0.roundTrip = min(lifetime / 10, 0.3)
        }
        for id in 1...400 {
            scene.request(id)
            scene.advance(lifetime / 40)
            let isDone = scene.protectedSends.count == id
            #expect(isDone)
        }
        scene.advance(1)
        #expect((1...400).allSatisfy { scene.finished[$0] == [.accepted(status: 200)] })
        #expect(scene.refreshes.count <= 20)
    }
}
