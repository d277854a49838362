package import Basics
package import Model
import Synchronization

/// Until when the logins and renewals of a run may begin: none does once another run may have taken the
/// sessions over.
package final class FlightPermit: Sendable {
    private struct State {
        var end: Instant
        var problem: VaultProblem
    }

    private let usual: VaultProblem
    private let state: Mutex<State>

    /// - Parameters:
    ///   - end: The instant from which none may begin.
    ///   - problem: Why none may, unless something else is known to be the reason.
    package init(until end: Instant, then problem: VaultProblem) {
        usual = problem
        state = Mutex(State(end: end, problem: problem))
    }

    /// Moves the end.
    package func extend(to end: Instant) {
        state.withLock { $0 = State(end: end, problem: usual) }
    }

    /// Says why the end is not moved on.
    package func explain(_ problem: VaultProblem) {
        state.withLock { $0.problem = problem }
    }

    /// Why none may begin now, or `nil` if one may.
    func problem(at now: Instant) -> VaultProblem? {
        state.withLock { now < $0.end ? nil : $0.problem }
    }
}
