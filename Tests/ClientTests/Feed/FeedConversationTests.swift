import Basics
import Profiles
import Testing

@testable import Client
@testable import Model

@Suite("FeedMachine: a feed that talks")
struct FeedConversationTests {
    private static let script = FeedScript(
        says: [
            FeedSay("{access}", on: .opening),
            FeedSay("beat", on: .interval(30), answer: 1, limit: 10),
            FeedSay("{access}", on: .renewal),
        ],
        expectations: [
            FeedExpectation("ready", means: .accepted),
            FeedExpectation("heartbeat"),
            FeedExpectation("refused", means: .refused),
        ]
    )

    private func harness(_ following: FeedFollowing = .overlap) -> FeedHarness {
        let harness = FeedHarness(following: following, script: Self.script)
        harness.token(1)
        harness.send(.opened(socket: 1))
        return harness
    }

    /// Lets time pass on a socket whose pings are answered.
    private func live(_ seconds: Int, on socket: Int, of harness: FeedHarness) {
        for _ in 0..<seconds {
            harness.send(.pong(socket: socket))
            harness.advance(1)
        }
    }

    private func count<Kind>(of type: Kind.Type, in harness: FeedHarness) -> Int {
        harness.events.count { $0 is Kind }
    }

    @Test("is open once the server has acknowledged it, and not before")
    func acknowledged() {
        let harness = harness()
        #expect(harness.said.map(\.sayings) == [[FeedSaying(say: 0)]])
        #expect(harness.state == .dialing(socket: 1, generation: 1))
        #expect(count(of: FeedOpened.self, in: harness) == 0)
        harness.answer(0, on: 1)
        #expect(harness.state == .open(socket: 1, generation: 1, since: .origin))
        #expect(count(of: FeedOpened.self, in: harness) == 1)
        #expect(count(of: FeedMessageReceived.self, in: harness) == 0)
    }

    @Test("is given up and dialed again without an acknowledgement, with no renewal")
    func unacknowledged() {
        let harness = harness()
        harness.advance(11)
        let failure = harness.events.compactMap { $0 as? FeedFailed }.first
        #expect(failure?.why == .unanswered(expectation: "ready", seconds: 10))
        #expect(harness.closes.map(\.code) == [1001])
        #expect(harness.rejections.isEmpty)
        harness.advance(5)
        #expect(harness.dials.map(\.generation) == [1, 1])
    }

    @Test("that refuses the token in a message is renewed for once, and dialed again once")
    func refused() {
        let harness = harness()
        harness.answer(2, on: 1, "token expired")
        #expect(harness.rejections == [1])
        #expect(harness.closes.map(\.socket) == [1])
        let failure = harness.events.compactMap { $0 as? FeedFailed }.first
        #expect(failure?.why == .refusedByMessage(words: "token expired"))
        harness.close(1, code: 1000, by: .us)
        harness.token(2)
        #expect(harness.dials.map(\.generation) == [1, 2])
        harness.send(.opened(socket: 2))
        harness.answer(2, on: 2, "token expired")
        #expect(harness.rejections == [1])
        #expect(harness.dials.count == 2)
        #expect(harness.waitsFor == 30)
        harness.advance(29)
        #expect(harness.dials.count == 2)
        harness.advance(2)
        #expect(harness.dials.count == 3)
    }

    @Test("whose refusal is followed by a close is not renewed for twice")
    func refusedAndClosed() {
        let harness = harness()
        harness.answer(2, on: 1)
        harness.close(1, code: 4401)
        harness.close(1, code: 4401)
        #expect(harness.rejections == [1])
        #expect(harness.ended == [1])
    }

    @Test("that refuses the token of a successor keeps the old socket, and switches with the next")
    func refusedSuccessor() {
        let harness = harness()
        harness.answer(0, on: 1)
        harness.advance(10)
        harness.token(2)
        harness.send(.opened(socket: 2))
        harness.answer(2, on: 2)
        #expect(harness.rejections == [2])
        #expect(harness.state == .open(socket: 1, generation: 1, since: .origin))
        harness.token(3)
        harness.close(2, code: 1000, by: .us)
        #expect(harness.dials.map(\.generation) == [1, 2, 3])
    }

    @Test("sends heartbeats, and is open as long as they are answered")
    func heartbeats() {
        let harness = harness()
        harness.answer(0, on: 1)
        for _ in 1...5 {
            live(30, on: 1, of: harness)
            harness.answer(1, on: 1)
        }
        let beats = harness.said.filter { $0.sayings == [FeedSaying(say: 1)] }
        #expect(beats.count == 5)
        #expect(harness.closes.isEmpty)
    }

    @Test("ends with a heartbeat that is not answered, though frames come")
    func deaf() {
        let harness = harness()
        harness.answer(0, on: 1)
        live(30, on: 1, of: harness)
        for _ in 1...9 {
            live(1, on: 1, of: harness)
            harness.text("message", on: 1)
        }
        #expect(harness.closes.isEmpty)
        harness.advance(2)
        let failure = harness.events.compactMap { $0 as? FeedFailed }.first
        #expect(failure?.why == .unanswered(expectation: "heartbeat", seconds: 10))
        #expect(harness.closes.map(\.code) == [1001])
        #expect(harness.dials.count == 2)
    }

    @Test("tells an open socket a renewal, and opens no other")
    func told() {
        let harness = harness(.message)
        harness.answer(0, on: 1)
        for generation in 2...21 { harness.token(generation) }
        let told = harness.said.filter { $0.sayings == [FeedSaying(say: 2)] }
        #expect(told.map(\.generation) == Array(2...21))
        #expect(harness.dials.count == 1)
        #expect(harness.state == .open(socket: 1, generation: 21, since: .origin))
    }

    @Test("tells a renewal that came before the acknowledgement after it")
    func toldLater() {
        let harness = harness(.message)
        harness.token(2)
        #expect(harness.said.count == 1)
        harness.answer(0, on: 1)
        #expect(harness.said.last?.generation == 2)
        #expect(harness.said.last?.sayings == [FeedSaying(say: 2)])
    }

    @Test("that closes before the acknowledgement, without a reason, has refused the token")
    func closedEarly() {
        let harness = harness()
        harness.close(1, code: 1000)
        #expect(harness.rejections == [1])
    }
}
