import Dashboard
import Dialects
import Lifecycle
import Sessions

/// Sends a person's own request on the stored session.
struct RequestAct: SessionAct {
    static let patience = 60.0

    let profile: String
    let request: CustomRequest
    private var hasAsked = false
    private var records: [RequestRecord] = []
    private var answer: CustomAnswer?

    init(profile: String, request: CustomRequest) {
        self.profile = profile
        self.request = request
    }

    mutating func step(_ event: SessionEvent, _ session: SessionSnapshot) -> ActStep {
        switch event.kind {
        case .request(let record) where record.purpose == .protected:
            records.append(record)
            return finish()
        case .stateChanged: return enter(session.state)
        default: return .wait
        }
    }

    mutating func answered(_ answer: CustomAnswer) -> ActStep {
        self.answer = answer
        return finish()
    }

    private mutating func enter(_ state: SessionState) -> ActStep {
        switch state {
        case .vaultUnavailable(let problem):
            return .failed(.unreachable, "\(profile): \(problem.words)")
        case .signedOut(let reason) where !hasAsked: return .end(.failed(signedOut(reason)))
        case .cold, .signingIn, .signingOut, .signedOut: return .wait
        case .fresh, .renewing, .retrying, .blocked, .offline, .unknown, .draining:
            guard !hasAsked else { return .wait }
            hasAsked = true
            return .ask(request)
        }
    }

    /// Once each exchange was told, so that the log has it.
    private func finish() -> ActStep {
        guard let answer, records.count >= answer.exchanges else { return .wait }
        return .end(end(answer))
    }

    private func end(_ answer: CustomAnswer) -> ActEnd {
        switch answer.end {
        case .accepted(let status), .listed(_, let status), .inconclusive(let status),
            .rejected(let status):
            let time = records.last.map { " in \(DurationWords.fine($0.seconds))" } ?? ""
            let what = "\(request.method) \(request.target)"
            return .answered("\(profile): \(what) answered \(status)\(time)", answer)
        case .notSent(let words):
            return .failed(CommandFailure(.unreachable, "\(profile): not sent: \(words)"))
        case .unanswered(let words):
            return .failed(
                CommandFailure(.unreachable, "\(profile): sent, but no complete answer: \(words)")
            )
        case .noToken(.signedOut(let reason)): return .failed(signedOut(reason))
        case .noToken(.vaultUnavailable(let problem)):
            return .failed(CommandFailure(.unreachable, "\(profile): \(problem.words)"))
        case .noToken(.offline), .noToken(.timedOut), .noToken(.cancelled), .noToken(.storm):
            return .failed(
                CommandFailure(
                    .unreachable,
                    "\(profile): there is no usable access token, and no renewal brought one; "
                        + "the session is kept"
                )
            )
        }
    }

    private func signedOut(_ reason: SignedOutReason) -> CommandFailure {
        let words = reason == .never ? "nobody is signed in" : ReasonWords.sentence(reason)
        return CommandFailure(.notSo, "\(profile): \(words); run: authtop login \(profile)")
    }

    func outOfTime(_ session: SessionSnapshot) -> ActEnd {
        .failed(CommandFailure(.unreachable, "\(profile): no answer in time"))
    }
}
