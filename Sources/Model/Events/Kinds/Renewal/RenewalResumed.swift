/// Renewal goes on.
package struct RenewalResumed: EventKind {
    package var by: PauseCause

    package init(by: PauseCause) {
        self.by = by
    }
}

extension RenewalResumed {
    package static let name = "resumed"
    package static let summary = "Renewal goes on."
    package static let fields: [EventField<RenewalResumed>] = [
        .choice("by", "Who had paused it.") { $0.by }
    ]

    package static let isLasting = true
    package var kept: (any EventKind)? { self }
    package var lifelineMark: LifelineMark? { .resumed }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.flags.pauses[by] = nil
    }
}
