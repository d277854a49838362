import Client
import Model
import Profiles
import UI

extension OperationRun {
    /// Sends a custom request on the stored session.
    ///
    /// - Returns: The outcome as text, the words of the command that helps if there is one, and the
    ///   answer; `nil` if the output was closed.
    func send(_ request: CustomRequest) async throws -> (
        message: String, remedy: [String]?, answer: CustomResponse
    )? {
        let profile = chosen.name
        let outcome = try await follow(within: 60) { store throws(CommandFailure) in
            switch await store.load() {
            case .vaultUnavailable(let problem): throw .vaultUnavailable(problem, profile)
            case .signedOut(let reason): throw .signedOut(await store.reason(reason), profile)
            case .cold, .signingIn, .signingOut, .fresh, .renewing, .retrying, .blocked, .expired,
                .unknown, .draining:
                return await store.ask(request, why: .custom)
            }
        }
        guard let outcome else { return nil }
        let text = RequestOutcomeText(
            profile: profile,
            request: request,
            outlook: outcome.session.state.outlook
        )
        let last = outcome.session.requests.last { $0.exchange.purpose == .protected }
        var message = try text.message(of: outcome.value.end, seconds: last?.exchange.seconds)
        if case .signedOut(let reason) = outcome.session.state {
            let words = outcome.session.lastEnding?.refusal?.message
            message += "; " + CommandFailure.signedOutText(reason, saying: words)
            return (message, ["login", profile], outcome.value)
        }
        return (message, nil, outcome.value)
    }
}

/// The result of a custom request, as text.
struct RequestOutcomeText {
    let profile: String
    let request: CustomRequest
    /// The last failure of a renewal, if none has succeeded since.
    var outlook: RetryOutlook?

    /// - Parameters:
    ///   - end: The end of the request.
    ///   - seconds: The duration of the last exchange, or `nil` if there was none.
    /// - Returns: The message about the answer.
    /// - Throws: Why there is none.
    func message(of end: RequestEnd, seconds: Double?) throws(CommandFailure) -> String {
        switch end {
        case .accepted(let status), .listed(_, let status), .inconclusive(let status),
            .rejected(let status):
            let time = seconds.map { " in \(DurationFormatter.fine($0))" } ?? ""
            return "\(profile): \(request.method) \(request.target) answered \(status)\(time)"
                + (isRejected(end) ? notRenewed : "")
        case .notSent(let cause):
            throw CommandFailure(.unreachable, "\(profile): not sent: \(CauseText().text(cause))")
        case .unanswered(let detail):
            throw CommandFailure(
                .unreachable,
                "\(profile): sent, but no complete answer: \(detail)"
            )
        case .noToken(.cancelled):
            throw CommandFailure(.unreachable, "\(profile): no answer in time")
        case .noToken(let failure): throw CommandFailure(failure, after: outlook, profile)
        }
    }

    private func isRejected(_ end: RequestEnd) -> Bool {
        if case .rejected = end { true } else { false }
    }

    private var notRenewed: String {
        guard let outlook else { return "" }
        return "; not renewed: \(FailureText.full(outlook.failure)); you stay logged in"
    }
}
