import Basics
import Client
import Model
import Simulation

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

    /// Checks that what a caller is told of its action is so.
    mutating func answered(
        _ action: SessionAction?,
        _ result: ActionResult,
        _ view: MachineView?
    ) -> InvariantViolation.Finding? {
        checked += 1
        guard action != nil else {
            return InvariantViolation.Finding(.waiters, "an action is answered that was not begun")
        }
        guard let view, Self.isContradicted(result, by: view) else { return nil }
        return InvariantViolation.Finding(
            .waiters,
            "the answer to an action is not so in the state \(view.state.name): \(result)"
        )
    }

    private static func isContradicted(_ result: ActionResult, by view: MachineView) -> Bool {
        let isHeld = view.held != nil
        return switch result {
        case .logIn(.loggedIn), .logIn(.adopted), .refresh(.renewed), .refresh(.adopted),
            .refresh(.loggedIn):
            // A logout everywhere follows the renewal that it needs, in the same step.
            !isHeld && view.state.name != "signingOut"
        case .refresh(.failed), .refresh(.lost): !isHeld
        case .refresh(.signedOut), .logOut(.ended), .logOut(.unsaved), .logOut(.signedOut): isHeld
        case .state, .saved, .logIn, .refresh, .logOut, .sendOutbox: false
        }
    }

    /// Checks that no waiter is overdue; a process that was suspended may be late.
    mutating func overdue(
        _ pending: PendingWork,
        after step: Step
    ) -> InvariantViolation.Finding? {
        if case .callerCancelled(let caller) = step.input, pending.actions[caller] != nil {
            return InvariantViolation.Finding(.waiters, "a caller that cancels is not answered")
        }
        guard !pending.callers.isEmpty || !pending.requests.isEmpty else { return nil }
        let now = step.now
        let woke = wokeAt[step.process] ?? .origin
        for caller in pending.callers.values where caller.deadline < now && caller.deadline > woke {
            return InvariantViolation.Finding(.waiters, "a caller waits past its deadline")
        }
        for deadline in pending.requests.values {
            let last = deadline.advanced(bySeconds: SimulatedTimeouts.answer)
            guard last < now, last > woke else { continue }
            return InvariantViolation.Finding(.waiters, "a request does not end")
        }
        return nil
    }

    mutating func handled(_ step: Step) -> InvariantViolation.Finding? {
        let isFirstAwake = isFirstAwake.take(step.process) ?? false
        let cancelled: Int
        switch step.input {
        case .waiterCancelled(let waiter): cancelled = waiter
        case .callerCancelled(let caller): cancelled = caller
        default: return nil
        }
        checked += 1
        let isQuiet = step.effects.allSatisfy { effect in
            switch effect {
            case .resume(cancelled, _), .finish(cancelled, _): return true
            // After a sleep the feed pings its sockets.
            case .feed(.ping): return isFirstAwake
            case .emit(let event):
                if event.kind is WallClockStepped || event.kind is TokenAwaited {
                    return true
                } else if event.kind is Interruption {
                    return isFirstAwake
                } else if let plan = (event.kind as? RenewalPlanned)?.plan {
                    // A sleep brings a retry forward, and tokens end during it. In a pause, time alone
                    // makes a use the next reason to renew, whatever comes first after that.
                    return isFirstAwake || plan == .held(.use)
                } else {
                    return false
                }
            default: return false
            }
        }
        guard !isQuiet || step.before.state != step.after.state else { return nil }
        return InvariantViolation.Finding(.waiters, "a canceled caller changes the renewal")
    }
}
