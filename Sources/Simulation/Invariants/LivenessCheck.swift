import Lifecycle
import Timekeeping

/// 15: every live state waits for something that will come, and comes to rest.
struct LivenessCheck {
    /// Retry-After counts at most an hour.
    private static let longestWait = 3_601.0
    private static let restlessLimit = 300
    private(set) var checked = 0

    /// What a process still waits for.
    struct UpcomingWork {
        var deadline: Instant?
        /// Effects whose end has not come back yet.
        var pending: Int
        /// In a row, without time passing.
        var restlessSteps: Int
    }

    mutating func rests(_ step: Step, _ upcoming: UpcomingWork) -> InvariantViolation.Finding? {
        checked += 1
        guard upcoming.restlessSteps < Self.restlessLimit else {
            return InvariantViolation.Finding(
                .timerLiveness,
                "\(Self.restlessLimit) steps at one instant"
            )
        }
        guard upcoming.pending == 0 else { return nil }
        let state = step.after.state
        switch state {
        case .signedOut: return nil
        case .cold, .vaultUnavailable, .signingIn, .signingOut:
            return upcoming.deadline == nil ? nothing(state) : nil
        case .fresh, .renewing, .retrying, .blocked, .offline, .unknown, .draining: break
        }
        guard !step.after.flags.isPaused else { return nil }
        // Nobody but whoever needs the token next brings another try.
        if case .offline(let outlook) = state, outlook.hold == .use { return nil }
        guard let schedule = step.after.schedule else {
            if case .fresh = state { return nil }
            return upcoming.deadline == nil ? nothing(state) : nil
        }
        guard let deadline = upcoming.deadline else { return nothing(state) }
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
