package import Basics
import DequeModule

/// The events of the last minutes of a run, and before them those from which the state at that time
/// follows.
package struct RecentEvents: Sendable {
    /// The time for which an event is kept, in seconds.
    static let duration = 600.0
    /// The largest number of them that is kept.
    static let limit = 10_000

    private let limit: Int
    private var events: Deque<SessionEvent> = []
    /// The number of events that have been dropped.
    private var dropped = 0
    /// The newest of the dropped events of each session and lasting kind, with their order.
    ///
    /// They are few: a table for each of thousands of sessions would be mostly empty.
    private var earlier: [SessionID: [(order: Int, event: SessionEvent)]] = [:]

    package init(limit: Int = RecentEvents.limit) {
        self.limit = limit
    }

    package mutating func append(_ event: SessionEvent) {
        events.append(event)
        while let first = events.first, events.count > 1 {
            let age = event.moment.now.seconds(since: first.moment.now)
            guard events.count > limit || age > Self.duration else { return }
            drop(events.removeFirst())
        }
    }

    private mutating func drop(_ event: SessionEvent) {
        dropped += 1
        let kind = type(of: event.kind)
        if kind.forgetsSession {
            earlier[event.session] = nil
            return
        }
        guard kind.isLasting else { return }
        let place = earlier[event.session]?.firstIndex {
            type(of: $0.event.kind).name == kind.name
        }
        if let place {
            earlier[event.session]?[place] = (dropped, event)
        } else {
            earlier[event.session, default: []].append((dropped, event))
        }
    }

    /// The number of events that are kept, without the earlier ones.
    package var count: Int { events.count }

    /// The age of the first of them, in seconds.
    package func span(at now: Instant) -> Double {
        events.first.map { max(0, now.seconds(since: $0.moment.now)) } ?? 0
    }

    /// Returns a recording that begins with the first of them.
    package func recording(of sessions: [Recording.Session], at moment: Moment) -> Recording {
        let before = earlier.values.joined().sorted { $0.order < $1.order }.map(\.event)
        return Recording(
            header: Recording.Header(
                startedAt: events.first?.moment ?? moment,
                sessions: sessions
            ),
            events: before + events,
            end: Recording.End(endedAt: moment, end: .ended)
        )
    }
}
