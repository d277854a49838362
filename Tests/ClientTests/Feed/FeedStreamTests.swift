import Basics
import Client
import Profiles
import Testing

@testable import Model

@Suite("FeedMachine: event streams")
struct FeedStreamTests {
    private func open(
        following: FeedFollowing = .overlap,
        silenceLimit: Double? = nil
    ) -> FeedHarness {
        let harness = FeedHarness(
            following: following,
            asksSince: true,
            carrier: .eventStream(silenceLimit: silenceLimit)
        )
        harness.token(1)
        harness.send(.opened(socket: 1))
        return harness
    }

    private func event(_ id: String?, seq: Int64? = nil, on socket: Int, to harness: FeedHarness) {
        let message = FeedMessage(id: id, seq: seq, type: nil, excerpt: id ?? "none")
        harness.send(.message(socket: socket, message, key: "id \(id ?? "")"))
    }

    @Test("a lost stream is resumed after the last id, whatever the numbers are")
    func resumed() {
        let harness = open()
        event("a", seq: 7, on: 1, to: harness)
        event("b", seq: 8, on: 1, to: harness)
        harness.close(1, code: 1005)
        harness.advance(1)
        #expect(harness.dials.map(\.since) == [nil, "b"])
    }

    @Test("an id without an event moves the position, and an empty one forgets it")
    func position() {
        let harness = open()
        event("a", on: 1, to: harness)
        harness.send(.position(socket: 1, id: "c"))
        harness.token(2)
        #expect(harness.dials.last?.since == "c")
        harness.send(.position(socket: 1, id: nil))
        harness.send(.failed(socket: 2, why: .unreachable(detail: "refused")))
        harness.advance(1)
        #expect(harness.dials.count == 3)
        #expect(harness.dials.last?.since == nil)
    }

    @Test("a gap without ids is counted, since nothing can be asked for")
    func withoutIDs() {
        let harness = open()
        event(nil, seq: 1, on: 1, to: harness)
        harness.close(1, code: 1005)
        harness.advance(1)
        harness.send(.opened(socket: 2))
        let message = FeedMessage(id: nil, seq: 5, type: nil, excerpt: "5")
        harness.send(.message(socket: 2, message, key: "5"))
        harness.advance(60)
        #expect(harness.dials.count == 2)
        #expect(harness.switches.map(\.gap) == [3])
        #expect(harness.applied == ["none", "5"])
    }

    @Test("the new stream is read before the old one is closed; what both bring comes once")
    func overlap() {
        let harness = open()
        event("a", on: 1, to: harness)
        harness.token(2)
        #expect(harness.closes.isEmpty)
        harness.send(.opened(socket: 2))
        event("b", on: 2, to: harness)
        event("b", on: 1, to: harness)
        event("c", on: 2, to: harness)
        harness.advance(3)
        #expect(harness.closes.map(\.socket) == [1])
        harness.close(1, code: 1000, by: .us)
        harness.advance(3)
        event("d", on: 2, to: harness)
        #expect(harness.applied == ["a", "b", "c", "d"])
        #expect(harness.duplicates == 0)
    }

    @Test("it is never pinged, and lives in silence if there is no limit")
    func neverPinged() {
        let harness = open()
        harness.advance(3600)
        harness.send(.woke)
        harness.advance(3600)
        #expect(harness.pings.isEmpty)
        #expect(harness.closes.isEmpty)
    }

    @Test("it is closed when nothing has come for the limit; a comment is something")
    func silence() {
        let harness = open(silenceLimit: 45)
        harness.advance(44)
        harness.send(.keepAlive(socket: 1))
        harness.advance(44)
        event("a", on: 1, to: harness)
        harness.advance(44)
        #expect(harness.closes.isEmpty)
        harness.advance(2)
        #expect(harness.closes.map(\.code) == [1001])
        harness.close(1, code: 1001, by: .us)
        harness.advance(1)
        #expect(harness.dials.map(\.since) == [nil, "a"])
    }

    @Test(
        "the server's reconnection time is the least wait, up to five minutes",
        arguments: [(2.5, 2.5), (3600, 300)]
    )
    func reconnectionTime(asked: Double, waited: Double) {
        let harness = open()
        harness.send(.reconnectionTime(socket: 1, seconds: asked))
        harness.close(1, code: 1005)
        harness.advance(waited - 0.1)
        #expect(harness.dials.count == 1)
        harness.advance(0.6)
        #expect(harness.dials.count == 2)
    }

    @Test("204 stops it")
    func noContent() {
        let harness = open()
        harness.close(1, code: 1005)
        harness.advance(1)
        harness.send(.refused(socket: 2, status: 204, retryAfter: nil))
        harness.advance(3600)
        harness.token(2)
        #expect(harness.state.name == "stopped")
        #expect(harness.dials.count == 2)
    }
}
