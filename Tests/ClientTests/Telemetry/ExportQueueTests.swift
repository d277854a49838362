import Basics
import Client
import Testing

@testable import Model

@Suite("What is sent to a collector, and when")
struct ExportQueueTests {
    private static let start = Account().now.now

    private static func after(_ seconds: Double) -> Instant { start.advanced(bySeconds: seconds) }

    private static func queue() -> ExportQueue {
        ExportQueue(interval: .seconds(60), now: start)
    }

    private static func event() -> SessionEvent {
        var account = Account()
        account.add(PairSaved())
        return account.events[0]
    }

    @Test("events wait five seconds for others, metrics for their interval")
    func intervals() {
        var queue = Self.queue()
        #expect(queue.nextDeadline == Self.after(60))
        queue.add(Self.event(), [], at: Self.after(1))
        queue.add(Self.event(), [], at: Self.after(3))
        #expect(queue.nextDeadline == Self.after(6))
        #expect(queue.next(at: Self.after(5)) == nil)
        let batch = queue.next(at: Self.after(6))
        #expect(batch?.signal == .logs && batch?.count == 2)
        queue.ended(.accepted(rejected: 0), at: Self.after(6))
        #expect(queue.nextDeadline == Self.after(60))
        #expect(queue.next(at: Self.after(60))?.signal == .metrics)
        queue.ended(.accepted(rejected: 0), at: Self.after(60))
        #expect(queue.nextDeadline == Self.after(120))
        #expect(queue.dropped == 0)
    }

    @Test("many events are sent at once, in batches")
    func batches() {
        var queue = Self.queue()
        for _ in 0..<ExportQueue.batchLimit + 1 { queue.add(Self.event(), [], at: Self.start) }
        #expect(queue.next(at: Self.start)?.count == ExportQueue.batchLimit)
        queue.ended(.accepted(rejected: 0), at: Self.start)
        #expect(queue.next(at: Self.start)?.count == 1)
    }

    @Test("without room, the oldest are dropped and counted")
    func bounded() {
        var queue = Self.queue()
        for _ in 0..<ExportQueue.limit + 100 { queue.add(Self.event(), [], at: Self.start) }
        #expect(queue.dropped == 100)
    }

    @Test("a batch that is postponed is tried again: after Retry-After, else later each time")
    func postponed() {
        var queue = Self.queue()
        queue.add(Self.event(), [], at: Self.start)
        var now = Self.after(5)
        for pause in [1.0, 2, 4, 8, 16, 32, 32] {
            #expect(queue.next(at: now)?.count == 1)
            queue.ended(.postponed(seconds: nil), at: now)
            #expect(queue.next(at: now) == nil)
            now = now.advanced(bySeconds: pause)
            #expect(queue.nextDeadline == now)
        }
        #expect(queue.next(at: now)?.count == 1)
        queue.ended(.postponed(seconds: 7), at: now)
        #expect(queue.nextDeadline == now.advanced(bySeconds: 7))
        #expect(queue.dropped == 0)
    }

    @Test("a batch that is postponed for five minutes, or refused, is dropped and counted")
    func dropped() {
        var queue = Self.queue()
        queue.add(Self.event(), [], at: Self.start)
        #expect(queue.next(at: Self.after(5))?.count == 1)
        queue.ended(.postponed(seconds: 1e9), at: Self.after(5))
        #expect(queue.nextDeadline == Self.after(305))
        #expect(queue.next(at: Self.after(305))?.count == 1)
        queue.ended(.postponed(seconds: nil), at: Self.after(305))
        #expect(queue.dropped == 1)
        queue.add(Self.event(), [], at: Self.after(400))
        queue.add(Self.event(), [], at: Self.after(400))
        #expect(queue.next(at: Self.after(405))?.count == 2)
        queue.ended(.refused, at: Self.after(405))
        #expect(queue.dropped == 3)
    }

    @Test("what a collector says that it rejects is counted, and never more than was sent")
    func rejected() {
        var queue = Self.queue()
        for (rejected, dropped) in [(1, 1), (1_000_000, 3), (-5, 3)] {
            queue.add(Self.event(), [], at: Self.start)
            queue.add(Self.event(), [], at: Self.start)
            #expect(queue.next(at: Self.after(5))?.count == 2)
            queue.ended(.accepted(rejected: rejected), at: Self.after(5))
            #expect(queue.dropped == dropped)
        }
    }

    @Test("at the end everything is sent at once, each batch is tried once, and metrics come too")
    func finished() {
        var queue = Self.queue()
        queue.add(Self.event(), [], at: Self.start)
        queue.finish(at: Self.start)
        #expect(!queue.isFinished)
        #expect(queue.next(at: Self.start)?.signal == .logs)
        queue.ended(.postponed(seconds: 60), at: Self.start)
        #expect(queue.dropped == 1)
        #expect(queue.next(at: Self.start)?.signal == .metrics)
        queue.ended(.accepted(rejected: 0), at: Self.start)
        #expect(queue.isFinished && queue.next(at: Self.after(1_000)) == nil)
    }

    @Test("what is given up is counted")
    func givenUp() {
        var queue = Self.queue()
        for _ in 0..<ExportQueue.batchLimit + 8 { queue.add(Self.event(), [], at: Self.start) }
        _ = queue.next(at: Self.start)
        queue.finish(at: Self.start)
        queue.giveUp()
        queue.ended(.accepted(rejected: 0), at: Self.start)
        #expect(queue.isFinished)
        #expect(queue.dropped == ExportQueue.batchLimit + 8)
    }
}
