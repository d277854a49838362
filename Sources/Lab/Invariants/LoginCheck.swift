import Client
import Model
import Simulation

/// 20: of several processes that log in at once, one sends its credentials.
struct LoginCheck {
    /// The processes that have sent them and wait for the answer, or for its being stored.
    private var senders: Set<Int> = []
    private(set) var checked = 0

    mutating func died(_ process: Int) {
        senders.remove(process)
    }

    mutating func sends(by process: Int) -> InvariantViolation.Finding? {
        checked += 1
        guard senders.subtracting([process]).isEmpty else {
            return InvariantViolation.Finding(.siblings, "two processes log in at once")
        }
        senders.insert(process)
        return nil
    }

    /// A logout cancels the login in progress, and releases its lock.
    ///
    /// A pair that has expired on arrival is followed by another login, which has not sent anything
    /// yet.
    mutating func handled(_ step: Step) {
        let isOver = step.after.state != .signingIn || step.effects.contains(where: \.issuesTokens)
        if isOver { senders.remove(step.process) }
    }
}

extension SessionEffect {
    fileprivate var issuesTokens: Bool {
        if case .emit(let event) = self, event.kind is TokensIssued { true } else { false }
    }
}
