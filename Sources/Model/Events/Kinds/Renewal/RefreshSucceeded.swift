import Basics

/// A renewal brought a pair of tokens.
package struct RefreshSucceeded: EventKind {
    package var flight: Int
    package var roundTrip: Duration
    package var leadLeft: Duration
    package var rotated: Bool

    package init(flight: Int, roundTrip: Duration, leadLeft: Duration, rotated: Bool) {
        self.flight = flight
        self.roundTrip = roundTrip
        self.leadLeft = leadLeft
        self.rotated = rotated
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
        ) { $0.leadLeft.inSeconds },
        .flag("rotated", "Whether the refresh token is a new one.") { $0.rotated },
    ]

    package var kept: (any EventKind)? { self }
    package var tone: EventTone { .dim }
    package var lifelineMark: LifelineMark? { .renewed }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.end(
            flight,
            .renewed(rotated: rotated, roundTrip: roundTrip, leadLeft: leadLeft)
        )
    }

    package func apply(to statistics: inout SessionStatistics, in event: SessionEvent) {
        statistics.renewals.succeeded += 1
        statistics.leadLeft.add(leadLeft.inSeconds)
    }
}
