import Synchronization
import Timekeeping

/// Lets work in while the network is open, and tells when the last of it is out.
///
/// What is asked of an event loop that has ended is never answered.
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

    /// Runs `work`, or answers `closed` where the network has ended.
    func run<Value>(ifClosed closed: Value, work: () async -> Value) async -> Value {
        let mayEnter = state.withLock { state in
            if state.isOpen { state.inside += 1 }
            return state.isOpen
        }
        guard mayEnter else { return closed }
        defer { leave() }
        return await work()
    }

    /// Lets nothing more in.
    func close() {
        state.withLock { $0.isOpen = false }
    }

    /// Calls `action` once, as soon as nothing is inside of the closed gate.
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
/// It always waits for `work`, which `expire` has to bring to an end; a cancelled caller sees to
/// that itself.
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
