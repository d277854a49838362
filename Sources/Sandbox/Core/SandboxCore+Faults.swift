import Backend
import Synchronization
import Timekeeping

/// Switching faults, and what is told of them.
extension SandboxCore {
    func set(_ switches: [FaultSwitch]) {
        locked.withLock { state in
            for setting in switches { state.board.set(setting) }
        }
    }

    var faults: [FaultStatus] { locked.withLock { $0.board.statuses } }

    var faultList: FaultList {
        FaultList(schedule: scheduleSeed.map(FaultList.Schedule.init), faults: faults)
    }

    /// What the feed does at a moment of a socket's life.
    func turn(at moment: FeedMoment) -> FeedTurn {
        locked.withLock { $0.board.turn(at: moment, drawing: &$0.random) }
    }

    /// Switches faults by a schedule until the caller is cancelled.
    ///
    /// - Parameters:
    ///   - schedule: Its steps are counted from now on.
    ///   - onStep: Told each setting once it holds.
    /// - Throws: `CancellationError`.
    func follow(
        _ schedule: FaultSchedule,
        onStep: @Sendable (FaultSwitch) -> Void
    ) async throws {
        var schedule = schedule
        var due = timekeeper.now
        while true {
            let step = schedule.next()
            due = due.advanced(bySeconds: step.after)
            try await timekeeper.sleep(until: due)
            set([step.setting])
            onStep(step.setting)
        }
    }
}
