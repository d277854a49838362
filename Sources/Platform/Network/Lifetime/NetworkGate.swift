import Basics
import Synchronization

/// Admits work while the network is open, and notifies when the last of it has finished.
///
/// It is needed because an event loop that has ended never answers.
final class NetworkGate: Sendable {
    private struct State {
        var isOpen = true
        var inside = 0
        var onEmpty: (@Sendable () -> Void)?

        mutating func takeActionIfEmpty() -> (@Sendable () -> Void)? {
            guard inside == 0 else { return nil }
            defer { onEmpty = nil }
            return onEmpty
        }
    }

    private let state = Mutex(State())

    var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Runs `work`, or returns `closed` if the network has ended.
    func run<Value>(ifClosed closed: Value, work: () async -> Value) async -> Value {
        let mayEnter = state.withLock { state in
            if state.isOpen { state.inside += 1 }
            return state.isOpen
        }
        guard mayEnter else { return closed }
        defer { leave() }
        return await work()
    }

    /// Admits no further work.
    func close() {
        state.withLock { $0.isOpen = false }
    }

    /// Calls `action` once, as soon as the gate is closed and no work is left.
    func whenEmpty(_ action: @escaping @Sendable () -> Void) {
        let due = state.withLock { state in
            state.onEmpty = action
            return state.takeActionIfEmpty()
        }
        due?()
    }

    private func leave() {
        let due = state.withLock { state in
            state.inside -= 1
            return state.takeActionIfEmpty()
        }
        due?()
    }
}

/// Awaits `work`, and calls `expire` if the deadline comes first.
///
/// It always waits for `work`, which `expire` must end; on cancellation, the caller must do so
/// itself.
func withDeadline<Value: Sendable>(
    _ deadline: Instant,
    by timekeeper: any Timekeeper,
    expire: @escaping @Sendable () -> Void,
    work: () async -> Value
) async -> Value {
    await withTaskGroup(of: Void.self) { group in
        group.addTask {
            guard (try? await timekeeper.sleep(until: deadline)) != nil else { return }
            expire()
        }
        let value = await work()
        group.cancelAll()
        return value
    }
}
