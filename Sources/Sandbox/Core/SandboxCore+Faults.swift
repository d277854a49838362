import Backend
import Synchronization
import Timekeeping

/// Switching faults, and what is told of them.
extension SandboxCore {
    func set(_ switches: [FaultSetting]) {
        locked.withLock { state in
            for setting in switches { state.faultController.set(setting) }
        }
    }

    var faults: [FaultStatus] { locked.withLock { $0.faultController.statuses } }

    var faultList: FaultList {
        FaultList(schedule: scheduleSeed.map(FaultList.Schedule.init), faults: faults)
    }

    /// What the feed does at a moment of a socket's life.
    func decision(at moment: FeedMoment) -> FeedDecision {
        locked.withLock { $0.faultController.decision(at: moment, drawing: &$0.random) }
    }

    /// Switches faults by a schedule until the caller is cancelled.
    ///
    /// - Parameters:
    ///   - schedule: Its steps are counted from now on.
    ///   - onStep: Told each setting once it holds.
    /// - Throws: `CancellationError`.
    func follow(
        _ schedule: FaultSchedule,
        onStep: @Sendable (FaultSetting) -> Void
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
