/// The pair of tokens could not be stored, and is in memory only.
package struct PairUnsaved: EventKind {
    package var problem: VaultProblem

    package init(_ problem: VaultProblem) {
        self.problem = problem
    }

    private enum CodingKeys: String, CodingKey {
        case problem = "_0"
    }
}

extension PairUnsaved {
    package static let name = "unsaved"
    package static let summary = "The pair of tokens could not be stored, and is in memory only."
    package static let fields: [EventField<PairUnsaved>] = [
        .choice("cause", "Why.") { $0.problem.kind },
        .sentence("message", "Why, for users.") { $1.text($0.problem) },
    ]

    package static let isLasting = true
    package var kept: (any EventKind)? { self }
    package var level: EventLevel { .warning }
    package var tone: EventTone { .warning }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.flags.unsaved = problem
    }
}
