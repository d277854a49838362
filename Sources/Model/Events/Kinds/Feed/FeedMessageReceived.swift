import Basics

/// A message came; all of it is data of the server.
package struct FeedMessageReceived: FeedEvent {
    package var socket: Int
    package var id: String?
    package var seq: Int64?
    package var type: String?
    package var excerpt: String
    /// Whether it was seen before and is not applied again.
    package var isDuplicate: Bool

    package init(
        socket: Int,
        id: String?,
        seq: Int64?,
        type: String?,
        excerpt: String,
        isDuplicate: Bool
    ) {
        self.socket = socket
        self.id = id
        self.seq = seq
        self.type = type
        self.excerpt = excerpt
        self.isDuplicate = isDuplicate
    }
}

extension FeedMessageReceived {
    package static let name = "feedMessage"
    package static let summary = "A message came."
    package static let fields: [EventField<FeedMessageReceived>] = [
        .integer("socket", "The socket's number.") { $0.socket },
        .text("id", "Its id.", isOptional: true) { $0.id },
        .integer("seq", "Its number.", isOptional: true) { $0.seq.map { Int($0) } },
        .text("type", "Its type.", isOptional: true) { $0.type },
        .flag("duplicate", "It came before, and is not applied again.", isOptional: true) {
            $0.isDuplicate ? true : nil
        },
    ]

    package static let isReported = false
    package var level: EventLevel { .trace }
    package var line: FeedLine.Event? { .message(self) }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.feed.heardAt = event.moment
        session.feed.counts.add(self)
        session.feed.arrivals.record(at: event.moment.now)
        session.feed.append(line, at: event.moment)
    }

    package func apply(to statistics: inout SessionStatistics, in event: SessionEvent) {
        statistics.feed.add(self)
    }
}
