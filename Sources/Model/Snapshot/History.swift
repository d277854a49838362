package import Basics

/// One event of a session in the history.
package struct HistoryEntry: Sendable, Equatable, LogEntry {
    /// Counts from 1 over the run.
    package let number: Int
    /// The stored form of it.
    let event: SessionEvent

    package var at: Moment { event.moment }
    package var login: Int { event.login }
    package var generation: Int { event.generation }
    package var kind: any EventKind { event.kind }
}

/// Everything that happened to a session, but for what is in a log of its own or happens all the
/// time: successful requests, messages of the feed, measurements of a clock.
package struct History: Sendable, Equatable {
    static let limit = 2_000

    package private(set) var entries: BoundedLog<HistoryEntry>
    /// The number of entries so far.
    package private(set) var count = 0

    init(limit: Int = History.limit) {
        entries = BoundedLog(limit: limit)
    }

    mutating func append(_ event: SessionEvent) {
        guard let kind = event.kind.kept else { return }
        var event = event
        event.kind = kind
        count += 1
        entries.insert(HistoryEntry(number: count, event: event))
    }
}
