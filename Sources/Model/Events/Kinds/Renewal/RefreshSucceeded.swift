import Basics

/// A renewal brought a pair of tokens.
package struct RefreshSucceeded: EventKind {
    package var flight: Int
    package var roundTrip: Duration
    /// The remaining lifetime of the access token that was replaced; negative if it had ended.
    package var remainingLead: Duration
    package var rotated: Bool

    package init(flight: Int, roundTrip: Duration, remainingLead: Duration, rotated: Bool) {
        self.flight = flight
        self.roundTrip = roundTrip
        self.remainingLead = remainingLead
        self.rotated = rotated
    }

    private enum CodingKeys: String, CodingKey {
        case flight
        case roundTrip
        case remainingLead = "leadLeft"
        case rotated
    }
}

extension RefreshSucceeded {
    package static let name = "refreshSucceeded"
    package static let summary = "A renewal brought a pair of tokens."
    package static let fields: [EventField<RefreshSucceeded>] = [
        .integer("flight", "The n-th renewal of the run.") { $0.flight },
        .seconds("rtt", "From the request to the whole answer.") {
            $0.roundTrip.inSeconds
        },
        .seconds(
            "leadLeft",
            "What was left of the old access token; negative if it had ended."
        ) { $0.remainingLead.inSeconds },
        .flag("rotated", "Whether the refresh token is a new one.") { $0.rotated },
    ]

    package var kept: (any EventKind)? { self }
    package var tone: EventTone { .dim }
    package var lifelineMark: LifelineMark? { .renewed }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.end(
            flight,
            .renewed(rotated: rotated, roundTrip: roundTrip, remainingLead: remainingLead)
        )
    }

    package func apply(to statistics: inout SessionStatistics, in event: SessionEvent) {
        statistics.renewals.succeeded += 1
        statistics.remainingLead.add(remainingLead.inSeconds)
    }
}
