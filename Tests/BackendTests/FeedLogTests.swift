import Basics
import Testing

@testable import Backend

@Suite("Backend: the feed's log")
struct FeedLogTests {
    private let log = FeedLog(user: 123, startedAt: start, rate: 10)

    @Test("a message is due exactly when it counts as due", arguments: [0.3, 1, 3, 7, 10, 10_000])
    func exact(rate: Double) throws {
        let log = FeedLog(user: 1, startedAt: start, rate: rate)
        for seq in [1, 2, 3, 1000, 123_456] as [Int64] {
            let due = try #require(log.due(seq))
            #expect(log.latest(after: due) == seq)
            #expect(log.latest(after: due - 1) == seq - 1)
        }
        #expect(log.latest(after: 0) == 0)
        #expect(log.latest(after: -1) == 0)
    }

    @Test("a silent feed never has a message", arguments: [0.0, -1, .nan])
    func silent(rate: Double) {
        let log = FeedLog(user: 1, startedAt: start, rate: rate)
        #expect(log.due(1) == nil)
        #expect(log.latest(after: .max) == 0)
    }

    @Test("a socket starts with the next message, or after the one its client has")
    func starts() {
        #expect(log.start(since: nil, latest: 100) == 101)
        #expect(log.start(since: 90, latest: 100) == 91)
        #expect(log.start(since: 100, latest: 100) == 101)
        #expect(log.start(since: 0, latest: 100) == 1)
        #expect(log.start(since: 101, latest: 100) == 101)
        #expect(log.start(since: -1, latest: 100) == 101)
        #expect(log.start(since: 0, latest: 10_000) == 10_001 - FeedLog.replayLimit)
    }

    @Test("a message is JSON with its number, its id and its time")
    func text() throws {
        let message = try #require(JSONValue(parsing: Array(log.text(of: 17).utf8)))
        #expect(message.value(at: "seq") == 17)
        #expect(message.value(at: "id") == "123-17")
        #expect(message.value(at: "ts")?.numberValue == start * 1000 + 1700)
        #expect(message.value(at: "type")?.stringValue != nil)
        #expect(message.value(at: "data.id") == 17)
    }
}
