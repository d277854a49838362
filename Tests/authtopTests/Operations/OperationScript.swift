import Basics
import Client
import FoundationEssentials
import Model
import Profiles

@testable import authtop

/// Feeds events to an operation, one by one.
struct OperationScript<Operation: SessionOperation> {
    var operation: Operation
    let moment = Moment(now: .origin, wall: Date(timeIntervalSince1970: 1_763_733_600))
    private(set) var session = SessionSnapshot()
    private var state = SessionState.cold

    init(_ operation: Operation) {
        self.operation = operation
    }

    @discardableResult
    mutating func enter(_ next: SessionState) -> OperationStep {
        defer { state = next }
        return tell(.stateChanged(from: state, to: next, why: .login))
    }

    @discardableResult
    mutating func tell(_ kind: SessionEvent.Kind, generation: Int = 1) -> OperationStep {
        let event = SessionEvent(
            moment: moment,
            session: SessionID("acme"),
            profile: "acme",
            login: 1,
            generation: generation,
            kind: kind
        )
        session.apply(event)
        return operation.step(event, session)
    }

    /// Its timeout is over.
    func runOut() -> OperationStep { .end(operation.outOfTime(session)) }
}

extension OperationStep: CustomStringConvertible {
    /// What is done now, with the exit code of a failure.
    public var description: String {
        switch self {
        case .wait: "wait"
        case .awaitToken: "await token"
        case .end(.granted): "granted"
        case .ask(let request): "ask \(request.method) \(request.target)"
        case .end(.answered(let message, _)): "answered: \(message)"
        case .send(let input): "send \(input)"
        case .end(.done(let message)): "done: \(message)"
        case .end(.failed(let failure)): "\(failure.exit.rawValue): \(failure.message)"
        }
    }
}
