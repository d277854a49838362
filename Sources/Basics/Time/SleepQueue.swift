import HeapModule
import Synchronization

/// The sleeps of many tasks on one clock, which needs one timer for all of them.
///
/// `Task.sleep` has a timer of the system for each sleep, which stays there until its time even if
/// the task was cancelled long before: with thousands of sessions, tens of thousands of them.
package final class SleepQueue: Sendable {
    private struct Entry: Comparable {
        let deadline: Instant
        let number: Int

        static func < (left: Entry, right: Entry) -> Bool {
            (left.deadline, left.number) < (right.deadline, right.number)
        }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        /// The deadlines, also of some that have been cancelled.
        var entries = Heap<Entry>()
        /// Those that still sleep, by number.
        var sleepers: [Int: Sleeper] = [:]
        var lastNumber = 0
        var timer: Task<Void, Never>?
        /// The deadline that the timer waits for, or `nil` if there is no timer.
        var timerDeadline: Instant?
    }

    /// The cancelled deadlines that are kept besides as many as there are sleepers.
    private static let cancelledLimit = 256

    private let now: @Sendable () -> Instant
    private let wait: @Sendable (Instant) async throws -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - now: The clock.
    ///   - wait: Waits on it, until a deadline or until the calling task is cancelled.
    package init(
        now: @escaping @Sendable () -> Instant,
        wait: @escaping @Sendable (Instant) async throws -> Void
    ) {
        self.now = now
        self.wait = wait
    }

    /// Suspends until `deadline` or later.
    ///
    /// - Throws: `CancellationError` if the calling task is cancelled first.
    package func sleep(until deadline: Instant) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let isOver = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                add(Sleeper(deadline: deadline, continuation: continuation), number)
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
            sleeper?.continuation.resume(returning: false)
        }
        guard isOver else { throw CancellationError() }
    }

    private func add(_ sleeper: Sleeper, _ number: Int) {
        let isOver = sleeper.deadline <= now()
        let isWaiting = state.withLock { state in
            guard !Task.isCancelled, !isOver else { return false }
            state.sleepers[number] = sleeper
            state.entries.insert(Entry(deadline: sleeper.deadline, number: number))
            dropCancelled(&state)
            setTimer(&state)
            return true
        }
        if !isWaiting { sleeper.continuation.resume(returning: !Task.isCancelled) }
    }

    /// Resumes those whose time has come.
    ///
    /// - Parameter deadline: That of the timer that has rung.
    private func tick(_ deadline: Instant) {
        let now = now()
        let due = state.withLock { state in
            var due: [Sleeper] = []
            while let first = state.entries.min, first.deadline <= now {
                state.entries.removeMin()
                if let sleeper = state.sleepers.removeValue(forKey: first.number) {
                    due.append(sleeper)
                }
            }
            if state.timerDeadline == deadline { state.timerDeadline = nil }
            setTimer(&state)
            return due
        }
        for sleeper in due { sleeper.continuation.resume(returning: true) }
    }

    /// Has one timer for the earliest deadline, or none if nothing sleeps.
    private func setTimer(_ state: inout State) {
        while let first = state.entries.min, state.sleepers[first.number] == nil {
            state.entries.removeMin()
        }
        // One that rings for what was cancelled since sets the next one.
        guard let deadline = state.entries.min?.deadline,
            state.timerDeadline.map({ deadline < $0 }) ?? true
        else { return }
        state.timer?.cancel()
        state.timerDeadline = deadline
        state.timer = Task { [self] in
            guard (try? await wait(deadline)) != nil else { return }
            tick(deadline)
        }
    }

    /// Keeps few of the deadlines that nothing waits for, however far off they are.
    private func dropCancelled(_ state: inout State) {
        let limit = 2 * state.sleepers.count + Self.cancelledLimit
        guard state.entries.count > limit else { return }
        state.entries = Heap(
            state.sleepers.map { Entry(deadline: $0.value.deadline, number: $0.key) }
        )
    }
}
