package import Basics

/// Whether the backend responds, regardless of what its responses mean for the session.
///
/// It is independent of the tokens: a token can be valid while the backend does not respond, and
/// expired while it does.
package struct Reachability: Sendable, Equatable {
    package enum Failure: Sendable, Equatable {
        /// No connection was made; `detail` is the transport's error.
        case unreachable(detail: String)
        /// A request left, and no complete answer came.
        case unanswered(detail: String)
        /// A 5xx: something answers, and cannot do what it is for.
        case serverError(status: Int)
        /// A probe after a sleep of the computer failed.
        case probeFailed
    }

    /// When the last answer came that is no server error.
    package private(set) var lastAnswerAt: Moment?
    /// The number of consecutive exchanges without a response since then.
    package private(set) var failures = 0
    package private(set) var lastFailure: Failure?

    /// Whether something answers, be it an error.
    package var isAnswered: Bool {
        switch lastFailure {
        case .serverError, nil: true
        case .unreachable, .unanswered, .probeFailed: false
        }
    }

    init() {}

    mutating func update(_ exchange: Exchange, at moment: Moment) {
        switch exchange.result {
        case .answered(let status) where status >= 500: fail(.serverError(status: status))
        case .answered: succeed(at: moment)
        case .unanswered(let detail): fail(.unanswered(detail: detail))
        case .notSent(.unreachable(let detail)): fail(.unreachable(detail: detail))
        // A local failure does not concern the backend.
        case .notSent(.credential), .notSent(.noEndpoint), .notSent(.unusableRequest),
            .notSent(.missingCapture), .notSent(.unusableHeader), .notSent(.unusablePath), .awaited:
            break
        }
    }

    mutating func update(probeReached reached: Bool, at moment: Moment) {
        if reached { succeed(at: moment) } else { fail(.probeFailed) }
    }

    private mutating func succeed(at moment: Moment) {
        lastAnswerAt = moment
        failures = 0
        lastFailure = nil
    }

    private mutating func fail(_ failure: Failure) {
        failures += 1
        lastFailure = failure
    }
}
