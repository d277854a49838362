import Model
import Testing
import UI

@testable import Profiles

@Suite("Screens: what lies over the panes")
struct OverlayScreenTests {
    @Test("the help", arguments: [(120, 40), (80, 24)])
    func help(columns: Int, rows: Int) throws {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        state.press("?")
        try expectScreen(state.screen(columns, rows, script.now), named: "help-\(columns)x\(rows)")
    }

    @Test("in the help, / leaves the lines that match below their headings, and Esc all of them")
    func search() {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        state.press("?")
        let whole = state.screen(80, 24, script.now)
        #expect(whole.text.contains("Symbols"))
        state.press("G", "/")
        state.type("log OUT")
        let text = state.screen(80, 24, script.now).text
        for part in ["/log OUT", "Session", "log out here", "log out everywhere", "Esc clear"] {
            #expect(text.contains(part), "\(text)")
        }
        #expect(!text.contains("renew the tokens now") && !text.contains("Panes"))
        state.press(.enter)
        let kept = state.screen(80, 24, script.now).text
        #expect(kept.contains("/log OUT") && kept.contains("? help"))
        state.press("/", .escape)
        #expect(state.screen(80, 24, script.now) == whole)
    }

    @Test("a heading that matches keeps its lines, and what matches nothing says so")
    func searchHeading() {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        state.press("?", "/")
        state.type("active sessions")
        let text = state.screen(80, 24, script.now).text
        #expect(text.contains("end the selected one (asks first)"), "\(text)")
        state.press(.control("u"))
        _ = state.update(.pasted("qxz"))
        #expect(state.screen(80, 24, script.now).text.contains("nothing matches"))
        state.press(.enter, .escape)
        #expect(!state.screen(80, 24, script.now).text.contains("─ Help ─"))
    }

    @Test("the details of a refused request")
    func request() throws {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        state.press("/")
        state.type("status:401")
        state.press(.enter, .enter)
        try expectScreen(state.screen(120, 40, script.now), named: "detail-request")
    }

    @Test("the details of a failed renewal, with what the failure means")
    func failedRenewal() throws {
        let script = EventScript.failing(.unknown, status: 200) { .unknown($0) }
        var state = DashboardState(script)
        state.press("/")
        state.type("path:refresh")
        state.press(.enter, .enter)
        try expectScreen(state.screen(120, 40, script.now), named: "detail-failed-renewal")
    }

    @Test("the details of a message of the feed")
    func message() throws {
        let script = EventScript.strangeTexts()
        var state = DashboardState(script)
        state.press("4", "j", "j", .enter)
        try expectScreen(state.screen(80, 24, script.now), named: "detail-message")
    }

    @Test("the claims of the tokens")
    func tokens() throws {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        state.press("1", .enter)
        try expectScreen(state.screen(80, 24, script.now), named: "detail-tokens")
    }

    @Test("how two expiries disagree")
    func expiry() throws {
        let script = EventScript.mismatched()
        var state = DashboardState(script)
        state.press("2", .enter)
        try expectScreen(state.screen(80, 24, script.now), named: "detail-expiry")
    }

    @Test("a lifetime found with two clocks is marked wherever it is shown", arguments: ["1", "2"])
    func timestamps(pane: String) {
        let script = EventScript.timestamps()
        var state = DashboardState(script)
        #expect(state.screen(120, 40, script.now).text.contains("of ≈14 m 59 s"))
        state.press(Key.character(Character(pane)), .enter)
        let text = state.screen(120, 40, script.now).text
        #expect(text.contains("≈14 m 59 s"), "\(text)")
        #expect(text.contains("≈14:14:59") || text.contains("≈14:15"), "\(text)")
        state.press(.escape, "6")
        #expect(state.screen(120, 40, script.now).text.contains("lives ≈14 m 59 s"))
    }

    @Test("a lifetime that no clock is in has no mark")
    func relative() {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        #expect(!state.screen(120, 40, script.now).text.contains("≈"))
    }

    @Test("the refusal of an upgrade shows what the answer looked like")
    func refusedUpgrade() {
        var script = EventScript.ordinary()
        script.sockets += 1
        let evidence = ResponseEvidence(
            statusLine: "HTTP/1.1 403 Forbidden",
            headers: [WireHeader("Content-Type", "application/json")],
            body: "{\"detail\": \"no right to the feed\"}",
            bodyBytes: 34,
            rule: .status
        )
        let socket = script.sockets
        script.add(FeedDialing(socket: socket, generation: 1, target: "/ws"))
        script.add(FeedRefused(socket: socket, status: 403, evidence: evidence))
        var state = DashboardState(script)
        _ = state.screen(120, 40, script.now)
        state.press("4", "g", .enter)
        let text = state.screen(120, 40, script.now).text
        #expect(text.contains("HTTP/1.1 403 Forbidden"), "\(text)")
        #expect(text.contains("no right to the feed"))
    }

    @Test("a refresh token that was kept counts from the answer that stated its end")
    func olderAnswer() {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        state.press("2", .enter)
        let rows = state.screen(120, 40, script.now).text.split(separator: "\n").map(String.init)
        let refresh = rows.drop { !$0.contains("Refresh token") }.prefix(4).joined()
        #expect(refresh.contains("asked for    14:00:44"))
        #expect(refresh.contains("lives        5 m"))
        #expect(refresh.contains("expires      14:05:44"))
    }

    @Test("a held list and the filter that is being written")
    func filter() throws {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        state.press("j", "j", "4", "/")
        state.type("type:comment !170")
        try expectScreen(state.screen(80, 24, script.now), named: "filter")
    }

    @Test("the question before logging out everywhere")
    func question() throws {
        let script = EventScript.thirtyDays()
        var state = DashboardState(script)
        state.press("L")
        try expectScreen(state.screen(80, 24, script.now), named: "question")
    }

    @Test("a message to the user")
    func notice() throws {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        state.press("L")
        try expectScreen(state.screen(60, 16, script.now), named: "notice")
    }
}
