import Synchronization

/// Sends every event to every reader.
package final class EventHub: Sendable {
    package static let capacity = 10_000
    /// The largest number of events that are read or sent together.
    package static let batchLimit = 256

    private struct State {
        var inboxes: [Int: EventInbox] = [:] {
            didSet { all = Array(inboxes.values) }
        }
        /// The same as an array, which every event needs.
        private(set) var all: [EventInbox] = []
        var lastReader = 0
        var isFinished = false
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameter capacity: The number of unread events from which a reader loses some.
    package init(capacity: Int = EventHub.capacity) {
        self.capacity = capacity
    }

    /// Returns a stream of all further events, which ends with the run.
    ///
    /// A reader loses no event until it has `capacity` unread ones; the number of those lost after
    /// that is reported as one `dropped` event, once half of them are read.
    ///
    /// - Parameters:
    ///   - isLossless: Whether the reader never loses an event: what produces many of them waits in
    ///     `room()`.
    ///   - isWanted: Whether the reader wants an event; it is not woken for the others.
    /// - Returns: The stream.
    package func events(
        isLossless: Bool = false,
        where isWanted: @escaping @Sendable (SessionEvent) -> Bool = { _ in true }
    ) -> EventStream {
        let inbox = EventInbox(
            capacity: capacity,
            isLossless: isLossless,
            isWanted: isWanted
        )
        let id = state.withLock { state -> Int? in
            guard !state.isFinished else { return nil }
            state.lastReader += 1
            state.inboxes[state.lastReader] = inbox
            return state.lastReader
        }
        if id == nil { inbox.finish() }
        return EventStream(inbox: inbox) { [weak self] in
            if let id { self?.forget(id) }
        }
    }

    /// Sends one event.
    func send(_ event: SessionEvent) {
        send([event])
    }

    /// Sends events in order, and wakes each reader at most once for them; calls for one session
    /// must not overlap.
    package func send(_ events: [SessionEvent]) {
        guard !events.isEmpty else { return }
        // Outside the lock, to avoid a deadlock: waking a reader needs the lock of its task, and a
        // reader that is being cancelled holds that lock while it waits for ours to unregister.
        for inbox in state.withLock(\.all) { inbox.put(events) }
    }

    /// Whether a reader that must not lose an event is behind.
    package var isFull: Bool {
        state.withLock { state in state.all.contains(where: \.isFull) }
    }

    /// Waits until every reader that must not lose an event has caught up, at least by half.
    package func room() async {
        while !Task.isCancelled,
            let inbox = state.withLock({ $0.all.first(where: \.isFull) })
        {
            await inbox.room()
        }
    }

    package func finish() {
        let inboxes = state.withLock { state in
            state.isFinished = true
            defer { state.inboxes = [:] }
            return state.all
        }
        for inbox in inboxes { inbox.finish() }
    }

    private func forget(_ id: Int) {
        state.withLock { state in _ = state.inboxes.removeValue(forKey: id) }
    }
}

/// The events of a run, for one reader.
///
/// A reader that is cancelled still gets what was sent before.
package struct EventStream: AsyncSequence, Sendable {
    package struct Iterator: AsyncIteratorProtocol {
        let reading: EventReading

        package mutating func next() async -> SessionEvent? {
            await reading.next(atMost: 1).first
        }
    }

    private let reading: EventReading

    /// The same events in batches: all that are unread, at most `EventHub.batchLimit` at a time.
    package var batches: EventBatches { EventBatches(reading: reading) }

    init(inbox: EventInbox, onEnd: @escaping @Sendable () -> Void) {
        reading = EventReading(inbox: inbox, onEnd: onEnd)
    }

    package func makeAsyncIterator() -> Iterator {
        Iterator(reading: reading)
    }
}

/// The events of a run, for one reader that takes several at a time.
package struct EventBatches: AsyncSequence, Sendable {
    package struct Iterator: AsyncIteratorProtocol {
        let reading: EventReading

        package mutating func next() async -> [SessionEvent]? {
            let events = await reading.next(atMost: EventHub.batchLimit)
            return events.isEmpty ? nil : events
        }
    }

    let reading: EventReading

    package func makeAsyncIterator() -> Iterator {
        Iterator(reading: reading)
    }
}

/// The registration of a reader, which ends with its cancellation, or when nothing refers to it.
final class EventReading: Sendable {
    let inbox: EventInbox
    private let onEnd: @Sendable () -> Void

    init(inbox: EventInbox, onEnd: @escaping @Sendable () -> Void) {
        self.inbox = inbox
        self.onEnd = onEnd
    }

    deinit {
        end()
    }

    /// Waits for the next events; there are none after the last one.
    func next(atMost limit: Int) async -> [SessionEvent] {
        await inbox.next(atMost: limit) { [self] in end() }
    }

    func end() {
        onEnd()
        inbox.finish()
    }
}
