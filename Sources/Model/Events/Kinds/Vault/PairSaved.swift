/// The pair of tokens is stored again.
package struct PairSaved: EventKind {
    package init() {}
}

extension PairSaved {
    package static let name = "saved"
    package static let summary = "The pair of tokens is stored again."
    package static let fields: [EventField<PairSaved>] = []

    package static let isLasting = true
    package var kept: (any EventKind)? { self }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.flags.unsaved = nil
    }
}
