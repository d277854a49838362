import Dashboard
import Lifecycle
import Testing

@Suite("Lists: filters")
struct FilterTests {
    private static func numbers(_ filter: String, _ script: EventScript = .ordinary()) -> [Int] {
        let session = SessionSnapshot(folding: script.events)
        let filter = RequestsPane.filter(filter)
        return session.requests.filter { RequestsPane.matches($0, filter) }.map(\.number)
    }

    @Test(
        "requests by what is known of them",
        arguments: [
            ("status:401", [15]), ("status:4", [15]), ("status:4xx", [15]), ("status:5xx", []),
            ("path:/auth", [1, 4, 8, 11, 16, 21, 24]), ("method:post path:refresh gen:6", [24]),
            ("gen:7", [25, 26]), ("why:401", [16]), ("401", [15, 16]), ("#17", [17]),
            ("!status:200", [15]), ("path:/auth !path:refresh", [1]), ("status:", Array(1...26)),
            ("!", Array(1...26)), ("  ", Array(1...26)), ("nothing:like", []),
            ("PATH:LOGIN", [1]),
        ]
    )
    func requests(filter: String, numbers: [Int]) {
        #expect(Self.numbers(filter) == numbers)
    }

    @Test(
        "requests without an answer",
        arguments: [("status:lost", 1), ("lost", 1), ("status:unsent", 0)]
    )
    func unanswered(filter: String, count: Int) {
        var script = EventScript()
        script.request(
            .protected,
            "GET",
            "/",
            .unanswered(detail: "reset"),
            seconds: 1,
            why: .person
        )
        #expect(Self.numbers(filter, script).count == count)
    }

    @Test(
        "messages of the feed",
        arguments: [
            ("type:comment", 24), ("seq:172", 1), ("id:172", 1), ("socket:1", 28), ("Rhine", 174),
            ("socket", 7), ("type:comment !seq:7", 23), ("日本", 0),
        ]
    )
    func messages(filter: String, count: Int) {
        let session = SessionSnapshot(folding: EventScript.ordinary().events)
        let filter = FeedPane.filter(filter)
        #expect(session.feed.log.count { FeedPane.matches($0, filter) } == count)
    }

    @Test("a field that there is not is named, with those that there are", arguments: [3, 4])
    func unknownField(pane: Int) {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        state.type("\(pane)/foo:bar")
        let text = state.screen(120, 40, script.now).text
        #expect(text.contains("nothing matches the filter"))
        #expect(text.contains("foo: is no field here: \(pane == 3 ? "status:" : "type:")"))
        state.press(.escape)
        state.type("/http://x")
        #expect(!state.screen(120, 40, script.now).text.contains("is no field here"))
    }

    @Test("a socket's close is among its lines")
    func closedSocket() {
        var script = EventScript.ordinary()
        script.add(.feed(.closed(socket: 7, code: 1011, by: .peer, reason: "gone")))
        let session = SessionSnapshot(folding: script.events)
        let lines = session.feed.log.filter { FeedPane.matches($0, FeedPane.filter("socket:7")) }
        #expect(lines.contains { if case .closed = $0.kind { true } else { false } })
    }

    @Test("the list follows the filter as it is written, and Esc clears it")
    func live() {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        state.press("/")
        state.type("status:401")
        let text = state.screen(120, 40, script.now).text
        #expect(text.contains("/status:401 1 of 26"))
        #expect(text.contains(" 15  GET"))
        #expect(!text.contains(" 26  GET"))
        state.press(.backspace, .control("u"))
        #expect(state.screen(120, 40, script.now).text.contains(" 26  GET"))
        state.type("zzz")
        state.press(.enter)
        #expect(state.screen(120, 40, script.now).text.contains("nothing matches the filter"))
        state.press(.escape)
        #expect(state.screen(120, 40, script.now).text.contains(" 26  GET"))
    }

    @Test("panes without a list have nothing to filter")
    func noList() {
        var state = DashboardState(.ordinary())
        state.press("1", "/")
        #expect(state.mode == .panes)
        #expect(state.notice != nil)
    }
}
