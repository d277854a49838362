import Basics
import Model
import Profiles

// Conversions of observations to the types of the events that every session has.

extension Exchange {
    /// An exchange that was over at a moment, as the events and the archive have it.
    init(_ observed: ObservedExchange, in traffic: ObservedTraffic, at moment: Moment) {
        let isRefresh = observed.purpose == .refresh
        self.init(
            id: observed.number,
            purpose: observed.purpose.inEvents,
            method: observed.request.method,
            target: observed.request.target,
            result: Result(observed),
            seconds: (observed.endedAt ?? moment).now.seconds(since: observed.startedAt.now),
            generation: observed.generation ?? observed.refreshGeneration ?? 0,
            why: .observed(observed.cause)
        )
        fingerprint = isRefresh ? observed.refresh : observed.access?.fingerprint
        tokenAge = observed.access.flatMap { access in
            traffic.graph.generation(of: access.fingerprint).map {
                observed.startedAt.now.seconds(since: $0.pair.issuedAt.now)
            }
        }
        if isRefresh {
            flight = observed.number
        } else if case .retry(let original) = observed.cause {
            retryOf = original
        }
        evidence = observed.answer?.evidence
        serverWords = observed.answer?.serverWords
        if observed.purpose == .protected, observed.outcome == .tokenRefused {
            acceptance = .refused
        }
        corsAddedFor = observed.answer?.corsAddedFor
        client = observed.client
        trace = observed.request.trace
        experiment = observed.experiment
        if observed.status != nil, observed.isGivenUp { isUndelivered = true }
    }
}

extension Exchange.Result {
    fileprivate init(_ observed: ObservedExchange) {
        let detail = observed.failure.map(ObservationMachine.detail) ?? ""
        if let status = observed.status {
            self = .answered(status: status)
        } else if observed.outcome == .notSent {
            self = .notSent(.unreachable(detail: detail))
        } else {
            self = .unanswered(detail: detail)
        }
    }
}

extension RefreshFailure {
    /// Creates the failure of a refresh, or `nil` if it brought tokens.
    init?(_ exchange: ObservedExchange) {
        let status = exchange.status ?? 0
        let detail = exchange.failure.map(ObservationMachine.detail) ?? ""
        let words = exchange.answer.flatMap { $0.errorCode ?? $0.serverWords }
        switch exchange.outcome {
        case .refreshRefused(isFinal: true):
            self.init(.refreshTokenRefused(status: status, detail: words))
        case .refreshRefused(isFinal: false), .loginRefused, .tokenRefused:
            self.init(.notUnderstood(status: status, detail: words))
        case .transient:
            self.init(.unavailable(status: status, detail: words))
        case .accepted, .inconclusive, .loggedOut:
            let coding = exchange.answer?.unreadCoding.map { "Content-Encoding: \($0)" }
            self.init(.unusableAnswer(status: status, detail: coding ?? ""))
        case .unanswered: self.init(.unanswered(detail: detail))
        case .notSent: self.init(.unsent(.unreachable(detail: detail)))
        case .issued, nil: return nil
        }
    }
}

extension SignedOutReason {
    init(_ end: ObservedEnd) {
        self =
            switch end {
            case .logout: .user
            case .refreshRefused, .reuseDetected: .revoked
            case .replaced: .replaced
            case .expired: .accessExpired
            case .silent: .endedElsewhere
            }
    }
}

extension SessionState {
    /// The state of a session with an observed status, and its cause, or `nil` if it stays as it
    /// is.
    static func shown(
        for status: ObservedStatus
    ) -> (state: SessionState, why: StateChangeCause)? {
        switch status {
        case .joined, .live: (.fresh, .observed)
        case .renewing: (.renewing, .observed)
        // Nothing says what the app makes of it.
        case .refused, .expired, .ended: nil
        }
    }
}
