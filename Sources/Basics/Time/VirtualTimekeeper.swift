import FoundationEssentials
import Synchronization

/// Clocks that move only when a test advances them; the simulation has clocks of its own.
final class VirtualTimekeeper: Timekeeper {
    private struct Sleeper {
        let id: Int
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Watcher {
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now = Instant.origin
        var wall: Date
        var nextID = 0
        var sleepers: [Sleeper] = []
        var cancelledEarly: Set<Int> = []
        var watchers: [Watcher] = []

        mutating func takeSatisfiedWatchers() -> [Watcher] {
            let count = sleepers.count
            let satisfied = watchers.filter { $0.count <= count }
            watchers.removeAll { $0.count <= count }
            return satisfied
        }
    }

    private let state: Mutex<State>

    /// - Parameter wall: The wall time at `Instant.origin`.
    init(wall: Date = Date(timeIntervalSince1970: 1_767_225_600)) {
        state = Mutex(State(wall: wall))
    }

    var now: Instant {
        state.withLock { $0.now }
    }

    var wall: Date {
        state.withLock { $0.wall }
    }

    /// The earliest deadline of all sleeping tasks, or `nil` if there are none.
    var nextDeadline: Instant? {
        state.withLock { $0.sleepers.map(\.deadline).min() }
    }

    func sleep(until deadline: Instant) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                register(Sleeper(id: id, deadline: deadline, continuation: continuation))
            }
        } onCancel: {
            cancel(id)
        }
    }

    /// Waits until at least `count` tasks sleep on this clock.
    func waitForSleepers(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let satisfied = state.withLock { state in
                state.watchers.append(Watcher(count: count, continuation: continuation))
                return state.takeSatisfiedWatchers()
            }
            for watcher in satisfied { watcher.continuation.resume() }
        }
    }

    /// Advances both clocks and wakes the tasks that are due, in the order of their deadlines.
    func advance(by duration: Duration) {
        advance(to: now + duration)
    }

    /// Advances both clocks to `instant`; never moves them backwards.
    func advance(to instant: Instant) {
        let due = state.withLock { state in
            let step = max(0, instant.seconds(since: state.now))
            state.now = max(state.now, instant)
            state.wall.addTimeInterval(step)
            let reached = state.now
            let due = state.sleepers.filter { $0.deadline <= reached }
            state.sleepers.removeAll { $0.deadline <= reached }
            return due.sorted { ($0.deadline, $0.id) < ($1.deadline, $1.id) }
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Sets the wall clock forward or back by `seconds`; the monotonic clock is not affected.
    func stepWall(bySeconds seconds: Double) {
        state.withLock { $0.wall.addTimeInterval(seconds) }
    }

    private enum Registration {
        case sleeping([Watcher])
        case due
        case cancelled
    }

    private func register(_ sleeper: Sleeper) {
        let registration = state.withLock { state -> Registration in
            if state.cancelledEarly.remove(sleeper.id) != nil { return .cancelled }
            if sleeper.deadline <= state.now { return .due }
            state.sleepers.append(sleeper)
            return .sleeping(state.takeSatisfiedWatchers())
        }
        switch registration {
        case .sleeping(let watchers): for watcher in watchers { watcher.continuation.resume() }
        case .due: sleeper.continuation.resume()
        case .cancelled: sleeper.continuation.resume(throwing: CancellationError())
        }
    }

    private func cancel(_ id: Int) {
        let sleeper = state.withLock { state -> Sleeper? in
            guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                state.cancelledEarly.insert(id)
                return nil
            }
            return state.sleepers.remove(at: index)
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}
