/// A login began.
package struct LoginStarted: EventKind {
    package init() {}
}

extension LoginStarted {
    package static let name = "loginStarted"
    package static let summary = "A login began."
    package static let fields: [EventField<LoginStarted>] = []

    package var kept: (any EventKind)? { self }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.beginLogin()
    }

    package func apply(to statistics: inout SessionStatistics, in event: SessionEvent) {
        statistics.loginRequest = nil
    }
}
