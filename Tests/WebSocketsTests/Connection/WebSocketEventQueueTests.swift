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
