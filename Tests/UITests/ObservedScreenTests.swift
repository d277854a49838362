import Basics
import Foundation
import Testing

@testable import Model
@testable import Observer
@testable import UI

@Suite("Screens: the sessions of an app")
struct ObservedScreenTests {
    private static let routes = ProxyRoutes([
        ProxyRoutes.Route(
            address: "http://127.0.0.1:9000",
            port: 9000,
            backend: "https://api.example.com"
        )
    ])

    private static let sizes = [(120, 40), (80, 24), (60, 16)]

    private static func state(proxy: ProxyRoutes? = routes) -> DashboardState {
        DashboardState(
            configuration: DashboardConfiguration(proxy: proxy),
            sessions: [DashboardSession(id: SessionID("0"))]
        )
    }

    /// A session of an app that renews twice at once, by the events that a proxy has of it.
    private static func race() -> EventScript {
        var script = EventScript()
        script.id = SessionID("1")
        script.add(
            ObservedClient(peer: "127.0.0.1", userAgent: "okhttp/4.12 Android")
        )
        script.observedCapabilities()
        script.logIn()
        script.add(ObservedStatus.live(until: script.instant(20)))
        script.wait(until: 12)
        let why = RequestCause.observed(.beforeEnd(seconds: 8))
        script.request(.refresh, "POST", "/auth/refresh", status: 200, seconds: 0.02, why: why)
        script.generation = 2
        script.issue(.refresh, rotated: true)
        script.add(ObservedStatus.live(until: script.instant(20)))
        script.request(.refresh, "POST", "/auth/refresh", status: 401, seconds: 0.02, why: why)
        script.add(finding(at: script.now, count: 2))
        script.wait(until: 14)
        // Only a client of its own plans a renewal.
        script.events.removeAll { event in
            event.kind is RenewalPlanned
        }
        return script
    }

    private static func finding(
        number: Int = 1,
        at moment: Moment,
        severity: ObservedFinding.Severity = .bug,
        confidence: ObservedFinding.Confidence = .certain,
        count: Int = 1
    ) -> ObservedFinding {
        ObservedFinding(
            number: number,
            rule: "race",
            severity: severity,
            confidence: confidence,
            evidence: [
                FindingEvidence(.exchange(3), "the second refresh, answered 401"),
                FindingEvidence(.exchange(2), "the first refresh, answered 200"),
                FindingEvidence(.token(Fingerprint(digits: "91bb04c7")), "presented by both"),
            ],
            message: "2 refreshes with one refresh token, 13 ms apart: #3 was refused",
            remedy: "One refresh at a time for all callers.",
            references: ["axios/axios#10701"],
            path: "/auth/refresh",
            firstAt: EventScript.start,
            lastAt: moment,
            count: count
        )
    }

    private static func shown(_ script: EventScript) -> DashboardState {
        var state = state()
        _ = state.update(.resized(columns: 120, rows: 40))
        _ = state.update(.events(script.events))
        return state
    }

    @Test("columns of findings do not touch where their numbers are large", arguments: [120, 80])
    func largeNumbers(columns: Int) {
        var script = Self.race()
        var finding = Self.finding(number: 2, at: script.now, count: 12_345)
        finding.rule = "dead-refresh-loop"
        script.add(finding)
        var state = Self.shown(script)
        let lines = state.screen(columns, 40, script.now).text.split(separator: "\n")
        let line = lines.first { $0.contains("×12345") } ?? ""
        #expect(line.contains("×12345 "), "\(line)")
    }

    @Test("without traffic, what to type is there in place of the panes", arguments: sizes)
    func guide(columns: Int, rows: Int) throws {
        var state = Self.state()
        try expectScreen(
            state.screen(columns, rows, EventScript.start),
            named: "proxy-waiting-\(columns)x\(rows)"
        )
    }

    @Test("each kind of app has a page of what to type, and keys lead from one to the next")
    func kinds() {
        var state = Self.state()
        func page() -> String { state.screen(120, 40, EventScript.start).text }
        #expect(page().contains("▸browser app") && page().contains("Right other kinds of app"))
        let forward = "authtop proxy --forward api.example.com --exec"
        for (title, words) in [
            ("▸mobile", "adb reverse tcp:9000 tcp:9000"),
            ("▸server", "API_URL=http://127.0.0.1:9000"),
            ("▸gRPC", "grpcurl -plaintext 127.0.0.1:9000"), ("▸command line", forward),
            ("▸browser app", "http://authtop.localhost:9000"),
        ] {
            state.press(.right)
            #expect(page().contains(title) && page().contains(words), "\(page())")
        }
        state.press(.shiftTab)
        #expect(page().contains("▸command line"))
    }

    @Test(
        "a proxy that other machines can use says so in the header and the guide",
        arguments: sizes
    )
    func exposed(columns: Int, rows: Int) throws {
        let route = ProxyRoutes.Route(
            address: "http://192.168.1.5:9000",
            port: 9000,
            backend: "https://api.example.com"
        )
        var state = Self.state(proxy: ProxyRoutes([route], isRemote: true))
        try expectScreen(
            state.screen(columns, rows, EventScript.start),
            named: "proxy-remote-\(columns)x\(rows)"
        )
        var secure = Self.state(
            proxy: ProxyRoutes([route], certificate: "/tmp/ca.pem", isRemote: true)
        )
        #expect(!secure.screen(columns, rows, EventScript.start).text.contains("✗"))
    }

    @Test("names of what to type are apart from it, with a certificate too")
    func certificate() {
        var proxy = Self.routes
        proxy.certificate = "/tmp/ca.pem"
        var state = Self.state(proxy: proxy)
        for kind in AppGuide.Kind.allCases {
            let rows = AppGuide(routes: proxy).lines(kind, columns: 100).map(\.text)
            let named = rows.filter { $0.contains("authtop proxy ca") }
            #expect(named.allSatisfy { $0.contains("  authtop proxy ca") }, "\(rows)")
        }
        let page = state.screen(120, 40, EventScript.start).text
        #expect(page.contains("certificate    authtop proxy ca says how to trust it"))
    }

    @Test("a forward proxy says what a program must be given", arguments: sizes)
    func forward(columns: Int, rows: Int) throws {
        let forward = ProxyRoutes.Forward(
            address: "http://127.0.0.1:9000",
            hosts: ["api.example.com", "*.example.org"],
            certificates: "/home/me/.local/state/authtop/forward-4711.pem"
        )
        var state = Self.state(proxy: ProxyRoutes([], forward: forward))
        try expectScreen(
            state.screen(columns, rows, EventScript.start),
            named: "proxy-forward-\(columns)x\(rows)"
        )
    }

    @Test("a proxy that adds what answers lack for pages says so in the header and the guide")
    func addsCORS() {
        var proxy = Self.routes
        #expect(!Self.isCORSNamed(on: proxy, columns: 120))
        proxy.addsCORS = true
        proxy.isRemote = true
        for (columns, mark) in [(120, "✗ --cors hides a bug"), (80, "✗ --cors"), (60, "✗ --cors")] {
            var state = Self.state(proxy: proxy)
            let lines = state.screen(columns, 40, EventScript.start).text.split(separator: "\n")
            #expect(lines[0].contains(mark), "\(lines[0])")
            #expect(lines[0].contains("✗ open"), "\(lines[0])")
            #expect(lines.dropFirst().contains { $0.contains("✗ --cors hides a bug that") })
        }
    }

    private static func isCORSNamed(on proxy: ProxyRoutes, columns: Int) -> Bool {
        var state = Self.state(proxy: proxy)
        return state.screen(columns, 40, EventScript.start).text.contains("✗ --cors")
    }

    @Test(
        "an answer with what the proxy has added for a page says so, and what production does",
        arguments: [
            (ExchangePurpose.protected, 200, ["keeps such an answer from the page"]),
            (.preflight, 204, ["does not send the request itself"]),
            (.preflight, 404, ["was answered 204", "does not send the request itself"]),
        ]
    )
    func corsAdded(purpose: ExchangePurpose, status: Int, expected: [String]) {
        var script = Self.race()
        script.request(
            purpose,
            "PUT",
            "/me",
            status: status,
            seconds: 0.02,
            why: .custom,
            corsAddedFor: "http://localhost:5173"
        )
        var state = Self.shown(script)
        state.press("3", .enter)
        let text = state.screen(120, 40, script.now).text
        let added: String =
            "added for http://localhost:5173 by --cors: the backend's answer lacks it"
        for words in [added] + expected { #expect(text.contains(words), "\(text)") }
        let isReplaced = text.contains("was answered 204")
        #expect(isReplaced == (status == 404))
    }

    @Test("a session with a finding, which has the focus", arguments: sizes)
    func race(columns: Int, rows: Int) throws {
        let script = Self.race()
        var state = Self.shown(script)
        try expectScreen(
            state.screen(columns, rows, script.now),
            named: "proxy-race-\(columns)x\(rows)"
        )
    }

    @Test("Enter tells the finding's story in the order of its exchanges", arguments: sizes)
    func detail(columns: Int, rows: Int) throws {
        let script = Self.race()
        var state = Self.shown(script)
        state.press(.enter)
        try expectScreen(
            state.screen(columns, rows, script.now),
            named: "proxy-finding-\(columns)x\(rows)"
        )
    }

    @Test("of a captured app, nothing is said that only a client of its own plans or knows")
    func captured() throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = tests.appendingPathComponent("authtopTests/Proxy/race.har")
        let capture = try HARCapture(reading: Array(try Data(contentsOf: file)))
        let origin = try #require(capture.origin)
        let run = ObservedRun(
            ObservationMachine.Configuration(
                profile: "app",
                dialect: nil,
                baseURL: origin,
                origins: [origin]
            ),
            reading: capture,
            by: TrafficReader(
                fingerprinter: Fingerprinter(salt: Array(repeating: 7, count: 16)),
                dialect: nil
            )
        )
        let route = ProxyRoutes.Route(
            address: "http://127.0.0.1:9000",
            port: 9000,
            backend: origin
        )
        var state = Self.state(proxy: ProxyRoutes([route]))
        _ = state.update(.resized(columns: 120, rows: 40))
        _ = state.update(.events(run.recording.events))
        let now = Moment(
            now: capture.endedAt.now.advanced(bySeconds: 1),
            wall: capture.endedAt.wall.addingTimeInterval(1)
        )
        let grid = state.screen(120, 40, now)
        #expect(grid.text.contains("race"))
        for words in ["renews at", "asked by you"] {
            #expect(!grid.text.contains(words), "\(words)")
        }
    }

    /// The race of one app, and two requests of another in a session of its own.
    private static func twoApps() -> (DashboardState, now: Moment) {
        var first = race()
        for (index, event) in first.events.enumerated() {
            guard var record = event.kind as? Exchange else { continue }
            record.client = ObservedClient(peer: "127.0.0.1", userAgent: "okhttp/4.12 Android")
            first.events[index].kind = record
        }
        var second = EventScript()
        second.id = SessionID("2")
        second.client = ObservedClient(peer: "127.0.0.1", userAgent: "curl/8.4")
        second.requests = first.requests
        second.wait(until: 12.5)
        second.add(ObservedStatus.joined)
        second.request(.protected, "GET", "/me", status: 200, generation: 1)
        second.wait(until: 13)
        second.request(.protected, "GET", "/me", status: 500, generation: 1)
        var state = shown(first)
        _ = state.update(.events(second.events))
        return (state, first.now)
    }

    @Test("a session that is forgotten leaves the screen, which says so and shows another one")
    func forgotten() {
        var (state, now) = Self.twoApps()
        var last = EventScript()
        last.id = state.selected.id
        last.wait(until: 15)
        let forgotten = ForgottenSession(limit: 2, lastUsedAt: now.now, hasEnded: false)
        last.add(forgotten)
        _ = state.update(.events(last.events))
        #expect(!state.sessions.contains { $0.id == last.id })
        #expect(state.selected.id != last.id)
        #expect(state.screen(120, 40, last.now).text.contains("more than 2 sessions"))
    }

    @Test(
        "what passed unread is said at the top, whatever session is shown, and in a replay",
        arguments: sizes
    )
    func unread(columns: Int, rows: Int) {
        var (state, now) = Self.twoApps()
        var replay = Self.state(proxy: nil)
        _ = replay.update(.events(Self.race().events))
        var untold = EventScript()
        untold.id = SessionID("0")
        untold.wait(until: 13)
        untold.add(Omission(.requests, count: 1_204))
        for id in state.sessions.map(\.id) {
            #expect(!state.screen(columns, rows, now).text.contains("⚠ incomplete"), "\(id)")
        }
        _ = state.update(.events(untold.events))
        _ = replay.update(.events(untold.events))
        let full = "⚠ missing: 1 204 requests"
        for _ in state.sessions {
            state.press("]")
            let row = state.screen(columns, rows, now).text
            #expect(row.contains(columns < 80 ? "⚠ incomplete" : full), "\(row)")
        }
        #expect(replay.screen(columns, rows, now).text.contains("⚠ incomplete"))
    }

    @Test("events of any session that came too fast are counted at the top")
    func tooFast() {
        var (state, now) = Self.twoApps()
        var script = EventScript()
        script.id = SessionID("1")
        script.wait(until: 13)
        script.add(EventsDropped(count: 5))
        _ = state.update(.events(script.events))
        state.press("]")
        #expect(state.screen(120, 40, now).text.contains("⚠ missing: 5 events"))
    }

    @Test("a request that was refused is said with what would let it in", arguments: sizes)
    func misdirected(columns: Int, rows: Int) throws {
        var state = Self.state()
        var script = EventScript()
        script.id = SessionID("0")
        let request = MisdirectedRequest(
            host: "shop.test",
            isURL: false,
            isAllowable: true,
            count: 2
        )
        script.add(request)
        _ = state.update(.events(script.events))
        state.press(.escape)
        try expectScreen(
            state.screen(columns, rows, script.now),
            named: "proxy-misdirected-\(columns)x\(rows)"
        )
    }

    @Test(
        "what a client speaks that is not read is said where the app is waited for, and in the header",
        arguments: [
            (Omission.Subject.http2, "2 connections spoke HTTP/2", "2 HTTP/2 connections"),
            (.brokenHTTP2, "2 HTTP/2 connections ended", "2 broken HTTP/2 connections"),
            (.tls, "2 connections began with TLS on a port of plain HTTP", "2 TLS connections"),
            (.clearText, "2 connections began without TLS", "2 connections without TLS"),
            (.untrusted, "2 clients refused the proxy's certificate", "2 clients (certificate)"),
            (.handshakes, "2 TLS handshakes failed", "2 TLS handshakes"),
            (.socks, "2 connections spoke SOCKS", "2 SOCKS connections"),
            (.refusedTunnels, "2 tunnels to this machine", "2 refused tunnels"),
            (.bound, "2 messages bound to the address of the proxy", "2 bound messages"),
            (.mutualTLS, "2 requests refused by a backend that wants", "2 requests (mutual TLS)"),
            (.malformed, "2 malformed requests refused", "2 malformed requests"),
            (.slow, "2 connections closed: a request had begun", "2 slow connections"),
            (.resetStreams, "2 HTTP/2 streams reset by the app", "2 reset streams"),
        ]
    )
    func unreadable(subject: Omission.Subject, sentence: String, mark: String) {
        var script = EventScript()
        script.id = SessionID("0")
        script.add(Omission(subject, count: 2))
        var state = Self.shown(script)
        let text = state.screen(120, 40, script.now).text
        #expect(text.contains("⚠ \(sentence)"), "\(text)")
        #expect(text.contains("⚠ missing: \(mark)"), "\(text)")
    }

    @Test("a finding of a request that is not answered yet is shown with its evidence")
    func earlyFinding() {
        var script = EventScript()
        script.id = SessionID("0")
        script.add(Self.finding(at: script.now))
        var state = Self.shown(script)
        #expect(!state.screen(120, 40, script.now).text.contains("waiting for the app's first"))
        state.press(.character("7"), .enter)
        let detail = state.screen(120, 40, script.now).text
        #expect(detail.contains("the second refresh, answered 401"), "\(detail)")
    }

    @Test("the newest finding of a session without requests leaves the selected one in sight")
    func newestFindingOfNone() {
        var script = Self.race()
        script.id = SessionID("0")
        script.add(Self.finding(number: 2, at: script.now))
        var state = Self.shown(script)
        state.press(.character("f"))
        let text = state.screen(120, 40, script.now).text
        #expect(text.contains("● live"), "\(text)")
    }

    @Test("a frame looks at the sessions that it shows, and at those of which something was heard")
    func urgency() {
        var state = Self.state()
        var now = EventScript.start
        for number in 1...300 {
            var script = Self.race()
            script.id = SessionID("\(number)")
            script.events = script.events.map { event in
                var event = event
                event.session = script.id
                return event
            }
            _ = state.update(.events(script.events))
            now = script.now
        }
        var scenes = 0
        let strip = SessionStrip(state.sessions, selected: state.selected.id) { session in
            scenes += 1
            return state.viewModel(of: session, at: now)
        }
        #expect(strip.line(columns: 120, keys: .standard).text.contains("+29"))
        #expect(scenes < 20, "\(scenes)")
        #expect(strip.ids.count == 301)
    }

    @Test("the table says how many older sessions have made room for others")
    func olderSessions() {
        var (state, now) = Self.twoApps()
        state.press("8")
        #expect(!state.screen(120, 40, now).text.contains("forgotten"))
        var script = EventScript()
        for number in 100..<103 {
            script.id = SessionID("\(number)")
            script.add(ObservedStatus.joined)
            script.add(ForgottenSession(limit: 1_024, lastUsedAt: now.now, hasEnded: false))
        }
        _ = state.update(.events(script.events))
        state.press("j")
        let text = state.screen(120, 40, now).text
        #expect(text.contains("3 older sessions forgotten"), "\(text)")
    }

    @Test("a session that gets worse goes to the front of the strip")
    func worse() {
        var (state, now) = Self.twoApps()
        #expect(state.strip(at: now).ids.last == SessionID("1"))
        var script = EventScript()
        script.id = SessionID("1")
        script.wait(until: 13.5)
        script.add(ObservedStatus.refused(exchange: 5))
        _ = state.update(.events(script.events))
        #expect(state.strip(at: now).ids.first == SessionID("1"))
    }

    @Test("A lists the requests of all sessions with the names of these", arguments: sizes)
    func allSessions(columns: Int, rows: Int) throws {
        var (state, now) = Self.twoApps()
        _ = state.update(.resized(columns: columns, rows: rows))
        state.press("A")
        try expectScreen(
            state.screen(columns, rows, now),
            named: "proxy-all-sessions-\(columns)x\(rows)"
        )
        state.press("A")
        #expect(!state.screen(columns, rows, now).text.contains("all sessions"))
    }

    @Test(
        "requests of all sessions by their session, their app, and what was found in them",
        arguments: [
            ("", [1, 2, 3, 4, 5]), ("session:2", [4, 5]), ("client:okhttp", [1, 2, 3]),
            ("rule:race", [2, 3]), ("!rule:race status:200", [1, 4]), ("client:Safari", []),
        ]
    )
    func filtered(filter: String, expected: [Int]) {
        var (state, now) = Self.twoApps()
        state.press("A", "/")
        for character in filter { state.press(.character(character)) }
        state.press(.enter)
        let viewModel = state.viewModel(at: now)
        let numbers = RequestsPane.window(viewModel, rows: 40).visible.map(\.number)
        #expect(numbers.sorted() == expected)
    }

    @Test("what a request repeats is said once", arguments: [120, 80])
    func repetition(columns: Int) {
        var script = Self.race()
        script.request(status: 503, why: .observed(.unknown))
        script.request(why: .observed(.retry(of: 4)), retryOf: 4)
        var state = Self.shown(script)
        let text = state.screen(columns, 40, script.now).text
        #expect(text.components(separatedBy: "repeats #4").count == 2)
    }

    @Test("Enter opens a request of another session with what is known of it there")
    func detailOfAnotherSession() {
        var (state, now) = Self.twoApps()
        state.press("A", .enter)
        let text = state.screen(120, 40, now).text
        #expect(text.contains("Request #5"))
        #expect(text.contains("GET /me"))
        #expect(state.selected.id == SessionID("1"))
    }

    @Test("the program's own sessions number their requests apart, and are not listed together")
    func ownRequests() {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        #expect(state.book.requests.isEmpty)
        state.press("A")
        #expect(
            state.notice?.message
                == "the sessions of an app are listed together, in authtop proxy"
        )
    }

    @Test("a finding names the app's trace that the refused request belongs to")
    func trace() {
        var script = Self.race()
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
        script.events = script.events.map { event in
            guard var exchange = event.kind as? Exchange else { return event }
            var event = event
            exchange.trace = TraceContext(parsing: "00-\(trace)-00f067aa0ba902b7-01")
            event.kind = exchange
            return event
        }
        var state = Self.shown(script)
        guard case .copy(let copied)? = state.update(.key("y")).first else {
            Issue.record("nothing was copied")
            return
        }
        let line = "Trace: #3: this 401 belongs to your trace \(trace)"
        #expect(copied.text.split(separator: "\n").contains { $0 == line }, "\(copied.text)")
    }

    @Test("y copies a finding as Markdown")
    func copy() throws {
        let script = Self.race()
        var state = Self.shown(script)
        let commands = state.update(.key("y"))
        guard case .copy(let copied)? = commands.first else {
            Issue.record("nothing was copied: \(commands)")
            return
        }
        #expect(copied.name == "finding 1 as Markdown")
        let lines = copied.text.split(separator: "\n").map(String.init)
        #expect(lines.first?.hasPrefix("### race: 2 refreshes with one refresh token") ?? false)
        #expect(lines.contains("One refresh at a time for all callers."))
        let evidence = lines.filter { $0.hasPrefix("- ") }
        #expect(evidence.map { $0.contains("first refresh") } == [true, false, false])
    }

    @Test(
        "keys that act on a session say that it is the app's",
        arguments: ["r", "p", "l", "L", "o", "S", "u", "P", "X", " "] as [Key]
    )
    func actions(key: Key) {
        var state = Self.shown(Self.race())
        #expect(state.update(.key(key)).isEmpty)
        #expect(
            state.notice?.message
                == "this session is the app's: authtop cannot do that here; E has experiments"
        )
    }

    @Test("a screen of the program's own sessions has no findings")
    func own() {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        state.press("7")
        #expect(state.focus == PaneCatalogue.first)
        #expect(
            state.notice?.message
                == "findings are of an app whose traffic goes through authtop proxy"
        )
        #expect(!state.screen(120, 40, script.now).text.contains("Findings"))
    }

    @Test("the newest live session is shown until the user chooses one")
    func selection() {
        var state = Self.shown(Self.race())
        #expect(state.selected.id == SessionID("1"))
        var second = EventScript()
        second.id = SessionID("2")
        second.add(ObservedStatus.live(until: nil))
        _ = state.update(.events(second.events))
        #expect(state.selected.id == SessionID("1"))
        var end = EventScript()
        end.id = SessionID("1")
        end.add(ObservedStatus.ended(.logout))
        second.add(ObservedStatus.expired)
        _ = state.update(.events(end.events + second.events.suffix(1)))
        #expect(state.selected.id == SessionID("2"))
        state.press("]")
        let chosen = state.selected.id
        _ = state.update(.events(second.events))
        #expect(state.selected.id == chosen)
    }
}
