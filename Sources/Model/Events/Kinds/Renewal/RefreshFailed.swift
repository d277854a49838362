package import Basics

/// A renewal brought no tokens.
package struct RefreshFailed: EventKind {
    package var flight: Int
    package var failure: RefreshFailure
    package var attempt: Int
    package var nextAt: Instant?

    package init(flight: Int, failure: RefreshFailure, attempt: Int, nextAt: Instant?) {
        self.flight = flight
        self.failure = failure
        self.attempt = attempt
        self.nextAt = nextAt
    }
}

extension RefreshFailed {
    package static let name = "refreshFailed"
    package static let summary = "A renewal brought no tokens."
    package static let fields: [EventField<RefreshFailed>] =
        [.integer("flight", "The n-th renewal of the run.") { $0.flight }]
        + EventSchema.failure { $0.failure } + [
            .integer("attempt", "Renewals that failed in a row.") { $0.attempt },
            .time("nextAt", "When the next try is due.", isOptional: true) { $0.nextAt },
        ]

    package var kept: (any EventKind)? { self }
    package var level: EventLevel { .warning }
    package var tone: EventTone { .warning }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.end(flight, .failed(failure, attempt: attempt, nextAt: nextAt))
    }

    package func apply(to statistics: inout SessionStatistics, in event: SessionEvent) {
        statistics.renewals.failed += 1
        statistics.failures[failure.kind, default: 0] += 1
    }
}
