package import Basics

/// One kind of event: what it carries, and what that means to each reader of events.
///
/// A new kind is one file in `Kinds`, and a line in `EventKinds.all`. JSON lines, recordings, the
/// history, its text and the documentation follow from `fields`; words of its own are in `UI/Text`.
package protocol EventKind: Codable, Equatable, Sendable {
    /// The value of `kind` in a line of JSON.
    static var name: String { get }
    /// One sentence for the documentation.
    static var summary: String { get }
    /// In the order in which a line of JSON has them.
    static var fields: [EventField<Self>] { get }
    /// The names under which a recording has it, from the outermost, separated by dots; a name is
    /// `_0` where older versions wrote no other.
    static var recordedAs: String { get }
    /// Whether the newest one of a session still matters when it is old.
    static var isLasting: Bool { get }
    /// Whether only a proxy reports it, of an app's session.
    static var isOfApp: Bool { get }
    /// Whether its session is followed no longer.
    static var forgetsSession: Bool { get }
    /// Whether a report of what happened has it, which would be long and say nothing with some.
    static var isReported: Bool { get }

    /// The form of the event in the history: the event, a smaller copy of it, or nothing if it is
    /// in a log of its own or happens all the time.
    var kept: (any EventKind)? { get }
    var level: EventLevel { get }
    var tone: EventTone { get }
    /// The mark of the event, or `nil` if another row or the lane of its token shows it.
    var lifelineMark: LifelineMark? { get }
    /// Whether it is shown as a notice, because no pane shows it for long.
    var isNotice: Bool { get }
    /// When that happened which it reports, or `nil` if it is reported as it happens.
    var happenedAt: Moment? { get }
    /// The tokens by which it is found.
    var tokens: [Fingerprint] { get }
    /// The condition that it fulfills, or `nil` if there is none.
    var condition: NotificationCondition? { get }
    /// What it says of the end of its session, or `nil` if it says nothing.
    var endNews: SessionEndNews? { get }

    /// Hides secrets in what a backend says about a pair; in all other messages of the backend they
    /// are hidden when they are read.
    mutating func hide(_ secrets: () -> KnownSecrets)
    /// Brings the session up to date.
    func apply(to session: inout SessionSnapshot, in event: SessionEvent)
    /// Brings the counts of the session up to date.
    func apply(to statistics: inout SessionStatistics, in event: SessionEvent)
    /// Brings up to date what is known of all sessions together.
    func apply(to book: inout SessionBook, in event: SessionEvent)
    /// Brings up to date what a monitor can read.
    func apply(to metrics: inout MetricsBook, in event: SessionEvent)
    /// Begins a span, or ends one.
    func apply(to spans: inout SpanBuilder, in event: SessionEvent)
}

extension EventKind {
    package static var recordedAs: String { name }
    package static var isLasting: Bool { false }
    package static var isOfApp: Bool { false }
    package static var forgetsSession: Bool { false }
    package static var isReported: Bool { true }

    package var level: EventLevel { .info }
    package var tone: EventTone { .plain }
    package var lifelineMark: LifelineMark? { tone == .warning ? .warning : nil }
    package var isNotice: Bool { false }
    package var happenedAt: Moment? { nil }
    package var tokens: [Fingerprint] { [] }
    package var condition: NotificationCondition? { nil }
    package var endNews: SessionEndNews? { nil }

    package func hide(_ secrets: () -> KnownSecrets) {}
    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {}
    package func apply(to statistics: inout SessionStatistics, in event: SessionEvent) {}
    package func apply(to book: inout SessionBook, in event: SessionEvent) {}
    package func apply(to metrics: inout MetricsBook, in event: SessionEvent) {}
    package func apply(to spans: inout SpanBuilder, in event: SessionEvent) {}

    package var name: String { Self.name }

    func isEqual(to other: any EventKind) -> Bool { self == other as? Self }
}

/// The importance of an event in a log.
package enum EventLevel: Sendable {
    case trace
    case debug
    case info
    case warning
    case error
}

/// The attention that an event needs from the user.
package enum EventTone: Sendable {
    case dim
    case plain
    case good
    case warning
    case bad
}

/// An event of the feed, whose sockets are numbered from 1 over the run.
package protocol FeedEvent: EventKind {
    /// The line of the feed's log about it, or `nil` if the log has none.
    var line: FeedLine.Event? { get }
}

extension FeedEvent {
    /// As its name, without `feed`.
    package static var recordedAs: String {
        let rest = name.dropFirst("feed".count)
        return "feed._0.\(rest.prefix(1).lowercased())\(rest.dropFirst())"
    }

    package var kept: (any EventKind)? { nil }
    package var level: EventLevel { .debug }
}

/// An event of an app's session, besides those that every session has.
protocol ObservedEvent: EventKind {}

extension ObservedEvent {
    package static var recordedAs: String { "observed._0.\(name)._0" }
    package static var isOfApp: Bool { true }
}
