/// An earlier run may have sent the refresh token, and has recorded no answer.
package struct JournalRecovered: EventKind {
    package init() {}
}

extension JournalRecovered {
    package static let name = "journalRecovered"
    package static let summary =
        "An earlier run may have sent the refresh token, and has recorded no answer."
    package static let fields: [EventField<JournalRecovered>] = []

    package var kept: (any EventKind)? { self }
    package var isNotice: Bool { true }
}
