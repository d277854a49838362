import NIOCore
import Synchronization

/// What a peer sent, in order.
package enum WebSocketEvent: Sendable, Equatable {
    /// A complete message, valid UTF-8.
    case text(String)
    case binary([UInt8])
    /// Already answered with a pong.
    case ping([UInt8])
    case pong([UInt8])
    /// Always the last, and exactly once.
    case closed(WebSocketCloseReport)

    /// The bytes it weighs while it waits to be read.
    var weight: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let bytes), .ping(let bytes), .pong(let bytes): bytes.count
        case .closed: 0
        }
    }
}

/// How a connection ended.
package struct WebSocketCloseReport: Sendable, Equatable {
    /// Who brought the end about.
    package enum Initiator: Sendable, Equatable {
        /// We sent the first close frame, or failed the connection.
        case us
        /// The peer sent the first close frame.
        case peer
        /// The transport ended, and nobody had sent a close frame.
        case transport
    }

    /// The code of the peer's close frame, 1005 when it had none; 1006 when none came; our own
    /// code when we failed the connection because of what the peer sent.
    package var code: UInt16
    /// What the peer's close frame said, the rule it broke, or what happened to the transport.
    package var reason: String
    package var initiator: Initiator
    /// Both sides sent a close frame.
    package var clean: Bool

    package init(code: UInt16, reason: String, initiator: Initiator, clean: Bool) {
        self.code = code
        self.reason = reason
        self.initiator = initiator
        self.clean = clean
    }
}

/// The events of a connection, for one reader.
///
/// Nothing is lost to a slow reader: when too much waits, the connection stops reading, and the
/// peer has to wait. It ends after `.closed`, and for a cancelled reader, who may come back.
package struct WebSocketEvents: AsyncSequence, Sendable {
    package struct Iterator: AsyncIteratorProtocol {
        let queue: WebSocketEventQueue
        let handler: NIOLoopBound<WebSocketHandler>

        package mutating func next() async -> WebSocketEvent? {
            await queue.next { [handler] in
                handler.eventLoop.execute { handler.value.queueHasRoom() }
            }
        }
    }

    let queue: WebSocketEventQueue
    let handler: NIOLoopBound<WebSocketHandler>

    package func makeAsyncIterator() -> Iterator {
        Iterator(queue: queue, handler: handler)
    }
}

/// Events on their way from the event loop to the one reader, counted and weighed.
///
/// It never refuses an event: the writer asks `hasRoom` and stops reading from the transport.
final class WebSocketEventQueue: Sendable {
    private struct State {
        var events: CircularBuffer<WebSocketEvent> = []
        var weight = 0
        var isFull = false
        var hasEnded = false
        var reader: CheckedContinuation<Void, Never>?
    }

    private let maximumCount: Int
    private let maximumWeight: Int
    private let state = Mutex(State())

    init(limits: WebSocketLimits) {
        maximumCount = limits.queuedEvents
        maximumWeight = limits.queuedBytes
    }

    /// Once full, it has room again when half empty.
    var hasRoom: Bool { state.withLock { !$0.isFull } }

    /// Appends an event; `.closed` ends the queue, and what comes after it is ignored.
    func push(_ event: WebSocketEvent) {
        let reader = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.hasEnded else { return nil }
            if case .closed = event { state.hasEnded = true }
            state.events.append(event)
            state.weight += event.weight
            if state.events.count >= maximumCount || state.weight >= maximumWeight {
                state.isFull = true
            }
            return state.reader.take()
        }
        reader?.resume()
    }

    /// Waits for the next event.
    ///
    /// - Parameter onRoom: Called when this made room in a queue that was full.
    /// - Returns: Nil after `.closed`, and for a cancelled reader.
    func next(onRoom: () -> Void) async -> WebSocketEvent? {
        while !Task.isCancelled {
            let (event, madeRoom, hasEnded) = pop()
            if madeRoom { onRoom() }
            if let event { return event }
            if hasEnded { return nil }
            await withTaskCancellationHandler {
                await withCheckedContinuation { wait($0) }
            } onCancel: {
                state.withLock { $0.reader.take() }?.resume()
            }
        }
        return nil
    }

    private func pop() -> (event: WebSocketEvent?, madeRoom: Bool, hasEnded: Bool) {
        state.withLock { state in
            guard let event = state.events.popFirst() else { return (nil, false, state.hasEnded) }
            state.weight -= event.weight
            let isLow =
                state.events.count <= maximumCount / 2 && state.weight <= maximumWeight / 2
            let madeRoom = state.isFull && isLow
            if madeRoom { state.isFull = false }
            return (event, madeRoom, false)
        }
    }

    private func wait(_ reader: CheckedContinuation<Void, Never>) {
        let isDone = state.withLock { state in
            if !state.events.isEmpty || state.hasEnded || Task.isCancelled { return true }
            precondition(state.reader == nil, "the events of a connection have one reader")
            state.reader = reader
            return false
        }
        if isDone { reader.resume() }
    }
}
