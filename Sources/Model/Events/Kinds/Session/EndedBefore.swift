package import Basics

/// There is no session at the start: how the one before ended.
package struct EndedBefore: EventKind {
    package var reason: SignedOutReason
    package var at: Moment
    package var refusal: RefusalEvidence?

    package init(_ reason: SignedOutReason, at: Moment, refusal: RefusalEvidence?) {
        self.reason = reason
        self.at = at
        self.refusal = refusal
    }

    private enum CodingKeys: String, CodingKey {
        case reason = "_0"
        case at
        case refusal
    }
}

extension EndedBefore {
    package static let name = "endedBefore"
    package static let summary = "There is no session at the start: how the one before ended."
    package static let fields: [EventField<EndedBefore>] = [
        .choice("reason", "Why it ended.") { $0.reason },
        .time("endedAt", "When it ended.") { $0.at.now },
        .text(
            "message",
            "What the backend said when it refused the refresh token.",
            isOptional: true
        ) { $0.refusal?.message },
    ]

    package var kept: (any EventKind)? { self }
    package var happenedAt: Moment? { at }
    package var tone: EventTone { reason.isWanted ? .plain : .bad }
    package var lifelineMark: LifelineMark? { reason.isWanted ? .ended : .died }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.lastEnding = SessionEnding(reason: reason, at: at, refusal: refusal)
    }
}
