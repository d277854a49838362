import NIOCore
import Synchronization

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
