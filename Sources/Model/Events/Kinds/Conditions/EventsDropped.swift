/// This number of events was dropped because the reader was too slow.
package struct EventsDropped: EventKind {
    package var count: Int
}

extension EventsDropped {
    package static let name = "dropped"
    package static let summary = "Events were lost because their reader was too slow."
    package static let fields: [EventField<EventsDropped>] = [
        .integer("count", "How many.") { $0.count }
    ]

    package var kept: (any EventKind)? { self }
    package var level: EventLevel { .warning }
    package var tone: EventTone { .warning }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.problems.droppedEvents += count
    }

    package func apply(to book: inout SessionBook, in event: SessionEvent) {
        book.droppedEvents += count
    }
}
