import Basics
import FoundationEssentials
import Testing

@testable import Model
@testable import UI

@Suite("Lists: filters")
struct FilterTests {
    private static let clock = ClockFormatter(utcOffsetSeconds: 0)
    private let clock = Self.clock

    private static func viewModel(of session: SessionSnapshot = SessionSnapshot()) -> ViewModel {
        ViewModel(
            session: session,
            clock: ViewClock(now: EventScript.start, utcOffsetSeconds: 0),
            focus: RequestsPane.id
        )
    }

    private static func numbers(_ filter: String, _ script: EventScript = .ordinary()) -> [Int] {
        let session = SessionSnapshot(folding: script.events)
        let filter = Filter(filter, fields: RequestsPane.fields)
        let viewModel = viewModel(of: session)
        return session.requests.filter { RequestsPane.matches($0, filter, viewModel) }.map(\.number)
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
            // Alternatives, of values and of filters.
            ("status:401|200 path:login|/me", [1]), ("status:500|401", [15]), ("status:401|", [15]),
            ("login|logout", [1]), ("!status:200|401", []), ("!path:/auth|/posts", []),
            ("status:401 | path:login", [1, 15]), ("status:401 |", [15]), ("| path:login", [1]),
            ("path:login ms:>9 | status:401 gen:7", [1]),
            // Numbers as they are shown.
            ("status:>=400", [15]), ("status:<400 path:login", [1]), ("status:400..499", [15]),
            ("gen:>6", [25, 26]), ("gen:6..7 method:post", [24]), ("!gen:1..6", [1, 25, 26]),
            ("gen:2.7", [25, 26]), ("gen:1.7", []), ("gen:<=0", []),
            ("ms:42", [1]), ("ms:>41", [1]), ("ms:>=42", [1]), ("ms:>42", []), ("ms:40..42", [1]),
            ("ms:<42 path:login", []), ("ms:12 gen:6", [24]),
            // A value that the field cannot have excludes nothing.
            ("ms:abc", Array(1...26)), ("ms:>", Array(1...26)), ("time:25:00", Array(1...26)),
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
            why: .user
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
        let filter = Filter(filter, fields: FeedPane.fields)
        let viewModel = Self.viewModel(of: session)
        #expect(session.feed.log.count { FeedPane.matches($0, filter, viewModel) } == count)
    }

    @Test("requests by the time and the token that are shown", arguments: ["time", "token"])
    func shown(field: String) throws {
        let session = SessionSnapshot(folding: EventScript.ordinary().events)
        let last = try #require(session.requests.last)
        let digits = try #require(last.exchange.fingerprint?.digits)
        let time = clock.time(last.startedAt.wall)
        let value = field == "time" ? time : String(digits.prefix(5))
        let filter = Filter("\(field):\(value)", fields: RequestsPane.fields)
        let viewModel = Self.viewModel(of: session)
        let found = session.requests.filter { RequestsPane.matches($0, filter, viewModel) }
        #expect(found.contains(last))
        #expect(found.count < session.requests.count)
        for request in found where field == "token" {
            #expect(request.exchange.fingerprint?.digits == digits)
        }
    }

    @Test(
        "requests by when they were sent, over midnight too",
        arguments: [
            ("23:59", 1), ("23:59:30", 1), ("23:59:31", 0), (">23:58", 1), (">23:59", 0),
            ("<23:59", 0), ("<=23:59", 1), ("23:58..0:03", 1), ("0:03..23:58", 0),
            ("23:00..23:59", 1), ("0:00..23:59", 1), (">=23:59:30", 1),
        ]
    )
    func timeOfDay(value: String, count: Int) {
        let sent = Date(timeIntervalSince1970: 86_400 - 30)
        #expect(Self.count("time:" + value, wall: sent) == count)
    }

    @Test(
        "requests by the age of their token when it was sent",
        arguments: [
            (">10s", 1), (">11s", 0), ("<11s", 1), ("10s..11s", 1), ("1s..10s", 0),
            (">500ms", 1), ("<=10.5s", 1), (">=10.5s", 1), ("<1m", 1),
        ]
    )
    func age(value: String, count: Int) {
        #expect(Self.count("age:" + value, age: 10.5) == count)
        #expect(Self.count("age:" + value, age: nil) == 0)
    }

    private static func count(
        _ filter: String,
        wall: Date = Date(timeIntervalSince1970: 0),
        age: Double? = nil
    ) -> Int {
        let exchange = Exchange(
            id: 1,
            purpose: .protected,
            method: "GET",
            target: "/",
            result: .answered(status: 200),
            seconds: 0,
            generation: 1,
            why: .user,
            tokenAge: age
        )
        let ended = Moment(now: .origin, wall: wall)
        let request = LoggedExchange(
            exchange: exchange,
            session: SessionID("test"),
            endedAt: ended,
            login: 1
        )
        return RequestsPane.matches(
            request,
            Filter(filter, fields: RequestsPane.fields),
            Self.viewModel()
        ) ? 1 : 0
    }

    @Test(
        "a value that a field cannot have is said, with what was expected",
        arguments: [
            (
                "status:foo",
                "status: expected 401, 4xx, >=500, 400..499, lost or unsent, found “foo”"
            ),
            ("ms:1s", "ms: expected 100, >100 or 10..50, found “1s”"),
            ("ms:50..10", "ms: expected 100, >100 or 10..50, found “50..10”"),
            ("age:10", "age: expected >10s, <500ms or 5s..1m, found “10”"),
            ("age:10s", "age: expected >10s, <500ms or 5s..1m, found “10s”"),
            ("!gen:2.", "gen: expected 7, 2.7, >7 or 3..7, found “2.”"),
            ("token:xyz", "token: expected up to 8 hex digits, such as 3f9c, found “xyz”"),
            ("time:24:00", "time: expected 14:02, >14:02 or 14:02..14:05, found “24:00”"),
            ("ms:5|x", "ms: expected 100, >100 or 10..50, found “x”"),
            (
                "ms:99999999999999999999",
                "ms: expected 100, >100 or 10..50, found “99999999999999999999”"
            ),
        ]
    )
    func mistake(filter: String, message: String) {
        #expect(Filter(filter, fields: RequestsPane.fields).mistakes.map(\.message) == [message])
    }

    @Test("a mistake is said in the prompt, which Enter does not close until it is mended")
    func refused() {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        state.type("3/ms:>x")
        let message = "ms: expected 100, >100 or 10..50, found “>x”"
        #expect(state.screen(120, 40, script.now).text.contains(message))
        state.press(.enter)
        #expect(state.mode == .prompt)
        #expect(state.prompt?.filter.isRefused == true)
        #expect(state.screen(60, 16, script.now).text.contains("expected 100, >100 or 10..50"))
        state.press(.backspace)
        #expect(state.prompt?.filter.isRefused == false)
        state.type("41")
        state.press(.enter)
        #expect(state.mode == .panes)
        #expect(state.screen(120, 40, script.now).text.contains("/ms:>41 1 of 26"))
    }

    @Test("n and N go to the lines that the last filter matched, with the others around them")
    func search() {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        _ = state.screen(120, 40, script.now)
        state.type("3n")
        #expect(state.notice?.message.hasPrefix("nothing to search for") == true)
        state.type("/path:refresh")
        state.press(.enter, .escape)
        var visited: [Int?] = []
        for key in ["n", "n", "n", "N", "N", "N"] as [Key] {
            state.press(key)
            if case .held(let number, _) = state.lists[PaneID(rawValue: 3)]?.position {
                visited.append(number)
            }
        }
        #expect(visited == [24, 21, 16, 21, 24, 24])
        #expect(state.notice?.message == "no newer line matches /path:refresh")
        #expect(state.screen(120, 40, script.now).text.contains(" 23  GET"))
        state.press("1", "n")
        #expect(state.notice?.message.hasPrefix("nothing to search here") == true)
    }

    @Test("a filter that is applied limits n and N to what it shows")
    func searchInFilter() {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        _ = state.screen(120, 40, script.now)
        state.type("3/status:401")
        state.press(.enter, "n", "n")
        #expect(state.notice?.message == "no older line matches /status:401")
        #expect(state.lists[PaneID(rawValue: 3)]?.position == .held(number: 15, row: 0))
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
        script.add(FeedClosed(socket: 7, code: 1011, by: .peer, reason: "gone"))
        let session = SessionSnapshot(folding: script.events)
        let lines = session.feed.log.filter {
            FeedPane.matches(
                $0,
                Filter("socket:7", fields: FeedPane.fields),
                Self.viewModel(of: session)
            )
        }
        #expect(lines.contains { if case .closed = $0.event { true } else { false } })
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
