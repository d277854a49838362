import Synchronization
import Testing

@testable import HTTP

@Suite("Event queue")
struct WebSocketEventQueueTests {
    private static let closed = WebSocketEvent.closed(
        WebSocketCloseReport(code: 1000, reason: "", initiator: .us, clean: true)
    )

    @Test("it is full by count, and has room again when half empty")
    func count() async {
        let queue = WebSocketEventQueue(limits: WebSocketLimits(queuedEvents: 4))
        var rooms: [Bool] = []
        for number in 0..<4 {
            queue.push(.text("\(number)"))
            rooms.append(queue.hasRoom)
        }
        #expect(rooms == [true, true, true, false])
        let calls = Mutex(0)
        for number in 0..<4 {
            let events = await queue.next(atMost: 1) { calls.withLock { $0 += 1 } }
            #expect(events == [.text("\(number)")])
            #expect(queue.hasRoom == (number >= 1))
        }
        #expect(calls.withLock { $0 } == 1)
    }

    @Test("it is full by weight too")
    func weight() async {
        let queue = WebSocketEventQueue(limits: WebSocketLimits(queuedBytes: 10))
        queue.push(.binary([UInt8](repeating: 0, count: 10)))
        #expect(queue.hasRoom == false)
        _ = await queue.next(atMost: 1) {}
        #expect(queue.hasRoom)
    }

    @Test("it is idle once its reader has come back for the next event, and says so once")
    func idle() async {
        let queue = WebSocketEventQueue(limits: WebSocketLimits())
        #expect(queue.isIdle())
        queue.push(.text("a"))
        #expect(!queue.isIdle())
        let reports = Mutex(0)
        let next = { @Sendable in
            await queue.next(atMost: 1) {
            } onIdle: {
                reports.withLock { $0 += 1 }
            }
        }
        _ = await next()
        #expect(!queue.isIdle())
        #expect(reports.withLock { $0 } == 0)
        let reader = Task { await next() }
        while reports.withLock({ $0 }) == 0 { await Task.yield() }
        #expect(queue.isIdle())
        queue.push(Self.closed)
        queue.wakeReader()
        #expect(await reader.value == [Self.closed])
        #expect(reports.withLock { $0 } == 1)
    }

    @Test("it ends after closed")
    func end() async {
        let queue = WebSocketEventQueue(limits: WebSocketLimits())
        queue.push(Self.closed)
        queue.push(.text("late"))
        #expect(await queue.next(atMost: 1, onRoom: {}) == [Self.closed])
        let later = await queue.next(atMost: 1) {}
        #expect(later.isEmpty)
        let last = await queue.next(atMost: 1) {}
        #expect(last.isEmpty)
    }

    @Test("a waiting reader is woken")
    func waiting() async {
        let queue = WebSocketEventQueue(limits: WebSocketLimits())
        async let events = queue.next(atMost: 2) {}
        queue.push(.text("a"))
        queue.push(.text("b"))
        queue.wakeReader()
        #expect(await events == [.text("a"), .text("b")])
    }

    @Test("a cancelled reader gets nothing and leaves the events to the next")
    func cancelled() async {
        let queue = WebSocketEventQueue(limits: WebSocketLimits())
        let reader = Task { await queue.next(atMost: 1) {} }
        reader.cancel()
        #expect(await reader.value.isEmpty)
        queue.push(.text("a"))
        #expect(await queue.next(atMost: 1, onRoom: {}) == [.text("a")])
    }
}
