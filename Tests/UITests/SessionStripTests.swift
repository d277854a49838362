import Basics
import Testing

@testable import Model
@testable import UI

@Suite("Several sessions on the screen")
struct SessionStripTests {
    /// One session in each of several states, by the names of profiles.
    private static let stories: [(name: String, script: EventScript)] = [
        ("bitbasel", .ordinary()), ("voltyks", .failing { .expired($0) }),
        ("creatist", .renewing()),
    ]

    private static func state(
        _ stories: [(name: String, script: EventScript)] = stories
    ) -> (state: DashboardState, now: Moment) {
        let sessions = stories.map { DashboardSession(id: SessionID($0.name)) }
        var state = DashboardState(sessions: sessions)
        var now = EventScript.start
        for (name, script) in stories {
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

    private static func strip(_ state: inout DashboardState, _ columns: Int, _ now: Moment)
        -> String
    {
        let text = state.screen(columns, 24, now).text
        return text.split(separator: "\n", omittingEmptySubsequences: false).first.map(String.init)
            ?? ""
    }

    @Test("a strip above the panes", arguments: [(120, 40), (80, 24), (60, 16)])
    func screens(columns: Int, rows: Int) throws {
        var (state, now) = Self.state()
        try expectScreen(
            state.screen(columns, rows, now),
            named: "several-\(columns)x\(rows)"
        )
    }

    @Test("there is no strip for one session")
    func alone() {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        #expect(Self.strip(&state, 120, script.now).hasPrefix(" authtop  bitbasel"))
        state.press("]")
        #expect(state.notice?.message == "only this session is watched")
    }

    @Test("the worst is first, the others stay in the order in which they were named")
    func order() throws {
        var (state, now) = Self.state()
        let strip = Self.strip(&state, 120, now)
        let places = try ["voltyks", "bitbasel", "creatist"].map { name in
            try #require(strip.firstRange(of: name)).lowerBound
        }
        #expect(places == places.sorted())
        #expect(strip.contains("▸● bitbasel"))
        #expect(strip.contains("expired"))
    }

    @Test("cuts a state before a name")
    func names() {
        let names = ["staging-north", "staging-south", "production-1", "production-2"]
        var (state, now) = Self.state(names.map { ($0, EventScript.ordinary()) })
        let strip = Self.strip(&state, 80, now)
        for name in names { #expect(strip.contains(name), "\(strip)") }
    }

    @Test("] and [ walk through the strip and back, and the panes follow")
    func selection() {
        var (state, now) = Self.state()
        #expect(state.selected.id == SessionID("bitbasel"))
        var seen: [String] = []
        for _ in 0..<3 {
            state.press("]")
            seen.append(state.selected.id.description)
            let header = state.screen(120, 40, now).text.split(separator: "\n")[1]
            #expect(header.hasPrefix(" authtop  \(state.selected.id)"))
        }
        #expect(seen == ["creatist", "voltyks", "bitbasel"])
        state.press("[")
        #expect(state.selected.id == SessionID("voltyks"))
    }

    @Test("keys act on the selected session, and its lists are its own")
    func keys() {
        var (state, _) = Self.state()
        state.press("3", "j", "j")
        let held = state.lists
        state.press("]")
        #expect(state.lists != held)
        #expect(
            state.update(.key("r")) == [.perform(.renewNow, on: SessionID("creatist"))]
        )
        state.press("[")
        #expect(state.lists == held)
        #expect(
            state.update(.key("p")) == [.perform(.send(.request), on: SessionID("bitbasel"))]
        )
    }

    @Test("in the foreground again, the clocks of all are looked at")
    func background() {
        var (state, _) = Self.state()
        #expect(
            state.update(.background(false))
                == ["bitbasel", "voltyks", "creatist"].map {
                    .perform(.checkClocks, on: SessionID($0))
                }
        )
    }

    @Test("a notice says whose it is")
    func notice() {
        var (state, now) = Self.state()
        var script = EventScript()
        script.id = SessionID("voltyks")
        script.now = now
        script.add(GraceRecovered(after: .lost))
        _ = state.update(.events(script.events))
        #expect(state.notice?.message.hasPrefix("voltyks: ") == true)
    }

    @Test(
        "at every width the strip fits, shows the selected one, and how many it does not show",
        arguments: [60, 61, 75, 80, 100, 120, 200],
        [2, 3, 4, 8, 20]
    )
    func widths(columns: Int, count: Int) {
        let stories = (1...count).map { (name: "profile-\($0)", script: EventScript.ordinary()) }
        var (state, now) = Self.state(stories)
        for _ in 0..<count {
            state.press("]")
            let grid = state.screen(columns, 24, now)
            let strip = Self.strip(&state, columns, now)
            #expect(grid.columns == columns)
            #expect(strip.contains("▸"))
            #expect(strip.hasSuffix("[ ]") == (columns >= 80))
            let shown = strip.split(separator: "●").count - 1
            #expect(shown == count || strip.contains("+\(count - shown)"))
        }
    }

    @Test(
        "names that begin alike are cut where they are alike",
        arguments: [
            (["my-app-one-a", "my-app-one-b", "my-app-one-c", "my-app-one-d"], 60),
            (["melchat@host-1", "melchat@host-2", "melchat@host-3"], 60),
            (["my-a", "my-b", "my-ab"], 60), (["same", "same-a"], 60),
        ]
    )
    func commonBeginnings(names: [String], columns: Int) {
        let stories = names.map { (name: $0, script: EventScript.failing { .expired($0) }) }
        var (state, now) = Self.state(stories)
        let strip = Self.strip(&state, columns, now)
        let cells = strip.split(separator: "◇").dropFirst().map { cell in
            String(cell.split(separator: " ").first ?? "")
        }
        let shown = cells.filter { !$0.hasPrefix("+") }
        #expect(Set(shown).count == shown.count, "\(strip)")
        for (cell, name) in zip(shown, names) {
            #expect(name.hasSuffix(cell.split(separator: "…").last ?? "?"), "\(strip)")
        }
    }

    @Test("a session that is heard of later gets a cell")
    func late() {
        var (state, now) = Self.state([Self.stories[0]])
        #expect(!state.hasSeveralSessions)
        var script = EventScript.cold()
        script.events = script.events.map { event in
            var event = event
            event.session = SessionID("late")
            return event
        }
        _ = state.update(.events(script.events))
        #expect(Self.strip(&state, 120, now).contains("late"))
        #expect(state.selected.id == SessionID("bitbasel"))
    }
}
