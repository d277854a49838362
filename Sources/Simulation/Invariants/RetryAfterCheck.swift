import Dialects
import Lifecycle
import Timekeeping
import Tokens

/// 18: a server that asked for patience gets it, except from a person, and except for the last try
/// of a refresh token that has ended.
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

    /// Whoever got a pair meanwhile has shown that the server is no longer busy.
    mutating func renewed(_ process: Int) {
        notBefore[process] = nil
    }

    mutating func answered(
        _ exchange: Exchange<RefreshResponse>,
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
        guard let wish = notBefore[sent.process], wish.token == token else { return nil }
        checked += 1
        guard sent.now.advanced(bySeconds: 0.001) < wish.until, cause[sent.process] != .person
        else {
            return nil
        }
        if let end = sent.view.held?.refresh?.at, sent.now >= end { return nil }
        let early = ElapsedFormatter.text(wish.until.seconds(since: sent.now))
        return InvariantViolation.Finding(
            .retryAfterRespected,
            "the server is asked \(early) too early"
        )
    }
}
