import Basics
import Testing

@testable import Model
@testable import UI

@Suite("Very many sessions on the screen")
struct ManySessionsTests {
    private static let count = 300

    private static func id(_ number: Int) -> SessionID {
        SessionID("user-" + String(1_000 + number))
    }

    /// Events of a session of this number.
    private static func events(_ script: EventScript, of number: Int) -> [SessionEvent] {
        script.events.map { event in
            var event = event
            event.session = id(number)
            return event
        }
    }

    /// Three that have no token, six that are being renewed, and others that are well.
    private static func state() -> (state: DashboardState, now: Moment) {
        let sessions = (0..<count).map { DashboardSession(id: id($0)) }
        var state = DashboardState(sessions: sessions)
        var now = EventScript.start
        for number in 0..<count {
            let script: EventScript =
                switch number % 100 {
                case 0: .failing { .expired($0) }
                case 25, 75: .renewing()
                default: .ordinary()
                }
            _ = state.update(.events(events(script, of: number)))
            if script.now.now > now.now { now = script.now }
        }
        state.press("8")
        return (state, now)
    }

    @Test(
        "are counted by their states in the border of the table",
        arguments: [(120, 40), (80, 24)]
    )
    func counts(columns: Int, rows: Int) {
        var (state, now) = Self.state()
        let text = state.screen(columns, rows, now).text
        #expect(text.contains("291 signed in · 6 renewing · 3 without a token"), "\(text)")
    }

    @Test("the worst ones come first, also one that gets worse")
    func order() {
        var (state, now) = Self.state()
        let worst = [0, 100, 200].map(Self.id)
        #expect(Array(state.strip(at: now).ids.prefix(3)) == worst)
        let script = EventScript.failing { .expired($0) }
        _ = state.update(.events(Self.events(script, of: 50)))
        #expect(Array(state.strip(at: now).ids.prefix(2)) == [Self.id(0), Self.id(50)])
        #expect(state.strip(at: now).ids.count == Self.count)
    }

    @Test("are sorted by state, by the next renewal, by name, and again by urgency")
    func sorting() throws {
        var (state, _) = Self.state()
        let byUrgency = try #require(state.table?.places)
        state.press("s")
        #expect(state.table?.places.prefix(9).map { $0 % 25 } == [Int](repeating: 0, count: 9))
        state.press("s")
        let renewals = try #require(state.table).places.map { state.sessions[$0].glance?.renewsAt }
        #expect(renewals == renewals.sorted { ($0 ?? .distant) < ($1 ?? .distant) })
        state.press("s")
        #expect(state.table?.places == Array(0..<Self.count))
        state.press("s")
        #expect(state.table?.places == byUrgency)
    }

    @Test("are filtered by state and by name")
    func filtered() {
        var (state, now) = Self.state()
        for key in "/state:renewing" { state.press(.character(key)) }
        #expect(state.screen(120, 40, now).text.contains("6 of 300"))
        state.press(.escape)
        for key in "/session:user-1007" { state.press(.character(key)) }
        #expect(state.screen(120, 40, now).text.contains("1 of 300"))
    }

    @Test("the session under the cursor is shown in all panes")
    func selected() {
        var (state, now) = Self.state()
        _ = state.screen(120, 40, now)
        for key in ["G", "k"] as [Key] { state.press(key) }
        state.press(.enter)
        #expect(state.selected.id == Self.id(Self.count - 2))
    }

    @Test("of each, less is kept than of one")
    func limits() {
        let (state, _) = Self.state()
        #expect(state.book[Self.id(7)].requests.limit < SessionSnapshot.requestLimit)
        #expect(DashboardState(.ordinary()).session.requests.limit == SessionSnapshot.requestLimit)
    }
}

extension Instant {
    fileprivate static let distant = Instant.origin.advanced(bySeconds: 1e9)
}
