/// A request of the user that cannot be fulfilled, and why.
package struct ActionRejected: EventKind {
    package var rejection: ActionRejection

    package init(_ rejection: ActionRejection) {
        self.rejection = rejection
    }

    private enum CodingKeys: String, CodingKey {
        case rejection = "_0"
    }
}

extension ActionRejected {
    package static let name = "actionRejected"
    package static let summary = "An action of the user cannot be done."
    package static let fields: [EventField<ActionRejected>] = [
        .choice("cause", "Why.") { $0.rejection.code },
        .sentence("message", "Why, for users.") { $1.text($0.rejection) },
    ]

    package var kept: (any EventKind)? { self }
    package var level: EventLevel { .warning }
    package var tone: EventTone { .warning }
    package var lifelineMark: LifelineMark? { nil }
    package var isNotice: Bool { true }
}
