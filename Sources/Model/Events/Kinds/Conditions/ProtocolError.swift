/// The backend answers in a way the profile does not describe.
package struct ProtocolError: EventKind {
    package var failure: RefreshFailure

    package init(_ failure: RefreshFailure) {
        self.failure = failure
    }

    private enum CodingKeys: String, CodingKey {
        case failure = "_0"
    }
}

extension ProtocolError {
    package static let name = "protocolError"
    package static let summary = "The backend answers in a way that the profile does not describe."
    package static let fields: [EventField<ProtocolError>] = [
        .choice("cause", "In which way.") { $0.failure.code },
        .sentence("message", "In which way, for users.") { $1.text($0.failure) },
    ]

    package var kept: (any EventKind)? { self }
    package var level: EventLevel { .warning }
    package var tone: EventTone { .warning }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.problems.protocolError = failure
    }
}
