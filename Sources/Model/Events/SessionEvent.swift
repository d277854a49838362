package import Basics

/// One thing that happened.
///
/// Everything anyone sees is derived from these: panes, NDJSON, recording.
package struct SessionEvent: Sendable, Equatable, Codable {
    package var moment: Moment
    /// The session that it belongs to.
    package var session: SessionID
    package var profile: String
    /// The n-th login of this run, from 1; 0 before the first.
    package var login: Int
    /// The n-th pair since that login, from 1; 0 where there is none.
    package var generation: Int
    @AnyEventKind package var kind: any EventKind

    package init(
        moment: Moment,
        session: SessionID,
        profile: String,
        login: Int,
        generation: Int,
        kind: any EventKind
    ) {
        self.moment = moment
        self.session = session
        self.profile = profile
        self.login = login
        self.generation = generation
        self.kind = kind
    }

    /// Returns the event with secrets hidden in the backend's values of a pair.
    package func hiding(_ secrets: @autoclosure () -> KnownSecrets) -> SessionEvent {
        var event = self
        event.kind.hide(secrets)
        return event
    }
}
