/// A new expiry was not later than the old one.
package struct NoProgress: EventKind {
    package init() {}
}

extension NoProgress {
    package static let name = "noProgress"
    package static let summary = "A renewal brought an expiry that is not later than the old one."
    package static let fields: [EventField<NoProgress>] = []

    package var kept: (any EventKind)? { self }
    package var level: EventLevel { .warning }
    package var tone: EventTone { .warning }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.problems.hasNoProgress = true
    }
}
