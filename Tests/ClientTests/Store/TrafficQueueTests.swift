import Basics
import Client
import Model
import Profiles
import Testing

@testable import Observer

@Suite("What waits for the reader of the traffic")
struct TrafficQueueTests {
    @Test("everything is read in its order, and the end comes after it; nothing follows")
    func order() async {
        let queue = TrafficQueue()
        queue.observe(.head(1))
        queue.observe(TrafficInput(exchange: 1, kind: .requestEnd(bytes: 0)))
        queue.finish()
        queue.observe(TrafficInput(exchange: 1, kind: .failed(.abandoned)))
        let batch = await queue.next()
        #expect(batch?.inputs.map(\.input.exchange) == [1, 1])
        #expect(batch?.loss.isEmpty == true)
        #expect(await queue.next() == nil)
    }

    @Test("a reader that waits gets what comes")
    func waiting() async {
        let queue = TrafficQueue()
        async let batch = queue.next()
        queue.observe(.head(7))
        #expect(await batch?.inputs.first?.input.exchange == 7)
    }

    @Test("a reader that is cancelled waits no longer")
    func cancelled() async {
        let queue = TrafficQueue()
        let reader = Task { await queue.next() }
        reader.cancel()
        #expect(await reader.value == nil)
    }

    @Test("bodies are dropped first, and their number is told once")
    func bodies() async {
        var limits = TrafficQueue.Limits()
        limits.bytes = 100_000
        let queue = TrafficQueue(limits: limits)
        queue.observe(.head(1))
        for _ in 1...4 { queue.observe(.body(of: 1, count: 30_000)) }
        queue.observe(TrafficInput(exchange: 1, kind: .delivered(whole: true)))
        let batch = await queue.next()
        #expect(batch?.inputs.count == 4)
        #expect(batch?.loss.bodies == 2)
        #expect(batch?.loss.exchanges == 0)
        queue.observe(.body(of: 1, count: 30_000))
        #expect(await queue.next()?.loss.isEmpty == true)
    }

    @Test("then exchanges are dropped, from their first input to their last")
    func exchanges() async {
        var limits = TrafficQueue.Limits()
        limits.exchanges = 2
        let queue = TrafficQueue(limits: limits)
        for number in 1...4 { queue.observe(.head(number)) }
        for number in 1...4 {
            queue.observe(TrafficInput(exchange: number, kind: .responseEnd(bytes: 1)))
            queue.observe(TrafficInput(exchange: number, kind: .delivered(whole: true)))
        }
        let batch = await queue.next()
        #expect(batch?.inputs.map(\.input.exchange) == [1, 2, 1, 1, 2, 2])
        #expect(batch?.loss.exchanges == 2)
        queue.observe(.head(5))
        #expect(await queue.next()?.inputs.count == 1)
    }

    @Test("a batch is limited, and the rest waits for the next one")
    func batches() async {
        var limits = TrafficQueue.Limits()
        limits.batch = 2
        limits.exchanges = 3
        let queue = TrafficQueue(limits: limits)
        for number in 1...3 { queue.observe(.head(number)) }
        #expect(await queue.next()?.inputs.map(\.input.exchange) == [1, 2])
        // One waits, so there is room for two more.
        for number in 4...6 { queue.observe(.head(number)) }
        queue.finish()
        let second = await queue.next()
        #expect(second?.inputs.map(\.input.exchange) == [3, 4])
        #expect(second?.loss.exchanges == 1)
        #expect(await queue.next()?.inputs.map(\.input.exchange) == [5])
        #expect(await queue.next() == nil)
    }

    @Test("heads alone do not exceed the limit either")
    func heads() async {
        var limits = TrafficQueue.Limits()
        limits.bytes = 10_000
        let queue = TrafficQueue(limits: limits)
        for number in 1...10 { queue.observe(.head(number, target: 4_000)) }
        let batch = await queue.next()
        #expect(batch?.inputs.count == 3)
        #expect(batch?.loss.exchanges == 7)
    }
}

extension TrafficQueue {
    fileprivate func observe(_ input: TrafficInput) {
        observe(input, at: LiveTimekeeper().moment)
    }
}

extension TrafficInput {
    fileprivate static func head(_ exchange: Int, target: Int = 1) -> TrafficInput {
        TrafficInput(
            exchange: exchange,
            kind: .requestHead(
                WireRequest(
                    method: "GET",
                    origin: "http://127.0.0.1",
                    target: String(repeating: "/", count: target)
                ),
                connection: 1,
                peer: "127.0.0.1"
            )
        )
    }

    fileprivate static func body(of exchange: Int, count: Int) -> TrafficInput {
        TrafficInput(
            exchange: exchange,
            kind: .responseBody(Array(repeating: 0, count: count))
        )
    }
}
