import Client
import Model
import Observer
import Profiles
import UI

/// Sends a custom request on the stored session.
struct RequestOperation: SessionOperation {
    let timeout = 60.0

    let profile: String
    let request: CustomRequest
    private var hasAsked = false
    private var records: [RequestRecord] = []
    private var answer: CustomResponse?

    init(profile: String, request: CustomRequest) {
        self.profile = profile
        self.request = request
    }

    mutating func step(_ event: SessionEvent, _ session: SessionSnapshot) -> OperationStep {
        switch event.kind {
        case .request(let record) where record.purpose == .protected:
            records.append(record)
            return finish()
        case .stateChanged: return enter(session.state)
        default: return .wait
        }
    }

    mutating func answered(_ answer: CustomResponse) -> OperationStep {
        self.answer = answer
        return finish()
    }

    private mutating func enter(_ state: SessionState) -> OperationStep {
        switch state {
        case .vaultUnavailable(let problem):
            return .failed(.unreachable, "\(profile): \(problem.message)")
        case .signedOut(let reason) where !hasAsked: return .end(.failed(signedOut(reason)))
        case .cold, .signingIn, .signingOut, .signedOut: return .wait
        case .fresh, .renewing, .retrying, .blocked, .offline, .unknown, .draining:
            guard !hasAsked else { return .wait }
            hasAsked = true
            return .ask(request)
        }
    }

    /// Finishes once each exchange was reported, so that the log has it.
    private func finish() -> OperationStep {
        guard let answer, records.count >= answer.exchanges else { return .wait }
        return .end(end(answer))
    }

    private func end(_ answer: CustomResponse) -> OperationEnd {
        switch answer.end {
        case .accepted(let status), .listed(_, let status), .inconclusive(let status),
            .rejected(let status):
            let time = records.last.map { " in \(DurationFormatter.fine($0.seconds))" } ?? ""
            let what = "\(request.method) \(request.target)"
            return .answered("\(profile): \(what) answered \(status)\(time)", answer)
        case .notSent(let cause):
            let text = CauseText().text(cause)
            return .failed(CommandFailure(.unreachable, "\(profile): not sent: \(text)"))
        case .unanswered(let detail):
            return .failed(
                CommandFailure(.unreachable, "\(profile): sent, but no complete answer: \(detail)")
            )
        case .noToken(.signedOut(let reason)): return .failed(signedOut(reason))
        case .noToken(.vaultUnavailable(let problem)):
            return .failed(CommandFailure(.unreachable, "\(profile): \(problem.message)"))
        case .noToken(.offline), .noToken(.timedOut), .noToken(.cancelled),
            .noToken(.circuitBreakerOpened):
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
        let message = reason == .never ? "signed out" : ReasonText.sentence(reason)
        return CommandFailure(.notSo, "\(profile): \(message); run: authtop login \(profile)")
    }

    func outOfTime(_ session: SessionSnapshot) -> OperationEnd {
        .failed(CommandFailure(.unreachable, "\(profile): no answer in time"))
    }
}
