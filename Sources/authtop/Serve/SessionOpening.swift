import Basics
import Client
import Synchronization

/// A session that is being opened, and the requests that wait for it.
final class SessionOpening: Sendable {
    private struct State {
        var store: SessionStore?
        var last = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    /// The session, or `nil` before it is open.
    var store: SessionStore? { state.withLock { $0.store } }

    /// Lets the requests use a session.
    func open(_ store: SessionStore) {
        let waiting = state.withLock { state in
            state.store = store
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume() }
    }

    /// Waits until the session is open, or the task is cancelled.
    ///
    /// - Parameters:
    ///   - deadline: Until when to wait.
    ///   - time: The clock of the deadline.
    /// - Returns: The session, or `nil` if it is not open.
    func store(by deadline: Instant, _ time: any Timekeeper) async -> SessionStore? {
        if let store { return store }
        await time.limited(to: deadline) { [self] in await wait() }
        return store
    }

    private func wait() async {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isWaiting = state.withLock { state in
                    guard state.store == nil, !Task.isCancelled else { return false }
                    state.waiting[number] = continuation
                    return true
                }
                if !isWaiting { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
    }
}
