import Basics
import Testing

@testable import Model
@testable import UI

@Suite("The table of sessions")
struct SessionsPaneTests {
    private static let names = [
        "bitbasel of the staging environment in Frankfurt",
        "voltyks of the staging environment in Frankfurt", "creatist",
    ]

    private static func state() -> (state: DashboardState, now: Moment) {
        let stories = [EventScript.ordinary(), .failing { .expired($0) }, .renewing()]
        var state = DashboardState(sessions: names.map { DashboardSession(id: SessionID($0)) })
        var now = EventScript.start
        for (name, script) in zip(names, stories) {
            let events = script.events.map { event in
                var event = event
                event.session = SessionID(name)
                event.profile = name
                return event
            }
            _ = state.update(.events(events))
            if script.now.now > now.now { now = script.now }
        }
        _ = state.update(.clock(now))
        return (state, now)
    }

    @Test("has all sessions, the most urgent first", arguments: [(120, 40), (80, 24), (60, 16)])
    func screens(columns: Int, rows: Int) throws {
        var (state, now) = Self.state()
        state.press("8")
        let grid = state.screen(columns, rows, now)
        let text = grid.text
        let table = text[try #require(text.firstRange(of: "▸8 Sessions")).lowerBound...]
        let places = try ["voltyks of", "bitbasel of", "creatist"].map { name in
            try #require(table.firstRange(of: name), "\(table)").lowerBound
        }
        #expect(places == places.sorted())
        try expectScreen(grid, named: "sessions-table-\(columns)x\(rows)")
    }

    @Test("drops columns before it cuts a name", arguments: [60, 70, 80, 90, 100, 120])
    func names(columns: Int) {
        var (state, now) = Self.state()
        state.press("8")
        let text = state.screen(columns, 30, now).text
        let table = text.drop { $0 != "▸" }
        let hasName = table.contains(" \(Self.names[0]) ")
        #expect(hasName == (columns >= 70), "\(text)")
        #expect(text.contains("token left") == (columns >= 90), "\(text)")
    }

    @Test("Enter shows the session under the cursor, and the cursor stays")
    func selection() {
        var (state, now) = Self.state()
        state.press("8", "j", "j", .enter)
        #expect(state.selected.id == SessionID(Self.names[0]))
        state.press("k", .enter)
        #expect(state.selected.id == SessionID(Self.names[1]))
        #expect(state.focus == SessionsPane.id)
        #expect(state.screen(120, 40, now).text.contains("authtop  voltyks"))
    }

    @Test("is not there for one session")
    func alone() {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        state.press("8")
        #expect(state.notice?.message == "only this session is watched")
        #expect(!state.screen(200, 60, script.now).text.contains("Sessions"))
    }
}
