import Basics
import Client
import Model
import Simulation

/// 15: every live state has a timer or a pending operation, and reaches rest.
struct LivenessCheck {
    /// Retry-After counts at most an hour.
    private static let longestWait = 3_601.0
    private static let stepLimit = 300
    private(set) var checked = 0

    mutating func rests(_ step: Step, _ pending: PendingWork) -> InvariantViolation.Finding? {
        checked += 1
        guard pending.stepsAtOneInstant < Self.stepLimit else {
            return InvariantViolation.Finding(
                .timerLiveness,
                "\(Self.stepLimit) steps at one instant"
            )
        }
        guard pending.effects == 0 else { return nil }
        let state = step.after.state
        switch state {
        case .signedOut: return nil
        case .cold, .vaultUnavailable, .signingIn, .signingOut:
            return pending.deadline == nil ? nothing(state) : nil
        case .fresh, .renewing, .retrying, .blocked, .expired, .unknown, .draining: break
        }
        guard !step.after.flags.isPaused else { return nil }
        // Only the next use of the token starts another attempt.
        if case .expired(let outlook) = state, outlook.hold == .use { return nil }
        guard let schedule = step.after.schedule else {
            if case .fresh = state { return nil }
            return pending.deadline == nil ? nothing(state) : nil
        }
        guard let deadline = pending.deadline else { return nothing(state) }
        let latest = max(schedule.usableUntil, step.now.advanced(bySeconds: Self.longestWait))
        guard deadline > latest else { return nil }
        return InvariantViolation.Finding(
            .timerLiveness,
            "\(state.name) waits until long after its token has ended"
        )
    }

    private func nothing(_ state: SessionState) -> InvariantViolation.Finding {
        InvariantViolation.Finding(.timerLiveness, "\(state.name) waits for nothing")
    }
}
