import Model
import Testing

@testable import UI

@Suite("The mouse")
struct MouseTests {
    /// The screen of 120 × 40 after an ordinary hour.
    private var state: DashboardState {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        _ = state.update(.clock(script.now))
        return state
    }

    /// Where a text begins on the screen.
    private static func place(of text: String, on state: DashboardState) throws -> (Int, Int) {
        let lines = state.render(size: (120, 40), now: EventScript.ordinary().now).text
            .split(separator: "\n", omittingEmptySubsequences: false)
        for (row, line) in lines.enumerated() {
            if let range = line.firstRange(of: text) {
                return (line.distance(from: line.startIndex, to: range.lowerBound), row)
            }
        }
        throw TextIsMissing(text: text)
    }

    private struct TextIsMissing: Error {
        let text: String
    }

    @Test(
        "a click focuses a pane",
        arguments: PaneCatalogue.panes(isObserved: false, hasSeveralSessions: false).map {
            $0.title
        }
    )
    func focus(title: String) throws {
        var state = state
        let id = try #require(PaneCatalogue.all.first { $0.title == title }).id
        let (column, row) = try Self.place(of: "\(id.rawValue) \(title)", on: state)
        #expect(state.update(.mouse(MouseEvent(.click, column: column, row: row))).isEmpty)
        #expect(state.focus == id)
    }

    @Test("a click on a line selects it, and a second one opens it")
    func line() throws {
        var state = state
        let (column, row) = try Self.place(of: "3 Requests", on: state)
        let click = MouseEvent(.click, column: column, row: row + 3)
        _ = state.update(.mouse(click))
        #expect(state.lists[RequestsPane.id]?.isFollowing == false)
        #expect(state.overlay == nil)
        _ = state.update(.mouse(click))
        #expect(state.mode == .overlay)
    }

    @Test("a click on the heading or below the last line selects nothing")
    func nothing() throws {
        var state = state
        let (column, row) = try Self.place(of: "3 Requests", on: state)
        _ = state.update(.mouse(MouseEvent(.click, column: column, row: row + 1)))
        #expect(state.lists[RequestsPane.id]?.isFollowing ?? true)
    }

    @Test("the wheel moves the list under the pointer, and a text in an overlay")
    func wheel() throws {
        var state = state
        let (column, row) = try Self.place(of: "4 Feed", on: state)
        _ = state.update(.mouse(MouseEvent(.wheelDown, column: column, row: row + 3)))
        #expect(state.focus == FeedPane.id)
        #expect(state.lists[FeedPane.id]?.isFollowing == false)
        _ = state.update(.resized(columns: 60, rows: 16))
        state.press("?")
        _ = state.update(.mouse(MouseEvent(.wheelDown, column: 20, row: 8)))
        #expect(state.overlay?.scroll == 3)
        _ = state.update(.mouse(MouseEvent(.wheelUp, column: 20, row: 8)))
        #expect(state.overlay?.scroll == 0)
    }

    @Test(
        "a click on a key of the last row does what the key does",
        arguments: [("r renew", "r"), ("Space pause", " "), ("l log out", "l"), ("? help", "?")]
            as [(String, Key)]
    )
    func hint(text: String, key: Key) throws {
        var (state, other) = (self.state, self.state)
        let (column, row) = try Self.place(of: text, on: state)
        for offset in [0, text.count - 1] {
            let click = MouseEvent(.click, column: column + offset, row: row)
            var clicked = state
            #expect(clicked.update(.mouse(click)) == other.update(.key(key)))
            #expect(clicked == other)
            other = state
        }
        let beside = MouseEvent(.click, column: column - 1, row: row)
        #expect(state.update(.mouse(beside)).isEmpty)
        #expect(state == other)
    }

    @Test("beside a notice, only the keys that are still named answer a click")
    func noticed() throws {
        var state = state
        let (column, row) = try Self.place(of: "r renew", on: state)
        _ = state.update(.notice("a notice"))
        #expect(state.update(.mouse(MouseEvent(.click, column: column, row: row))).isEmpty)
        _ = state.update(.notice("a notice"))
        let (help, _) = try Self.place(of: "? help", on: state)
        _ = state.update(.mouse(MouseEvent(.click, column: help, row: row)))
        #expect(state.overlay?.content == .help)
    }

    @Test("in a text, a click on the last row closes it")
    func overlayHint() throws {
        var state = state
        state.press("?")
        let (column, row) = try Self.place(of: "Esc back", on: state)
        _ = state.update(.mouse(MouseEvent(.click, column: column, row: row)))
        #expect(state.overlay == nil)
    }

    @Test("a click on a session of the strip shows it", arguments: [60, 120])
    func strip(columns: Int) throws {
        let names = ["first", "second"]
        var state = DashboardState(sessions: names.map { DashboardSession(id: SessionID($0)) })
        let now = EventScript.ordinary().now
        _ = state.update(.resized(columns: columns, rows: 40))
        _ = state.update(.clock(now))
        for name in ["second", "first"] {
            let text = state.render(size: (columns, 40), now: now).text
            let strip = try #require(text.split(separator: "\n").first)
            let range = try #require(strip.firstRange(of: name))
            let column = strip.distance(from: strip.startIndex, to: range.lowerBound)
            _ = state.update(.mouse(MouseEvent(.click, column: column, row: 0)))
            #expect(state.selection == SessionID(name))
        }
        _ = state.update(.mouse(MouseEvent(.click, column: columns - 1, row: 0)))
        #expect(state.selection == SessionID("first"))
    }

    @Test("a click answers no question, and fills no form", arguments: ["l", "P", "/"])
    func harmless(key: Character) {
        var state = state
        state.press(.character(key))
        let before = state.overlay
        for row in stride(from: 0, to: 40, by: 3) {
            for column in stride(from: 0, to: 120, by: 7) {
                #expect(
                    state.update(.mouse(MouseEvent(.click, column: column, row: row))).isEmpty
                )
            }
        }
        #expect(state.overlay == before)
    }

    @Test("on a small screen, a click on a tab shows its pane")
    func tabs() throws {
        var state = state
        _ = state.update(.resized(columns: 60, rows: 16))
        let lines = state.render(size: (60, 16), now: EventScript.ordinary().now).text
            .split(separator: "\n")
        let row = try #require(lines.firstIndex { $0.contains("4 Feed") })
        let range = try #require(lines[row].firstRange(of: "4 Feed"))
        let column = lines[row].distance(from: lines[row].startIndex, to: range.lowerBound)
        _ = state.update(.mouse(MouseEvent(.click, column: column, row: row)))
        #expect(state.focus == FeedPane.id)
    }
}

@Suite("A zoomed pane")
struct ZoomTests {
    @Test("has the whole screen until z or Esc", arguments: [Key.character("z"), .escape])
    func zoom(key: Key) {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        let before = state.screen(120, 40, script.now)
        state.press("z")
        let text = state.screen(120, 40, script.now).text
        #expect(text.contains("3 Requests"))
        #expect(!text.contains("following ─╮\n│ ●"))
        #expect(text.split(separator: "\n").filter { $0.hasPrefix("╭") }.count == 1)
        state.press(key)
        #expect(state.screen(120, 40, script.now) == before)
    }

    @Test("is the one that gets the focus")
    func focus() {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        state.press("z", "1")
        #expect(state.screen(120, 40, script.now).text.contains("▸1 Tokens"))
    }
}

@Suite("The bell")
struct BellTests {
    private static func rings(_ reason: SignedOutReason, isAsked: Bool) -> Bool {
        var state = DashboardState(
            configuration: DashboardConfiguration(ringsAtEnd: isAsked),
            sessions: [DashboardSession(id: EventScript.session)]
        )
        return state.update(.events(EventScript.ended(reason).events)).contains(.ring)
    }

    @Test("rings when a session ends, if asked", arguments: [true, false])
    func ending(isAsked: Bool) {
        #expect(Self.rings(.revoked, isAsked: isAsked) == isAsked)
    }

    @Test(
        "does not ring for a logout of the user's",
        arguments: [SignedOutReason.user, .everywhere]
    )
    func logout(reason: SignedOutReason) {
        #expect(!Self.rings(reason, isAsked: true))
    }
}
