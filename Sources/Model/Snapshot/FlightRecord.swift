package import Basics

/// One refresh, from its start to its result.
package struct FlightRecord: Sendable, Equatable, LogEntry {
    package enum Outcome: Sendable, Equatable {
        case renewed(rotated: Bool, roundTrip: Duration, remainingLead: Duration)
        case failed(RefreshFailure, attempt: Int, nextAt: Instant?)
    }

    package let number: Int
    package let cause: RefreshCause
    let startedAt: Moment
    package var outcome: Outcome?
    /// The generation that it obtained.
    var issued: Int?
    /// The session ends because of it.
    var ending: SignedOutReason?

    init(number: Int, cause: RefreshCause, startedAt: Moment) {
        self.number = number
        self.cause = cause
        self.startedAt = startedAt
    }
}
