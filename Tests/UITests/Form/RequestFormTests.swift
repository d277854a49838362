import Basics
import Model
import Profiles
import Testing

@testable import UI

@Suite("The request form")
struct RequestFormTests {
    private static func open(
        _ history: RequestHistory = RequestHistory(),
        bodyType: String = "application/json"
    ) -> DashboardState {
        var state = DashboardState(
            .ordinary(),
            session: DashboardSession(
                id: EventScript.session,
                bodyType: bodyType,
                requestHistory: history
            )
        )
        state.press("P")
        return state
    }

    private static func fill(
        _ state: inout DashboardState,
        _ method: String,
        _ path: String,
        _ body: String
    ) {
        state.press(.shiftTab, .control("u"))
        state.type(method)
        state.press(.tab, .control("u"))
        state.type(path)
        state.press(.tab, .control("u"))
        state.type(body)
    }

    @Test("P opens a form for a method, a path and a body, and Enter in the last field sends it")
    func send() throws {
        var state = Self.open()
        #expect(state.mode == .request)
        Self.fill(&state, "post", "/posts?draft=1", "{\"a\": \"qj?\"}")
        let request = try CustomRequest(
            method: "POST",
            target: "/posts?draft=1",
            body: Secret("{\"a\": \"qj?\"}")
        )
        #expect(state.update(.key(.enter)) == [.sendCustom(request)])
        #expect(state.overlay == nil)
    }

    @Test("Enter moves to the next field, and Esc sends nothing")
    func enter() throws {
        var state = Self.open()
        state.type("me")
        #expect(state.update(.key(.enter)).isEmpty)
        #expect(state.mode == .request)
        let request = try CustomRequest(method: "GET", target: "/me")
        #expect(state.update(.key(.enter)) == [.sendCustom(request)])
        state.press("P")
        #expect(state.update(.key(.escape)).isEmpty)
        #expect(state.overlay == nil)
    }

    @Test(
        "a URL of another host is rejected in its field, with the reason",
        arguments: ["https://evil.example/", "//evil.example/"]
    )
    func refused(path: String) throws {
        let script = EventScript.ordinary()
        var state = Self.open()
        Self.fill(&state, "GET", path, "")
        #expect(state.update(.key(.enter)).isEmpty)
        let text = state.screen(80, 24, script.now).text
        #expect(text.contains("the path must stay on the profile's backend: leave out the host"))
        #expect(text.contains("▸ path"))
        state.press(.control("u"))
        state.type("/me")
        #expect(!state.screen(80, 24, script.now).text.contains("leave out the host"))
        state.press(.enter)
        #expect(state.update(.key(.enter)).count == 1)
    }

    @Test("a body that is not JSON shows a warning, and is sent")
    func oddBody() {
        let script = EventScript.ordinary()
        let warning = "the body is not JSON"
        var state = Self.open()
        Self.fill(&state, "POST", "/a", "{\"a\": ")
        #expect(state.screen(80, 24, script.now).text.contains(warning))
        state.type("1}")
        #expect(!state.screen(80, 24, script.now).text.contains(warning))
        state.press(.backspace)
        #expect(state.update(.key(.enter)).count == 1)
        var other = Self.open(bodyType: "text/csv")
        Self.fill(&other, "POST", "/a", "1,2")
        #expect(!other.screen(80, 24, script.now).text.contains(warning))
    }

    @Test("Up and Down walk through the requests before, and back to what was being written")
    func history() throws {
        var state = Self.open(
            RequestHistory([
                .init(method: "DELETE", target: "/old"), .init(method: "GET", target: "/b"),
            ])
        )
        Self.fill(&state, "POST", "/new", "1")
        state.press(.enter)
        state.press("P")
        state.type("draft")
        func paths() -> String { state.screen(80, 24, EventScript.ordinary().now).text }
        state.press(.up)
        #expect(paths().contains("/new") && paths().contains("POST"))
        state.press(.up, .up, .up)
        #expect(paths().contains("/old") && paths().contains("DELETE"))
        state.press(.down, .down, .down, .down)
        #expect(paths().contains("/draft"))
        state.press(.up, .tab)
        let request = try CustomRequest(method: "POST", target: "/new", body: Secret("1"))
        #expect(state.update(.key(.enter)) == [.sendCustom(request)])
        #expect(state.selected.requestHistory.entries.map(\.target) == ["/old", "/b", "/new"])
    }

    @Test("the history keeps fifty")
    func bounded() {
        let many = (1...70).map { RequestHistory.Entry(method: "GET", target: "/\($0)") }
        var state = Self.open(RequestHistory(many))
        state.press(.enter, .enter)
        #expect(state.selected.requestHistory.entries.count == RequestHistory.limit)
        #expect(state.selected.requestHistory.entries.last?.target == "/")
        #expect(state.selected.requestHistory.entries.first?.target == "/22")
    }

    @Test("nothing to send with is said")
    func signedOut() {
        var state = DashboardState(.ended(.user))
        state.press("P")
        #expect(state.overlay == nil)
        #expect(state.notice?.message == "no access token to send: not logged in")
    }

    @Test("as it is read", arguments: [(120, 40), (80, 24), (60, 16)])
    func screen(columns: Int, rows: Int) throws {
        var state = Self.open()
        Self.fill(&state, "PATCH", "/users/me?fields=name", "{\"name\": \"Ann")
        let grid = state.screen(columns, rows, EventScript.ordinary().now)
        try expectScreen(grid, named: "request-form-\(columns)x\(rows)")
    }
}
