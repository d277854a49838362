import Backend
import Basics
import Client
import Model
import Profiles

/// A client without a timer: it renews when a request was refused, and signs out when that is
/// refused too; where an answer is lost, it tries again with the next request.
struct NaiveForecast {
    private let question: Forecast.Question
    private let behavior: Forecast.BackendBehavior

    init(_ question: Forecast.Question, _ behavior: Forecast.BackendBehavior) {
        self.question = question
        self.behavior = behavior
    }

    func row() -> Forecast.Row {
        var row = Forecast.Row(client: .naive, backend: behavior)
        var random = SeededGenerator(seed: question.seed)
        var backend = AuthBackend(seed: question.seed)
        let policy = question.policy(behavior)
        let start = SimulatedClock.epoch
        guard var pair = backend.login(Account.sandbox.credentials, in: policy, at: start) else {
            return row
        }
        row.hasBegun = true
        let life = ElapsedFormatter.text(policy.accessLifetime)
        row.timeline.add("logged in: access token for \(life)", at: 0)
        let step = max(1, question.requestEvery)
        var seconds = step
        var left = question.rowLimits.requests
        while seconds <= question.horizon(behavior) {
            defer { seconds += step }
            guard left > 0 else {
                row.followedUntil = seconds - step
                return row
            }
            left -= 1
            let isWithin = seconds <= question.seconds
            if isWithin { row.requests += 1 }
            let end = send(.protected(pair.access), &backend, policy, start + seconds, &random)
            guard case .unauthorized? = end else { continue }
            if isWithin { row.refusedRequests += 1 }
            guard policy.hasRefreshToken else {
                row.end(.accessExpired, "401, and nothing to renew with: signed out", at: seconds)
                return row
            }
            switch send(.refresh(pair.refresh), &backend, policy, start + seconds, &random) {
            case .refreshIssued(let next)?:
                let kept = pair.refresh
                pair = next
                pair.refresh = next.refresh ?? kept
                guard isWithin else { break }
                row.recordRenewal(at: seconds)
                row.timeline.add("401, then renewed: access token for \(life)", at: seconds)
            case .refreshRefused(let cause)?:
                if isWithin { row.failedRenewals += 1 }
                row.refusal = cause
                row.end(
                    cause == .expired ? .refreshExpired : .revoked,
                    "401, and the refresh token is refused (\(cause.text)): signed out",
                    at: seconds
                )
                return row
            default:
                guard isWithin else { break }
                row.failedRenewals += 1
                row.timeline.add("401, and the renewal failed", at: seconds)
            }
        }
        return row
    }

    /// Returns the response that arrives, or `nil` if none does, or one that is not the backend's.
    private func send(
        _ request: RecognizedRequest,
        _ backend: inout AuthBackend,
        _ policy: BackendPolicy,
        _ now: Double,
        _ random: inout SeededGenerator
    ) -> BackendResponse? {
        var faults: [Fault] = []
        if !question.faults.isEmpty, random.happens(question.faultRate) {
            faults = [question.faults.drawn(&random)]
        }
        var exchange = backend.begin(request, in: policy, under: faults, drawing: &random)
        let own = WireResponse(status: 0)
        backend.finish(
            &exchange,
            writing: { _ in own },
            in: policy,
            under: faults,
            drawing: &random,
            at: now
        )
        guard exchange.delivery == .whole, exchange.response?.status == own.status else {
            return nil
        }
        return exchange.answer
    }
}

extension Forecast.Row {
    fileprivate mutating func end(_ reason: SignedOutReason, _ message: String, at seconds: Double)
    {
        endsAt = seconds
        self.reason = reason
        timeline.add(message, at: seconds)
    }
}
