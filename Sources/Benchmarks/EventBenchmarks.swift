import Basics
import Client
import FoundationEssentials
import Model
import Profiles
import UI

/// A session with requests and a busy feed.
enum BusySession {
    static let id = SessionID("benchmark")
    static let start = Moment(
        now: Instant(nanoseconds: 5_000_000_000_000),
        wall: Date(timeIntervalSince1970: 1_763_733_600)
    )

    /// Feed messages, a millisecond apart, with a request after each hundred.
    static func events(_ count: Int) -> [SessionEvent] {
        (1...count).map { number in
            event(number, number.isMultiple(of: 100) ? request(number) : message(number))
        }
    }

    static func moment(_ number: Int) -> Moment {
        let seconds = Double(number) / 1e3
        return Moment(
            now: start.now.advanced(bySeconds: seconds),
            wall: start.wall.addingTimeInterval(seconds)
        )
    }

    /// The state after some events.
    static func dashboard(_ events: [SessionEvent]) -> DashboardState {
        var state = DashboardState(sessions: [DashboardSession(id: id)])
        _ = state.update(.resized(columns: 120, rows: 40))
        let open = FeedState.open(socket: 1, generation: 1, since: start.now)
        _ = state.update(.event(event(0, FeedStateChanged(open))))
        for event in events { _ = state.update(.event(event)) }
        return state
    }

    private static func event(_ number: Int, _ kind: any EventKind) -> SessionEvent {
        SessionEvent(
            moment: moment(number),
            session: id,
            profile: id.description,
            login: 1,
            generation: 1,
            kind: kind
        )
    }

    private static func message(_ number: Int) -> any EventKind {
        FeedMessageReceived(
            socket: 1,
            id: String(number),
            seq: Int64(number),
            type: "post.created",
            excerpt: #"{"id":\#(number),"title":"Sunset over the Rhine"}"#,
            isDuplicate: false
        )
    }

    private static func request(_ number: Int) -> any EventKind {
        Exchange(
            id: number,
            purpose: .protected,
            method: "GET",
            target: "/posts/feed",
            result: .answered(status: 200),
            seconds: 0.004,
            generation: 1,
            why: .interval(seconds: 5)
        )
    }
}

/// Events into the state of the screen, and into lines.
func measureEvents(_ time: Stopwatch) {
    let events = BusySession.events(50_000)
    let folding = time.spread(of: 7) { _ = BusySession.dashboard(events) }
    var copied = 0
    let copying = time.spread(of: 7) {
        var copies: [SessionEvent] = []
        for event in events { copies.append(event) }
        copied += copies.count
    }
    row(
        "events into the screen's state",
        "\(thousands(folding.rate(of: events.count)))/s",
        "appended to an array: \(thousands(copying.rate(of: copied / 8)))/s"
    )
    var size = 0
    let lines = events.prefix(10_000)
    let writing = time.spread(of: 7) {
        size = 0
        for event in lines { size += EventLine.text(of: event, causes: CauseText()).utf8.count }
    }
    let encoding = time.spread(of: 7) {
        for event in lines { size += (try? JSONEncoder().encode(event).count) ?? 0 }
    }
    row(
        "events as JSON lines",
        "\(thousands(writing.rate(of: lines.count)))/s",
        "the same by `JSONEncoder`: \(thousands(encoding.rate(of: lines.count)))/s"
    )
}
