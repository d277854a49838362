import NIOCore
import Synchronization

/// An event from the peer, in order.
package enum WebSocketEvent: Sendable, Equatable {
    /// A complete message of valid UTF-8.
    case text(String)
    case binary([UInt8])
    /// A ping, which was already answered with a pong.
    case ping([UInt8])
    case pong([UInt8])
    /// The end, which is always the last event and occurs exactly once.
    case closed(WebSocketCloseReport)

    /// The size that counts towards the limit while it is unread, in bytes.
    var weight: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let bytes), .ping(let bytes), .pong(let bytes): bytes.count
        case .closed: 0
        }
    }
}

/// The end of a connection.
package struct WebSocketCloseReport: Sendable, Equatable {
    /// The side that caused the end.
    package enum Initiator: Sendable, Equatable {
        /// We sent the first close frame, or failed the connection.
        case us
        /// The peer sent the first close frame.
        case peer
        /// The transport ended without a close frame from either side.
        case transport
    }

    /// The code of the peer's close frame, or 1005 if it had none; 1006 if there was no close
    /// frame; our own code if we failed the connection because of what the peer sent.
    package var code: UInt16
    /// The reason in the peer's close frame, the rule it violated, or the failure of the transport.
    package var reason: String
    package var initiator: Initiator
    /// Whether both sides sent a close frame.
    var clean: Bool

    package init(code: UInt16, reason: String, initiator: Initiator, clean: Bool) {
        self.code = code
        self.reason = reason
        self.initiator = initiator
        self.clean = clean
    }
}

/// The events of a connection, for one reader.
///
/// A slow reader loses nothing: when too many events are unread, the connection stops reading, and
/// the peer must wait. The sequence ends after `.closed`, and for a cancelled reader, who may
/// iterate again.
package struct WebSocketEvents: AsyncSequence, Sendable {
    package struct Iterator: AsyncIteratorProtocol {
        let events: WebSocketEvents

        package mutating func next() async -> WebSocketEvent? {
            await events.next(atMost: 1).first
        }
    }

    let queue: WebSocketEventQueue
    let handler: NIOLoopBound<WebSocketHandler>

    package func makeAsyncIterator() -> Iterator {
        Iterator(events: self)
    }

    /// Waits for the next events.
    ///
    /// - Parameter limit: The largest number of them, at least 1.
    /// - Returns: Those that have arrived, in order; none after `.closed`, and for a cancelled
    ///   reader.
    package func next(atMost limit: Int) async -> [WebSocketEvent] {
        await queue.next(atMost: limit) { [handler] in
            handler.eventLoop.execute { handler.value.queueHasRoom() }
        } onIdle: { [handler] in
            handler.eventLoop.execute { handler.value.readerIsIdle() }
        }
    }
}

/// A queue of events from the event loop to the one reader, with their number and size.
///
/// It never rejects an event: the writer checks `hasRoom` and stops reading from the transport.
final class WebSocketEventQueue: Sendable {
    private struct State {
        var events: CircularBuffer<WebSocketEvent> = []
        var weight = 0
        var isFull = false
        /// Whether the reader has taken events, and has not come back for the next ones.
        var isHandling = false
        /// Whether a caller waits until the reader has handled everything.
        var isIdleAwaited = false
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

    /// Whether there is room; a queue that was full has room again when it is half empty.
    var hasRoom: Bool { state.withLock { !$0.isFull } }

    /// Returns whether the reader has taken and handled everything; if not, the reader will report
    /// it once it has.
    func isIdle() -> Bool {
        state.withLock { state in
            let isIdle = state.events.isEmpty && !state.isHandling
            state.isIdleAwaited = !isIdle
            return isIdle
        }
    }

    /// Appends an event; `.closed` ends the queue, and later events are ignored.
    ///
    /// The reader is not woken before `wakeReader`, so that what arrives together wakes it once.
    func push(_ event: WebSocketEvent) {
        state.withLock { state in
            guard !state.hasEnded else { return }
            if case .closed = event { state.hasEnded = true }
            state.events.append(event)
            state.weight += event.weight
            if state.events.count >= maximumCount || state.weight >= maximumWeight {
                state.isFull = true
            }
        }
    }

    /// Wakes the reader if it waits and there is something to read.
    func wakeReader() {
        let reader = state.withLock { state in
            state.events.isEmpty && !state.hasEnded ? nil : state.reader.take()
        }
        reader?.resume()
    }

    /// Waits for the next events.
    ///
    /// - Parameters:
    ///   - limit: The largest number of them, at least 1.
    ///   - onRoom: Called if this made room in a queue that was full.
    ///   - onIdle: Called if everything has been handled, and `isIdle` was asked before.
    /// - Returns: The events, or none after `.closed` and for a cancelled reader.
    func next(
        atMost limit: Int,
        onRoom: () -> Void,
        onIdle: () -> Void = {}
    ) async -> [WebSocketEvent] {
        while !Task.isCancelled {
            switch take(atMost: limit) {
            case .events(let events, let madeRoom):
                if madeRoom { onRoom() }
                return events
            case .ended: return []
            case .none(let isIdleAwaited): if isIdleAwaited { onIdle() }
            }
            await withTaskCancellationHandler {
                await withCheckedContinuation { wait($0) }
            } onCancel: {
                state.withLock { $0.reader.take() }?.resume()
            }
        }
        return []
    }

    private enum Taken {
        case events([WebSocketEvent], madeRoom: Bool)
        case none(isIdleAwaited: Bool)
        case ended
    }

    private func take(atMost limit: Int) -> Taken {
        state.withLock { state in
            guard !state.events.isEmpty else {
                state.isHandling = false
                if state.hasEnded { return .ended }
                defer { state.isIdleAwaited = false }
                return .none(isIdleAwaited: state.isIdleAwaited)
            }
            state.isHandling = true
            let events = Array(state.events.prefix(limit))
            state.events.removeFirst(events.count)
            state.weight -= events.reduce(0) { $0 + $1.weight }
            let isLow =
                state.events.count <= maximumCount / 2 && state.weight <= maximumWeight / 2
            let madeRoom = state.isFull && isLow
            if madeRoom { state.isFull = false }
            return .events(events, madeRoom: madeRoom)
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
