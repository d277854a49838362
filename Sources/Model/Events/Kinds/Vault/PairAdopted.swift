/// Another process renewed; its pair was adopted.
package struct PairAdopted: EventKind {
    package init() {}
}

extension PairAdopted {
    package static let name = "adopted"
    package static let summary = "Another process has newer tokens, and they were taken over."
    package static let fields: [EventField<PairAdopted>] = []

    package var kept: (any EventKind)? { self }
    package var isNotice: Bool { true }
}
