/// Messages of an open socket are missing, by their numbers: those between two that came.
package struct FeedMessagesMissing: FeedEvent {
    package var socket: Int
    package var after: Int64
    package var before: Int64

    package init(socket: Int, after: Int64, before: Int64) {
        self.socket = socket
        self.after = after
        self.before = before
    }
}

extension FeedMessagesMissing {
    package static let name = "feedMissing"
    package static let summary =
        "Messages of an open socket are missing, by their numbers; they may still come."
    package static let fields: [EventField<FeedMessagesMissing>] = [
        .integer("socket", "The socket's number.") { $0.socket },
        .integer("after", "The number of the last message before them.") { Int($0.after) },
        .integer("before", "The number of the first one after them.") { Int($0.before) },
    ]

    package var kept: (any EventKind)? { self }
    package var level: EventLevel { .warning }
    package var tone: EventTone { .bad }
    package var lifelineMark: LifelineMark? { nil }
    package var line: FeedLine.Event? { .missing(self) }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.feed.counts.add(self)
        session.feed.append(line, at: event.moment)
    }

    package func apply(to statistics: inout SessionStatistics, in event: SessionEvent) {
        statistics.feed.add(self)
    }
}
