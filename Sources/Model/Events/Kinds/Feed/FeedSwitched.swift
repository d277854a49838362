import Basics

/// The new socket is primary; messages may be missing between the two.
package struct FeedSwitched: FeedEvent {
    package var from: Int
    package var to: Int
    package var duplicates: Int
    /// The number of messages that are missing.
    package var gap: Int
    package var after: Duration

    package init(from: Int, to: Int, duplicates: Int, gap: Int, after: Duration) {
        self.from = from
        self.to = to
        self.duplicates = duplicates
        self.gap = gap
        self.after = after
    }
}

extension FeedSwitched {
    package static let name = "feedSwitched"
    package static let summary = "A newer socket serves the feed from now on."
    package static let fields: [EventField<FeedSwitched>] = [
        .integer("from", "The old socket.") { $0.from },
        .integer("to", "The new one.") { $0.to },
        .integer("duplicates", "Messages that came on both.") { $0.duplicates },
        .integer("gap", "Messages that are missing between the two.") { $0.gap },
        .milliseconds("ms", "How long the change took.") { $0.after.inSeconds },
    ]

    package var line: FeedLine.Event? { .switched(self) }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.feed.counts.add(self)
        session.feed.recordSwitch(self, at: event.moment)
    }

    package func apply(to statistics: inout SessionStatistics, in event: SessionEvent) {
        statistics.feed.add(self)
    }
}
