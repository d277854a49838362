/// The user has logged in.
package struct AuthorizationGranted: EventKind {
    package init() {}
}

extension AuthorizationGranted {
    package static let name = "authorizationGranted"
    package static let summary = "The user has logged in."
    package static let fields: [EventField<AuthorizationGranted>] = []

    package var kept: (any EventKind)? { self }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.authorization = nil
    }
}
