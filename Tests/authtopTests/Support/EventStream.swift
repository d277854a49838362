import Synchronization
import TestSupport

/// The events that a program prints as JSON lines.
final class EventStream: Sendable {
    private let log: LineLog
    private let read = Mutex<[Event]>([])

    init(_ log: LineLog) {
        self.log = log
    }

    /// Everything up to now.
    ///
    /// - Throws: When a line is no JSON object.
    var events: [Event] {
        get throws {
            try read.withLock { events in
                for line in log.lines(from: events.count) {
                    events.append(try Event(index: events.count, line: line))
                }
                return events
            }
        }
    }

    /// Waits for an event.
    ///
    /// - Parameters:
    ///   - what: In words, for the message when it never comes.
    ///   - earlier: Look only behind this one.
    ///   - limit: See `eventually`.
    ///   - matches: Whether it is the one.
    /// - Returns: The first that matches.
    /// - Throws: `NeverCame`.
    @discardableResult
    func first(
        _ what: String,
        after earlier: Event? = nil,
        within limit: Duration = .seconds(180),
        where matches: (Event) -> Bool
    ) async throws -> Event {
        try await eventually(what, within: limit, evidence: { tail }) {
            let isOver = log.isClosed
            let found = try events.dropFirst((earlier?.index ?? -1) + 1).first(where: matches)
            if found == nil, isOver { throw NeverCame(what: what, evidence: tail) }
            return found
        }
    }

    /// Waits for an event of a kind.
    @discardableResult
    func first(_ kind: String, after earlier: Event? = nil) async throws -> Event {
        try await first(kind, after: earlier) { $0.kind == kind }
    }

    /// Waits until the session comes into a state.
    @discardableResult
    func state(_ name: String, after earlier: Event? = nil) async throws -> Event {
        try await first("the state \(name)", after: earlier) { $0.enters(name) }
    }

    private var tail: String {
        log.lines.filter { !$0.contains("\"feedMessage\"") }.suffix(25).joined(separator: "\n")
    }
}
