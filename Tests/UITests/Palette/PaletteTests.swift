import Model
import Testing

@testable import UI

@Suite("The palette")
struct PaletteTests {
    private static func opened(
        _ script: EventScript = .ordinary(),
        typing text: String = ""
    ) -> DashboardState {
        var state = DashboardState(script)
        state.press(":")
        state.type(text)
        return state
    }

    private static func list(_ state: DashboardState) throws -> PaletteList<DashboardPaletteAction>
    {
        guard case .palette(let palette)? = state.overlay?.content else {
            throw NoPalette()
        }
        return PaletteList(viewModel: state.presentViewModel, palette: palette)
    }

    private struct NoPalette: Error {}

    @Test("has every action of the panes that is one's own, and no step in a list")
    func whole() throws {
        let titles = try Self.list(Self.opened()).all.map(\.title)
        let named = KeyTable.commands.filter {
            $0.modes.contains(.panes) && $0.isInPalette && $0.appOnly == nil
        }
        #expect(titles.count == named.count)
        #expect(Set(titles).count == titles.count)
        #expect(titles.contains("log out everywhere") && titles.contains("History"))
        #expect(!titles.contains("down") && !titles.contains("newest finding"))
    }

    @Test(
        "the nearest row is the first: the same, its beginning, a word, a part, the description",
        arguments: [
            ("log out", "log out"), ("LOG OUT E", "log out everywhere"), ("exp", "experiments"),
            ("match", "next match"), ("istor", "History"), ("replay", "write"),
        ]
    )
    func nearest(text: String, title: String) throws {
        let list = try Self.list(Self.opened(typing: text))
        #expect(list.selected?.title == title)
    }

    @Test(
        "Tab completes as far as the titles agree, and then to the selected one",
        arguments: [
            (["s", "t", "a"], "statistics"), (["l", "o", "g", " ", "o"], "log out"),
            (["l", "o", "g", " ", "o", .tab, .down], "log out everywhere"),
        ] as [([Key], String)]
    )
    func completion(keys: [Key], text: String) throws {
        var state = Self.opened()
        for key in keys { state.press(key) }
        state.press(.tab)
        #expect(try Self.list(state).palette.text == text)
    }

    @Test(
        "Enter does what the key does",
        arguments: [
            ("renew", "r"), ("redraw", .control("l")), ("log out everywhere", "L"),
            ("statistics", "i"), ("Lifeline", "5"), ("zoom", "z"), ("pause", " "),
        ] as [(String, Key)]
    )
    func enter(text: String, key: Key) {
        var (state, other) = (Self.opened(typing: text), DashboardState(.ordinary()))
        #expect(state.update(.key(.enter)) == other.update(.key(key)))
        #expect(state == other)
    }

    @Test("what is not possible now says why, before Enter and after it")
    func obstacle() {
        let script = EventScript.ended(.user)
        var state = Self.opened(script, typing: "renew")
        let text = state.screen(120, 40, script.now).text
        #expect(text.contains("not now: nothing to renew: not logged in"))
        #expect(state.update(.key(.enter)).isEmpty)
        #expect(state.notice?.message == "nothing to renew: not logged in")
    }

    @Test("a text that nothing matches does nothing, and stays to be corrected")
    func nothing() {
        let script = EventScript.ordinary()
        var state = Self.opened(script, typing: "qxz")
        #expect(state.screen(120, 40, script.now).text.contains("nothing matches"))
        #expect(state.update(.key(.enter)).isEmpty)
        #expect(state.mode == .palette)
        state.press(.down, .up, .tab, .escape)
        #expect(state.overlay == nil)
    }

    @Test("the cursor stays on the rows, whatever is pressed")
    func ends() throws {
        var state = Self.opened()
        state.press(.up)
        #expect(try Self.list(state).palette.selected == 0)
        for _ in 0..<200 { state.press(.down) }
        let list = try Self.list(state)
        #expect(list.palette.selected == list.rows.count - 1)
        state.type("log")
        #expect(try Self.list(state).palette.selected == 0)
    }

    @Test("it keeps its place and its size while it is searched", arguments: [(120, 40), (60, 16)])
    func size(columns: Int, rows: Int) {
        let script = EventScript.ordinary()
        var state = Self.opened(script)
        func border() -> [String] {
            state.screen(columns, rows, script.now).text.split(separator: "\n").map(String.init)
                .filter { $0.contains("─ Actions and panes ─") || $0.contains("╰") }
        }
        let before = border()
        for text in ["l", "og", "qxz"] {
            state.type(text)
            #expect(border().first == before.first)
        }
    }

    @Test("of several sessions, it finds each by its name, and shows it")
    func sessions() {
        var state = DashboardState(
            sessions: ["first", "second"].map { DashboardSession(id: SessionID($0)) }
        )
        state.press(":")
        state.type("second")
        state.press(.enter)
        #expect(state.selection == SessionID("second"))
        #expect(state.overlay == nil)
    }

    @Test("letters are text, and a pasted text is, too")
    func text() throws {
        var state = Self.opened(typing: "q?1 ")
        _ = state.update(.pasted("rL"))
        #expect(try Self.list(state).palette.text == "q?1 rL")
    }
}
