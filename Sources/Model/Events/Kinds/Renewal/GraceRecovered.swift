/// A refresh token was accepted to which an earlier answer is missing.
package struct GraceRecovered: EventKind {
    /// `nil` if a recording does not say why.
    package var after: MissingAnswer?

    package init(after: MissingAnswer?) {
        self.after = after
    }
}

extension GraceRecovered {
    package static let name = "graceRecovered"
    package static let summary =
        "A refresh token was accepted to which an earlier answer is missing."
    package static let fields: [EventField<GraceRecovered>] = [
        .choice("cause", "What had become of that answer.", isOptional: true) { $0.after }
    ]

    package var kept: (any EventKind)? { self }
    package var isNotice: Bool { true }
}
