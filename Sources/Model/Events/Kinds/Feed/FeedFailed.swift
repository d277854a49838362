/// A socket was given up: its upgrade was not answered, or not what was said on it.
package struct FeedFailed: FeedEvent {
    package var socket: Int
    package var why: FeedCause

    package init(socket: Int, why: FeedCause) {
        self.socket = socket
        self.why = why
    }
}

extension FeedFailed {
    package static let name = "feedFailed"
    package static let summary =
        "A socket was given up: no answer opened it, or what was said on it was not accepted."
    package static let fields: [EventField<FeedFailed>] = [
        .integer("socket", "Its number.") { $0.socket },
        .choice("cause", "Why.") { $0.why.code },
        .sentence("message", "Why, for users.") { $1.text($0.why) },
    ]

    package var line: FeedLine.Event? { .failed(self) }
    package var kept: (any EventKind)? { self }
    package var tone: EventTone { .warning }
    package var lifelineMark: LifelineMark? { nil }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.feed.append(line, at: event.moment)
        session.feed.end(socket, .failed(self), at: event.moment)
    }
}
