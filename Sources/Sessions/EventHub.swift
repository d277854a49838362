package import Lifecycle
import Synchronization

/// Hands every event to every reader.
///
/// Lossless up to `capacity` events that a reader has not read yet; what is lost after that is
/// told as one `dropped`.
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

    /// A new reader's events, from now on; ends with the run.
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

    /// Sends one event; the caller sends one after the other.
    package func send(_ event: SessionEvent) {
        // Outside the lock: a reader that is being cancelled holds the lock of its task, which
        // waking it needs, and asks for ours, to be forgotten.
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
    /// - Returns: How many events this reader now misses.
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
