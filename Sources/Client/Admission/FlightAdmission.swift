import Basics
import Model
import Synchronization

/// Lets a limited number of the logins and renewals of a run be in progress at a time, so that a start
/// of thousands of sessions is no storm at their backend.
package final class FlightAdmission: Sendable {
    private struct State {
        var queue: FlightQueue
        var waiters: [Int: CheckedContinuation<Bool, Never>] = [:]
    }

    private let state: Mutex<State>
    private let permit: FlightPermit?

    /// - Parameters:
    ///   - limit: The largest number at a time, at least 1.
    ///   - permit: Until when they may begin, or `nil` for no end.
    package init(limit: Int, permit: FlightPermit? = nil) {
        state = Mutex(State(queue: FlightQueue(limit: limit)))
        self.permit = permit
    }

    /// Why none may begin now, or `nil` if one with a place may.
    func problem(at now: Instant) -> VaultProblem? { permit?.problem(at: now) }

    /// Waits for a place.
    ///
    /// - Parameter urgency: Decides who is next.
    /// - Returns: The number with which to leave, or `nil` if the caller was cancelled before.
    func enter(_ urgency: FlightUrgency) async -> Int? {
        let (number, begins) = state.withLock { $0.queue.enter(urgency) }
        guard !begins else { return number }
        let hasEntered = await withTaskCancellationHandler {
            await withCheckedContinuation { wait(as: number, $0) }
        } onCancel: {
            giveUp(number)
        }
        return hasEntered ? number : nil
    }

    /// Gives a place back, to the most urgent one that waits.
    func leave(_ number: Int) {
        let next = state.withLock { state in
            state.queue.leave(number).flatMap { state.waiters.removeValue(forKey: $0) }
        }
        next?.resume(returning: true)
    }

    private func wait(as number: Int, _ continuation: CheckedContinuation<Bool, Never>) {
        // It may have got its place, or been cancelled, in the meantime.
        let hasEntered = state.withLock { state -> Bool? in
            if state.queue.isActive(number) { return true }
            if Task.isCancelled {
                _ = state.queue.leave(number)
                return false
            }
            state.waiters[number] = continuation
            return nil
        }
        if let hasEntered { continuation.resume(returning: hasEntered) }
    }

    private func giveUp(_ number: Int) {
        let waiter = state.withLock { state in
            let waiter = state.waiters.removeValue(forKey: number)
            if waiter != nil { _ = state.queue.leave(number) }
            return waiter
        }
        waiter?.resume(returning: false)
    }
}
