import Dialects
import FoundationEssentials
import Lifecycle
import Timekeeping

@testable import authtop

/// An act that is told, one by one, what happens to a session.
struct ActScript<Act: SessionAct> {
    private(set) var act: Act
    private(set) var session = SessionSnapshot()
    private var state = SessionState.cold

    init(_ act: Act) {
        self.act = act
    }

    @discardableResult
    mutating func enter(_ next: SessionState) -> ActStep {
        defer { state = next }
        return tell(.stateChanged(from: state, to: next, why: ""))
    }

    @discardableResult
    mutating func tell(_ kind: SessionEvent.Kind) -> ActStep {
        let event = SessionEvent(
            moment: Moment(now: .origin, wall: Date(timeIntervalSince1970: 1_763_733_600)),
            session: SessionID("acme"),
            profile: "acme",
            login: 1,
            generation: 1,
            kind: kind
        )
        session.apply(event)
        return act.step(event, session)
    }

    /// Its patience is over.
    func runOut() -> ActStep { .end(act.outOfTime(session)) }
}

extension ActStep: CustomStringConvertible {
    /// What is done now, with the exit code of a failure.
    public var description: String {
        switch self {
        case .wait: "wait"
        case .ask(let request): "ask \(request.method) \(request.target)"
        case .end(.answered(let words, _)): "answered: \(words)"
        case .send(let input): "send \(input)"
        case .end(.done(let words)): "done: \(words)"
        case .end(.failed(let failure)): "\(failure.exit.rawValue): \(failure.words)"
        }
    }
}
