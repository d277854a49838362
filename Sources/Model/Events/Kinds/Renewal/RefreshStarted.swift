/// A renewal began.
package struct RefreshStarted: EventKind {
    package var flight: Int
    package var cause: RefreshCause
    /// The number that its exchange has in the log.
    var request: Int?

    package init(flight: Int, cause: RefreshCause, request: Int? = nil) {
        self.flight = flight
        self.cause = cause
        self.request = request
    }
}

extension RefreshStarted {
    package static let name = "refreshStarted"
    package static let summary = "A renewal began."
    package static let fields: [EventField<RefreshStarted>] = [
        .integer("flight", "The n-th renewal of the run.") { $0.flight },
        .choice("cause", "What started it.") { $0.cause },
        .sentence("why", "What started it, for users.") { $1.text($0.cause) },
        .integer("request", "The exchange that it is sent with.", isOptional: true) {
            $0.request
        },
    ]

    /// The change of state says it, or the renewal's end.
    package var kept: (any EventKind)? { nil }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.start(FlightRecord(number: flight, cause: cause, startedAt: event.moment))
        if let request { session.logSent(request, of: event.session) }
    }

    package func apply(to statistics: inout SessionStatistics, in event: SessionEvent) {
        statistics.renewals.byCause[cause, default: 0] += 1
    }
}
