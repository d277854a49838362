/// Requests with the same pair send other captured values from now on.
package struct CapturesChanged: EventKind {
    package var captures: [CaptureDescription]

    package init(_ captures: [CaptureDescription]) {
        self.captures = captures
    }

    private enum CodingKeys: String, CodingKey {
        case captures = "_0"
    }
}

extension CapturesChanged {
    package static let name = "capturesChanged"
    package static let summary =
        "Requests with the same tokens send other captured values from now on."
    package static let fields: [EventField<CapturesChanged>] = [
        EventSchema.captures { $0.captures }
    ]

    package var kept: (any EventKind)? { self }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.setCaptures(captures)
    }
}
