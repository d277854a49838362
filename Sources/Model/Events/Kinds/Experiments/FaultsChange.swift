import Basics

/// The faults of the sandbox that are on now, if they are others than before.
package struct FaultsChange: Sendable, Hashable, Codable {
    /// The cause of the change.
    package enum Origin: String, Sendable, Hashable, Codable, CaseIterable {
        /// The user, with this program.
        case user = "person"
        /// Seen at the sandbox: another client, its schedule, or a fault that fired for the last
        /// time.
        case sandbox
    }

    /// The settings of the faults that are on, as the user writes them.
    package var active: [String]
    package var by: Origin

    package init(active: [String], by: Origin) {
        self.active = active
        self.by = by
    }
}

extension FaultsChange: EventKind {
    package static let name = "faultsChanged"
    package static let recordedAs = "faultsChanged._0"
    package static let summary = "Other faults of the sandbox are on than before."
    package static let fields: [EventField<FaultsChange>] = [
        .list("faults", "Those that are on, as they are written.") {
            $0.active.map(JSONValue.string)
        },
        .choice("by", "The user of this program, or seen at the sandbox.") { $0.by },
    ]

    package static let isLasting = true
    package var kept: (any EventKind)? { self }
    package var tone: EventTone { active.isEmpty ? .plain : .warning }
    package var lifelineMark: LifelineMark? {
        // The disturbance of the session is over.
        active.isEmpty ? .resumed : .warning
    }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.faults = active
    }
}
