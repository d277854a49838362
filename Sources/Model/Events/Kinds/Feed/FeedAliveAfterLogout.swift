/// Frames still arrive on a socket after logout.
package struct FeedAliveAfterLogout: FeedEvent {
    package var socket: Int

    package init(socket: Int) {
        self.socket = socket
    }
}

extension FeedAliveAfterLogout {
    package static let name = "feedAliveAfterLogout"
    package static let recordedAs = "feed._0.receivesAfterLogout"
    package static let summary = "Messages still arrive on a socket after the logout."
    package static let fields: [EventField<FeedAliveAfterLogout>] = [
        .integer("socket", "The socket's number.") { $0.socket }
    ]

    package var kept: (any EventKind)? { self }
    package var tone: EventTone { .bad }
    package var lifelineMark: LifelineMark? { nil }
    package var line: FeedLine.Event? { .leaking(self) }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.feed.leakingSocket = socket
        session.feed.append(line, at: event.moment)
    }
}
