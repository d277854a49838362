import Backend
import Basics
import Model
import Synchronization

/// The settings and the status of faults.
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

    /// Returns what the feed does at a moment of a socket's life.
    func decision(at moment: FeedMoment) -> FeedDecision {
        locked.withLock { $0.faultController.decision(at: moment, drawing: &$0.random) }
    }

    /// Returns the rules that faults break now in what is no exchange of a session.
    func broken(in kind: ExchangeKind) -> Set<FaultEffect.Rule> {
        locked.withLock { state in
            let faults = state.faultController.faults(for: kind, drawing: &state.random)
            return Set(
                faults.compactMap { fault in
                    if case .breach(let rule) = fault.effect { rule } else { nil }
                }
            )
        }
    }

    /// Sets a fault once its time has come.
    ///
    /// - Parameters:
    ///   - setting: The setting, with the seconds from now until it begins.
    ///   - onStep: Called once it is in effect.
    /// - Throws: `CancellationError`.
    func wait(
        for setting: FaultSetting,
        onStep: @Sendable (FaultSetting) -> Void
    ) async throws {
        try await timekeeper.sleep(until: timekeeper.now.advanced(bySeconds: setting.delay))
        var setting = setting
        setting.delay = 0
        set([setting])
        onStep(setting)
    }

    /// Sets faults according to a schedule until the caller is cancelled.
    ///
    /// - Parameters:
    ///   - schedule: The schedule, which starts now.
    ///   - onStep: Called with each setting once it is in effect.
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

/// The response of `GET /__sandbox/faults`.
struct FaultList: Sendable, Encodable {
    struct Schedule: Sendable, Encodable {
        let seed: UInt64
    }

    /// The syntax of a setting.
    let syntax =
        "{\"on\" or \"once\" or \"off\": SWITCH or [SWITCH, …]}: a SWITCH is " + FaultSetting.syntax
    /// The schedule, or `nil` if faults are only set by requests.
    let schedule: Schedule?
    let faults: [FaultStatus]
}
