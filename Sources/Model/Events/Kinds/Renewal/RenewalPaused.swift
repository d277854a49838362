/// Renewal is paused, or more or less of it than before.
package struct RenewalPaused: EventKind {
    package var extent: PauseExtent
    package var by: PauseCause

    package init(_ extent: PauseExtent, by: PauseCause) {
        self.extent = extent
        self.by = by
    }

    private enum CodingKeys: String, CodingKey {
        case extent = "_0"
        case by
    }
}

extension RenewalPaused {
    package static let name = "paused"
    package static let summary = "Renewal is paused, or more or less of it than before."
    package static let fields: [EventField<RenewalPaused>] = [
        .choice("by", "Who paused it.") { $0.by },
        .choice("stops", "What no longer renews; what the user asks for always does.") {
            $0.extent
        },
    ]

    package static let isLasting = true
    package var kept: (any EventKind)? { self }
    package var lifelineMark: LifelineMark? { .paused }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.flags.pauses[by] = extent
    }
}
