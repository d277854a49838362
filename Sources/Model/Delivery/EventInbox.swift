import DequeModule
import Synchronization

/// The unread events of one reader.
final class EventInbox: Sendable {
    private struct State {
        var events: Deque<SessionEvent> = []
        /// The largest number of them since the last time that there were none.
        var most = 0
        /// The number of events lost since the last one that was kept, and the newest of them.
        var lost: (count: Int, last: SessionEvent)?
        var isFull = false
        var isFinished = false
        var reader: CheckedContinuation<Void, Never>?
        var writers: [CheckedContinuation<Void, Never>] = []

        /// Reports the loss where it happened.
        mutating func reportLoss() {
            guard let loss = lost.take() else { return }
            var notice = loss.last
            notice.kind = EventsDropped(count: loss.count)
            events.append(notice)
        }
    }

    /// The number of events for which there is always room.
    private static let keptRoom = 1_024

    private let capacity: Int
    private let isLossless: Bool
    private let isWanted: @Sendable (SessionEvent) -> Bool
    private let state = Mutex(State())

    init(
        capacity: Int,
        isLossless: Bool,
        isWanted: @escaping @Sendable (SessionEvent) -> Bool
    ) {
        self.capacity = capacity
        self.isLossless = isLossless
        self.isWanted = isWanted
    }

    /// Whether a reader that must not lose an event has too many unread ones.
    var isFull: Bool { isLossless && state.withLock { $0.isFull } }

    /// Appends the wanted ones among these events, and wakes the reader once.
    func put(_ events: [SessionEvent]) {
        // Mostly all of them, or none.
        let wanted = events.allSatisfy(isWanted) ? events : events.filter(isWanted)
        guard !wanted.isEmpty else { return }
        let reader = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.isFinished else { return nil }
            for event in wanted { put(event, into: &state) }
            state.most = max(state.most, state.events.count)
            return state.reader.take()
        }
        reader?.resume()
    }

    private func put(_ event: SessionEvent, into state: inout State) {
        if isLossless {
            state.isFull = state.isFull || state.events.count + 1 >= capacity
        } else {
            let limit = state.lost == nil ? capacity : capacity / 2
            guard state.events.count < limit else {
                state.lost = ((state.lost?.count ?? 0) + 1, event)
                return
            }
            state.reportLoss()
        }
        state.events.append(event)
    }

    /// Accepts no further event; those that are unread can still be read.
    func finish() {
        let waiting = state.withLock { state in
            if !state.isFinished { state.reportLoss() }
            state.isFinished = true
            state.isFull = false
            return state.writers.takeAll() + [state.reader.take()].compactMap(\.self)
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits for the next events.
    ///
    /// - Parameters:
    ///   - limit: The largest number of them, at least 1.
    ///   - onCancel: Called if the reader is cancelled while it waits, or before.
    /// - Returns: The events, or none after the last one.
    func next(
        atMost limit: Int,
        onCancel: @escaping @Sendable () -> Void
    ) async -> [SessionEvent] {
        await withTaskCancellationHandler {
            while true {
                let (events, isFinished, writers) = take(atMost: limit)
                for writer in writers { writer.resume() }
                if !events.isEmpty || isFinished { return events }
                await withCheckedContinuation { wait($0) }
            }
        } onCancel: {
            onCancel()
        }
    }

    private func take(
        atMost limit: Int
    ) -> ([SessionEvent], isFinished: Bool, [CheckedContinuation<Void, Never>]) {
        state.withLock { state in
            let events = Array(state.events.prefix(limit))
            state.events.removeFirst(events.count)
            if state.events.isEmpty {
                // The room for a burst is of no use after it.
                if state.most > Self.keptRoom { state.events = [] }
                state.most = 0
            }
            guard state.isFull, state.events.count <= capacity / 2 else {
                return (events, state.isFinished, [])
            }
            state.isFull = false
            return (events, state.isFinished, state.writers.takeAll())
        }
    }

    private func wait(_ reader: CheckedContinuation<Void, Never>) {
        let isDone = state.withLock { state in
            if !state.events.isEmpty || state.isFinished { return true }
            precondition(state.reader == nil, "a stream of events has one reader")
            state.reader = reader
            return false
        }
        if isDone { reader.resume() }
    }

    /// Waits until the reader has caught up by half; returns at once for a cancelled caller.
    func room() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { writer in
                let mustWait = state.withLock { state in
                    guard state.isFull, !Task.isCancelled else { return false }
                    state.writers.append(writer)
                    return true
                }
                if !mustWait { writer.resume() }
            }
        } onCancel: {
            // The others look again, and wait on.
            for writer in state.withLock({ $0.writers.takeAll() }) { writer.resume() }
        }
    }
}

extension Array {
    /// Removes and returns all elements.
    fileprivate mutating func takeAll() -> [Element] {
        defer { self = [] }
        return self
    }
}
