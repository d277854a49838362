import Basics

/// What has happened to the sessions of one profile since the start of the run.
///
/// Each count only grows, and the number of counts is bounded by the lists that their keys are from.
struct ProfileMetrics: Sendable, Equatable {
    struct Renewal: Sendable, Hashable {
        var trigger: RefreshCause
        /// `nil` for one that brought tokens.
        var failure: RefreshFailure.Class?
    }

    struct Finding: Sendable, Hashable {
        var rule: String
        var severity: ObservedFinding.Severity
        var confidence: ObservedFinding.Confidence
    }

    /// What became known of a request that is over.
    enum RequestResult: String, Sendable, Hashable, CaseIterable {
        case informational = "1xx"
        case successful = "2xx"
        case redirected = "3xx"
        /// 401; any other 4xx is a client error.
        case unauthorized
        case clientError = "4xx"
        case serverError = "5xx"
        case notSent
        case unanswered
    }

    /// In seconds, from a renewal's start to its end.
    static let durationBounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
    /// In seconds, from when a timer was due to the start of its renewal.
    static let latenessBounds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 10, 60]

    let name: String
    var renewals: [Renewal: Int] = [:]
    var durations = Histogram(bounds: durationBounds)
    var lateness = Histogram(bounds: latenessBounds)
    var successfulLogins = 0
    var failedLogins: [RefreshFailure.Class: Int] = [:]
    var ends: [SignedOutReason: Int] = [:]
    var observedEnds: [ObservedEnd: Int] = [:]
    var requests: [RequestResult: Int] = [:]
    var findings: [Finding: Int] = [:]
    var lostMessages = 0
    /// Of sessions that are followed no longer, in seconds.
    var timeWithoutToken = 0.0
    var serverOffset: ServerOffset?

    init(name: String) {
        self.name = name
    }
}

extension ProfileMetrics.RequestResult {
    /// Returns `nil` for a request whose answer is awaited.
    init?(_ exchange: Exchange) {
        switch exchange.result {
        case .answered(401): self = .unauthorized
        case .answered(..<200): self = .informational
        case .answered(200..<300): self = .successful
        case .answered(300..<400): self = .redirected
        case .answered(400..<500): self = .clientError
        case .answered: self = .serverError
        case .notSent: self = .notSent
        case .unanswered: self = .unanswered
        case .awaited: return nil
        }
    }
}
