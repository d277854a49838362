import Synchronization
import Testing

@testable import WebSockets

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
            let event = await queue.next { calls.withLock { $0 += 1 } }
            #expect(event == .text("\(number)"))
            #expect(queue.hasRoom == (number >= 1))
        }
        #expect(calls.withLock { $0 } == 1)
    }

    @Test("it is full by weight too")
    func weight() async {
        let queue = WebSocketEventQueue(limits: WebSocketLimits(queuedBytes: 10))
        queue.push(.binary([UInt8](repeating: 0, count: 10)))
        #expect(queue.hasRoom == false)
        _ = await queue.next {}
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
            await queue.next {
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
        #expect(await reader.value == Self.closed)
        #expect(reports.withLock { $0 } == 1)
    }

    @Test("it ends after closed")
    func end() async {
        let queue = WebSocketEventQueue(limits: WebSocketLimits())
        queue.push(Self.closed)
        queue.push(.text("late"))
        #expect(await queue.next {} == Self.closed)
        #expect(await queue.next {} == nil)
        #expect(await queue.next {} == nil)
    }

    @Test("a waiting reader is woken")
    func waiting() async {
        let queue = WebSocketEventQueue(limits: WebSocketLimits())
        async let event = queue.next {}
        queue.push(.text("a"))
        #expect(await event == .text("a"))
    }

    @Test("a cancelled reader gets nil and leaves the events to the next")
    func cancelled() async {
        let queue = WebSocketEventQueue(limits: WebSocketLimits())
        let reader = Task { await queue.next {} }
        reader.cancel()
        #expect(await reader.value == nil)
        queue.push(.text("a"))
        #expect(await queue.next {} == .text("a"))
    }
}
