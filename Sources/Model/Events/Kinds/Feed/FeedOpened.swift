import Basics

/// A socket is open.
package struct FeedOpened: FeedEvent {
    package var socket: Int
    package var generation: Int
    package var after: Duration

    package init(socket: Int, generation: Int, after: Duration) {
        self.socket = socket
        self.generation = generation
        self.after = after
    }
}

extension FeedOpened {
    package static let name = "feedOpened"
    package static let summary = "A socket is open."
    package static let fields: [EventField<FeedOpened>] = [
        .integer("socket", "Its number.") { $0.socket },
        .integer("usedGeneration", "Whose access token it uses.") { $0.generation },
        .milliseconds("ms", "How long opening it took.") { $0.after.inSeconds },
    ]

    package static let isLasting = true
    package var line: FeedLine.Event? { .opened(self) }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.feed.openings += 1
        session.feed.heardAt = event.moment
        session.feed.append(line, at: event.moment)
        session.feed.open(socket, generation: generation, login: event.login, at: event.moment)
        session.recordSocket(socket, of: generation)
    }
}
