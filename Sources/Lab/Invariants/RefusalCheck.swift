import Basics
import Client
import Model
import Profiles
import Simulation

/// 17: a request is sent twice at most, and the refusal of an old token renews nothing.
struct RefusalCheck {
    /// By process, then by the cause of the request.
    private var sends = PerProcess<[RequestCause: Int]>()
    private var tokens = PerProcess<[OperationID: AccessToken]>()
    private(set) var checked = 0

    mutating func sends(_ token: AccessToken, _ operation: OperationID, by process: Int) {
        tokens[process, default: [:]][operation] = token
    }

    mutating func died(_ process: Int) {
        sends[process] = nil
        tokens[process] = nil
    }

    mutating func ended(_ exchange: Exchange, _ process: Int) -> InvariantViolation.Finding? {
        guard exchange.purpose == .protected else { return nil }
        checked += 1
        let times = sends[process, default: [:]][exchange.why, default: 0] + 1
        sends[process, default: [:]][exchange.why] = times
        guard times > 2 else { return nil }
        return InvariantViolation.Finding(.refusalDiscipline, "a request is sent \(times) times")
    }

    mutating func finished(_ id: Int, _ process: Int) {
        sends[process]?[.simulated(id)] = nil
    }

    mutating func handled(_ step: Step) -> InvariantViolation.Finding? {
        guard case .protectedEnded(let id, let exchange) = step.input,
            let token = tokens[step.process]?.removeValue(forKey: id),
            case .answered(.tokenRejected) = exchange.outcome,
            token != step.before.held?.tokens.access
        else { return nil }
        checked += 1
        guard step.effects.contains(where: \.isLock) else { return nil }
        return InvariantViolation.Finding(
            .refusalDiscipline,
            "the refusal of an old token starts a renewal"
        )
    }
}
