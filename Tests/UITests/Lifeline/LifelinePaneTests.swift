import Basics
import FoundationEssentials
import Model
import Observer
import Testing

@testable import UI

@Suite("Lifeline: the pane")
struct LifelinePaneTests {
    /// Tokens of 20 s for two minutes.
    private static let fresh = EventScript.ordinary()

    private static func state(_ script: EventScript = fresh) -> DashboardState {
        var state = DashboardState(script)
        _ = state.update(.clock(script.now))
        state.press("5")
        return state
    }

    /// The rows of the pane, without its border.
    private static func rows(_ state: DashboardState, _ now: Moment) -> [String] {
        var state = state
        let lines = state.screen(120, 40, now).text.split(separator: "\n").map(String.init)
        let top = lines.firstIndex { $0.contains("5 Lifeline") } ?? 0
        return Array(lines[top...].prefix { !$0.hasPrefix("╰") })
    }

    // MARK: - Screens

    @Test("has its rows", arguments: [(120, 40), (80, 24), (60, 16)])
    func fresh(columns: Int, rows: Int) throws {
        var state = Self.state()
        let grid = state.screen(columns, rows, Self.fresh.now)
        try expectScreen(grid, named: "lifeline-\(columns)x\(rows)")
    }

    @Test(
        "has a screen for what can become of a session",
        arguments: ["refused", "draining", "broken-feed", "empty", "thirty-days"]
    )
    func stories(name: String) throws {
        var script =
            switch name {
            case "refused": EventScript.ended(.revoked)
            case "draining": EventScript.draining()
            case "broken-feed": EventScript.brokenFeed()
            case "thirty-days": EventScript.thirtyDays()
            default: EventScript.cold()
            }
        if name == "refused" { script.wait(20) }
        var state = Self.state(script)
        if name == "thirty-days" { for _ in LifelineSpan.allCases { state.press("-") } }
        try expectScreen(state.screen(100, 30, script.now), named: "lifeline-\(name)")
    }

    @Test("has a cursor, and says what is there")
    func cursor() throws {
        var state = Self.state()
        state.press("j", "j", "j")
        try expectScreen(state.screen(120, 40, Self.fresh.now), named: "lifeline-cursor")
    }

    @Test("has a screen in a replay")
    func replay() throws {
        var state = Self.state()
        var playback = Playback(of: try Recording(of: Self.fresh))
        playback.perform(.toggle, at: .origin)
        playback.perform(.toEnd, at: .origin)
        _ = state.update(.playback(playback))
        state.press("<", "<")
        try expectScreen(state.screen(120, 40, playback.moment), named: "lifeline-replay")
    }

    @Test("has the same screen in ASCII, in which no two marks of a row are the same")
    func ascii() throws {
        let configuration = DashboardConfiguration(isASCII: true)
        var state = DashboardState(Self.fresh, configuration: configuration)
        state.press("5")
        let grid = state.screen(120, 40, Self.fresh.now)
        try expectScreen(grid, named: "lifeline-ascii")
        let requests = [LifelineMark.answered, .failed, .refused].map { String($0.symbol) }
        let events = [LifelineMark.renewed, .paused, .began, .asleep, .warning, .ended, .died]
            .map { String($0.symbol) }
        let lanes = ["━", "┄", "├", "?", "✗"]
        for symbols in [requests, events, lanes] {
            let forms = Set(symbols.map { Grid.asciiForms[$0] ?? $0 })
            #expect(forms.count == symbols.count)
        }
    }

    // MARK: - Keys

    @Test("the cursor stands still while time passes, and Esc, F or g go back to the present")
    func holds() {
        for key in [.escape, "F", "g"] as [Key] {
            var state = Self.state()
            let following = Self.rows(state, Self.fresh.now)
            state.press(.left, .left)
            let held = Self.rows(state, Self.fresh.now)
            #expect(held[0].contains("‖ held") && held != following)
            var later = Self.fresh
            later.wait(5)
            #expect(Self.rows(state, later.now).dropFirst().last == held.dropFirst().last)
            state.press(key)
            #expect(Self.rows(state, Self.fresh.now) == following)
        }
    }

    @Test("j goes to the event before, k to the one after, G to the first")
    func events() {
        var state = Self.state()
        state.press("j")
        let newest = Self.rows(state, Self.fresh.now)
        #expect(newest.contains { $0.contains("14:02:09 · request #26 GET /posts/feed 200") })
        state.press("j", "k")
        #expect(Self.rows(state, Self.fresh.now) == newest)
        state.press("G")
        #expect(Self.rows(state, Self.fresh.now).contains { $0.contains("14:00:00") })
    }

    @Test("Enter opens the worst of what is under the cursor")
    func opens() {
        var state = Self.state()
        var steps = 0
        while steps < 60,
            !Self.rows(state, Self.fresh.now).contains(where: { $0.contains(" 401 ") })
        {
            state.press("j")
            steps += 1
        }
        #expect(steps < 60)
        state.press(.enter)
        #expect(state.mode == .overlay)
        #expect(state.screen(120, 40, Self.fresh.now).text.contains("Request #"))
        state.press(.escape)
        #expect(state.mode == .panes && state.focus == LifelinePane.id)
    }

    @Test("a click places the cursor, a second one opens what is there, the wheel zooms")
    func mouse() throws {
        var state = Self.state()
        _ = state.screen(120, 40, Self.fresh.now)
        let lines = state.screen(120, 40, Self.fresh.now).text.split(separator: "\n")
        let top = try #require(lines.firstIndex { $0.contains("5 Lifeline") })
        let row = lines[top + 3]
        #expect(row.contains("requests"))
        let mark = try #require(row.lastIndex(of: "·"))
        let click = MouseEvent(
            .click,
            column: row.distance(from: row.startIndex, to: mark),
            row: top + 3
        )
        _ = state.update(.mouse(click))
        #expect(Self.rows(state, Self.fresh.now).contains { $0.contains("request #26") })
        _ = state.update(.mouse(click))
        #expect(state.mode == .overlay)
        state.press(.escape, "g")
        #expect(Self.rows(state, Self.fresh.now)[0].contains("1 column = 1 s"))
        _ = state.update(.mouse(MouseEvent(.wheelDown, column: click.column, row: click.row)))
        #expect(Self.rows(state, Self.fresh.now)[0].contains("1 column = 3 s"))
        _ = state.update(.mouse(MouseEvent(.wheelUp, column: click.column, row: click.row)))
        #expect(Self.rows(state, Self.fresh.now)[0].contains("1 column = 1 s"))
    }

    @Test("zooming keeps the column of the cursor")
    func zoomHeld() {
        var state = Self.state()
        state.press("j")
        let before = Self.rows(state, Self.fresh.now)
        state.press("+")
        #expect(Self.rows(state, Self.fresh.now)[0].contains("0.5 s"))
        state.press("-")
        #expect(Self.rows(state, Self.fresh.now) == before)
    }

    @Test("zooming in leads to what is in the column, however long that was")
    func zoomIn() {
        var state = Self.state()
        for _ in LifelineSpan.allCases { state.press("-") }
        state.press("j")
        for _ in LifelineSpan.allCases { state.press("+") }
        #expect(Self.rows(state, Self.fresh.now).contains { $0.contains(" 401 · gen 2.4") })
        for _ in LifelineSpan.allCases { state.press("-") }
        state.press("G")
        for _ in LifelineSpan.allCases { state.press("+") }
        #expect(Self.rows(state, Self.fresh.now).contains { $0.contains("14:00:00.000") })
    }

    @Test("the keys say where they act, and do nothing in another pane")
    func elsewhere() {
        var state = Self.state()
        state.press("3", .left)
        #expect(state.notice?.message.contains("lifeline") == true)
    }

    @Test("in a replay, Left and Right seek, and other keys move the cursor")
    func replayKeys() throws {
        var state = Self.state()
        _ = state.update(.playback(Playback(of: try Recording(of: Self.fresh))))
        #expect(state.update(.key(.left)) == [.playback(.seek(seconds: -10))])
        #expect(state.update(.key("+")) == [.playback(.faster)])
        #expect(state.update(.key("<")).isEmpty && state.update(.key(")")).isEmpty)
        #expect(Self.rows(state, Self.fresh.now)[0].contains("‖ held"))
    }

    // MARK: - Time

    @Test("of less than a second a column, it is drawn again when a column has passed")
    func nextChange() throws {
        var state = Self.state()
        for _ in LifelineSpan.allCases { state.press("+") }
        let next = try #require(state.nextChange(after: Self.fresh.now))
        // The story ends at 14:02:11.300, and a column is a tenth of a second.
        #expect(next.seconds(since: Self.fresh.now.now) < 0.11)
        state.press("<")
        let held = try #require(state.nextChange(after: Self.fresh.now))
        #expect(held.seconds(since: Self.fresh.now.now) > 0.6)
    }

    @Test("stands still from second to second, and moves by a fifth of its width at once")
    func moves() {
        var row = Self.rows(Self.state(), Self.fresh.now)[3]
        #expect(row.contains("·"))
        var later = Self.fresh
        var moves = 0
        for _ in 0..<42 {
            later.wait(1)
            let next = Self.rows(Self.state(), later.now)[3]
            if next != row {
                #expect(next.dropFirst(12).prefix(70) == row.dropFirst(33).prefix(70))
                moves += 1
            }
            row = next
        }
        #expect(moves == 2)
    }

    @Test("is drawn from ten thousand facts without gaps or traps")
    func full() {
        var script = EventScript.ordinary()
        for round in 0..<2_100 {
            script.wait(3)
            script.renew()
            script.switchSocket()
            script.request(status: round % 9 == 0 ? 500 : 200)
        }
        var state = Self.state(script)
        let session = state.session
        let kept =
            session.requests.count + session.history.entries.count
            + session.generations.count + session.feed.sockets.count + session.flights.count
        #expect(kept == 8_000)
        for span in LifelineSpan.allCases {
            state.press(span == .tenSeconds ? "+" : "-")
            #expect(state.screen(120, 40, script.now).openBorders.isEmpty)
        }
        state.press("G", "+", "+", "+", "+")
        let text = state.screen(200, 40, script.now).text
        #expect(text.contains("1 column = 30 s") && text.contains("nothing kept before 14:"))
    }
}
