/// A login brought no tokens.
package struct LoginFailed: EventKind {
    package var failure: RefreshFailure

    package init(_ failure: RefreshFailure) {
        self.failure = failure
    }

    private enum CodingKeys: String, CodingKey {
        case failure = "_0"
    }
}

extension LoginFailed {
    package static let name = "loginFailed"
    package static let summary = "A login brought no tokens."
    package static let fields: [EventField<LoginFailed>] = EventSchema.failure { $0.failure }

    package var kept: (any EventKind)? { self }
    package var level: EventLevel { .warning }
    package var tone: EventTone { .bad }
    package var lifelineMark: LifelineMark? { .died }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.authorization = nil
        session.loginFailure = failure
    }
}
