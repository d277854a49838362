import Basics
import Client
import Model

/// 16: every waiter is resumed once and in time, and one that is canceled has no effect on others.
struct WaiterCheck {
    private var wokeAt = PerProcess<Instant>()
    /// Whether the next step of a process is its first one after a sleep.
    private var isFirstAwake = PerProcess<Bool>()
    private(set) var checked = 0

    mutating func woke(_ process: Int, _ now: Instant) {
        wokeAt[process] = now
        isFirstAwake[process] = true
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
        let isFirstAwake = isFirstAwake.take(step.process) ?? false
        guard case .waiterCancelled(let waiter) = step.input else { return nil }
        checked += 1
        let isQuiet = step.effects.allSatisfy { effect in
            switch effect {
            case .resume(waiter, _): return true
            // After a sleep the feed pings its sockets.
            case .feed(.ping): return isFirstAwake
            case .emit(let event):
                switch event.kind {
                case .wallStep, .tokenAwaited: return true
                // A sleep brings a retry forward, and tokens end during it.
                case .wake, .renewalPlanned: return isFirstAwake
                default: return false
                }
            default: return false
            }
        }
        guard !isQuiet || step.before.state != step.after.state else { return nil }
        return InvariantViolation.Finding(.waiters, "a canceled caller changes the renewal")
    }
}
