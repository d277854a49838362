package import Basics

/// The refresh token was refused for good; the access token can still be used.
package struct SessionDraining: EventKind {
    package var endsAt: Instant?
    package var reason: SignedOutReason

    package init(endsAt: Instant?, reason: SignedOutReason) {
        self.endsAt = endsAt
        self.reason = reason
    }
}

extension SessionDraining {
    package static let name = "draining"
    package static let summary =
        "The refresh token was refused for good; the access token can still be used."
    package static let fields: [EventField<SessionDraining>] = [
        .time("endsAt", "When the access token ends.", isOptional: true) { $0.endsAt },
        .choice("reason", "Why the session ends.") { $0.reason },
    ]

    package var kept: (any EventKind)? { self }
    package var level: EventLevel { .warning }
    package var tone: EventTone { .bad }
    package var lifelineMark: LifelineMark? { .died }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.drain(until: endsAt, reason)
    }
}
