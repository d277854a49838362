package import Lifecycle
import Synchronization

/// Sends every event to every reader.
///
/// A reader loses no event until it has `capacity` unread ones; the number of those lost after that
/// is reported as one `dropped` event.
package final class EventHub: Sendable {
    package static let capacity = 10_000

    fileprivate struct Reader {
        let continuation: AsyncStream<SessionEvent>.Continuation
        var lost = 0
    }

    private struct State {
        var readers: [Int: Reader] = [:]
        var lastReader = 0
        var isFinished = false
    }

    private let state = Mutex(State())

    package init() {}

    /// Returns a stream of all further events, which ends with the run.
    package func events() -> AsyncStream<SessionEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: SessionEvent.self,
            bufferingPolicy: .bufferingOldest(Self.capacity)
        )
        let id = state.withLock { state -> Int? in
            guard !state.isFinished else { return nil }
            state.lastReader += 1
            state.readers[state.lastReader] = Reader(continuation: continuation)
            return state.lastReader
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.forget(id) }
        return stream
    }

    /// Sends one event; calls must not overlap.
    package func send(_ event: SessionEvent) {
        // Outside the lock, to avoid a deadlock: waking a reader needs the lock of its task, and a
        // reader that is being cancelled holds that lock while it waits for ours to unregister.
        for (id, reader) in state.withLock({ $0.readers }) {
            let lost = reader.send(event)
            guard lost != reader.lost else { continue }
            state.withLock { state in state.readers[id]?.lost = lost }
        }
    }

    package func finish() {
        let readers = state.withLock { state in
            state.isFinished = true
            defer { state.readers = [:] }
            return state.readers.values.map(\.continuation)
        }
        for reader in readers { reader.finish() }
    }

    private func forget(_ id: Int) {
        state.withLock { state in _ = state.readers.removeValue(forKey: id) }
    }
}

extension EventHub.Reader {
    /// - Returns: The number of missed events that were not reported to this reader yet.
    fileprivate func send(_ event: SessionEvent) -> Int {
        var lost = lost
        if lost > 0 {
            var notice = event
            notice.kind = .dropped(count: lost)
            guard case .enqueued = continuation.yield(notice) else { return lost + 1 }
            lost = 0
        }
        if case .dropped = continuation.yield(event) { lost += 1 }
        return lost
    }
}
