import Basics
import Client
import Model
import Profiles
import Simulation

/// 18: `Retry-After` is respected, except by the user, and by the last attempt with a refresh token
/// that has expired.
struct RetryAfterCheck {
    private var notBefore = PerProcess<(token: RefreshToken, until: Instant)>()
    private var cause = PerProcess<RefreshCause>()
    private(set) var checked = 0

    mutating func died(_ process: Int) {
        notBefore[process] = nil
        cause[process] = nil
    }

    mutating func began(_ cause: RefreshCause, by process: Int) {
        self.cause[process] = cause
    }

    /// A process that has obtained a pair in the meantime shows that the server is no longer busy.
    mutating func renewed(_ process: Int) {
        notBefore[process] = nil
    }

    mutating func answered(
        _ exchange: CompletedExchange<RefreshResponse>,
        for token: RefreshToken?,
        _ step: Step
    ) {
        guard let token, token == step.before.held?.tokens.refresh,
            case .answered(.failed(.transient(_, _, .seconds(let seconds)?))) = exchange.outcome
        else { return }
        let bounded = min(max(seconds, 0), RetryPolicy.longestRetryAfter)
        notBefore[step.process] = (token, step.now.advanced(bySeconds: bounded))
    }

    mutating func sends(_ token: RefreshToken, _ sent: SentRequest) -> InvariantViolation.Finding? {
        guard let limit = notBefore[sent.process], limit.token == token else { return nil }
        checked += 1
        guard sent.now.advanced(bySeconds: 0.001) < limit.until, cause[sent.process] != .user
        else {
            return nil
        }
        if let end = sent.view.held?.refresh?.at, sent.now >= end { return nil }
        let early = ElapsedFormatter.text(limit.until.seconds(since: sent.now))
        return InvariantViolation.Finding(
            .retryAfterRespected,
            "the server is asked \(early) too early"
        )
    }
}
