import Basics

/// The session is in another state.
package struct SessionStateChanged: EventKind {
    package var from: SessionState
    package var to: SessionState
    package var why: StateChangeCause

    package init(from: SessionState, to: SessionState, why: StateChangeCause) {
        self.from = from
        self.to = to
        self.why = why
    }
}

extension SessionStateChanged {
    package static let name = "stateChanged"
    package static let summary = "The session is in another state."
    package static let fields: [EventField<SessionStateChanged>] = [
        .text("from", "The state before.") { $0.from.name },
        .text("to", "The state now.") { $0.to.name },
        .choice("cause", "What caused the change.") { $0.why.code },
        .sentence("why", "What caused the change, for users.") { $1.text($0.why) },
        .integer("attempt", "Renewals that failed in a row.", isOptional: true) {
            $0.to.outlook?.failures
        },
        .time("nextAt", "When the next try is due.", isOptional: true) {
            $0.to.outlook?.nextAt
        },
        .choice(
            "waitsFor",
            "What brings the next try if no time does.",
            isOptional: true
        ) { $0.to.outlook?.hold },
        .choice(
            "reason",
            "Why the session ended, or is about to end.",
            isOptional: true
        ) { $0.endReason },
        .choice("scope", "What a logout in progress ends.", isOptional: true) {
            if case .signingOut(let scope) = $0.to { scope } else { nil }
        },
    ]

    package static let isLasting = true
    package var kept: (any EventKind)? { endReason == nil ? self : nil }
    package var tone: EventTone { to.outlook == nil ? .dim : .warning }
    package var lifelineMark: LifelineMark? { nil }
    /// Why the session ended or is about to end, which events of their own say, or `nil`.
    private var endReason: SignedOutReason? {
        switch to {
        case .signedOut(let reason), .draining(let reason): reason
        case .cold, .vaultUnavailable, .signingIn, .fresh, .renewing, .retrying, .blocked,
            .expired, .unknown, .signingOut:
            nil
        }
    }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.enter(to, at: event.moment)
    }

    package func apply(to statistics: inout SessionStatistics, in event: SessionEvent) {
        switch to {
        case .signedOut, .signingOut: statistics.end(at: event.moment)
        case .cold, .vaultUnavailable, .signingIn, .fresh, .renewing, .retrying, .blocked,
            .expired, .unknown, .draining:
            break
        }
    }
}
