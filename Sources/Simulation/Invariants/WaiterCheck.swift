import Lifecycle
import Timekeeping

/// 16: every waiter is resumed once and in time, and one that is canceled has no effect on others.
struct WaiterCheck {
    private var wokeAt = PerProcess<Instant>()
    private(set) var checked = 0

    mutating func woke(_ process: Int, _ now: Instant) {
        wokeAt[process] = now
    }

    mutating func resumed(
        _ waiter: Int,
        _ caller: Caller?,
        _ result: Result<TokenGrant, WaitFailure>,
        _ now: Instant
    ) -> InvariantViolation.Finding? {
        checked += 1
        guard caller != nil else {
            return InvariantViolation.Finding(.waiters, "a caller is answered that does not wait")
        }
        return nil
    }

    mutating func finished(_ id: Int, _ deadline: Instant?, _ now: Instant) -> InvariantViolation
        .Finding?
    {
        checked += 1
        guard deadline != nil else {
            return InvariantViolation.Finding(.waiters, "a request ends that was not pending")
        }
        return nil
    }

    /// Checks that no waiter is overdue; a process that was suspended may be late.
    mutating func overdue(
        callers: [Int: Caller],
        requests: [Int: Instant],
        of process: Int,
        answerLimit: Double,
        now: Instant
    ) -> InvariantViolation.Finding? {
        guard !callers.isEmpty || !requests.isEmpty else { return nil }
        let woke = wokeAt[process] ?? .origin
        for caller in callers.values where caller.deadline < now && caller.deadline > woke {
            return InvariantViolation.Finding(.waiters, "a caller waits past its deadline")
        }
        for deadline in requests.values {
            let last = deadline.advanced(bySeconds: answerLimit)
            guard last < now, last > woke else { continue }
            return InvariantViolation.Finding(.waiters, "a request does not end")
        }
        return nil
    }

    mutating func handled(_ step: Step) -> InvariantViolation.Finding? {
        guard case .waiterCancelled(let waiter) = step.input else { return nil }
        checked += 1
        let isAwake = step.effects.contains { effect in
            if case .emit(let event) = effect, case .wake = event.kind { true } else { false }
        }
        let isQuiet = step.effects.allSatisfy { effect in
            switch effect {
            case .resume(waiter, _): return true
            // After a sleep the feed pings its sockets.
            case .feed(.ping): return isAwake
            case .emit(let event):
                switch event.kind {
                case .wake, .wallStep: return true
                // After a sleep a retry is made at once.
                case .renewalPlanned: return isAwake
                default: return false
                }
            default: return false
            }
        }
        guard !isQuiet || step.before.state != step.after.state else { return nil }
        return InvariantViolation.Finding(.waiters, "a canceled caller changes the renewal")
    }
}
