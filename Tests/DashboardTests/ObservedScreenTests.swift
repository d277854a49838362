import Dashboard
import Foundation
import Lifecycle
import Testing
import Timekeeping
import Tokens

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

    /// A session of an app that renews twice at once.
    private static func race() -> EventScript {
        var script = EventScript()
        script.id = SessionID("1")
        script.add(
            .observed(.client(ObservedClient(peer: "127.0.0.1", userAgent: "okhttp/4.12 Android")))
        )
        script.logIn()
        script.add(.observed(.standing(.live(until: script.instant(20)))))
        script.wait(until: 12)
        script.request(.refresh, "POST", "/auth/refresh", status: 200, seconds: 0.02, why: .custom)
        script.generation = 2
        script.issue(.refresh, rotated: true)
        script.request(.refresh, "POST", "/auth/refresh", status: 401, seconds: 0.02, why: .custom)
        script.add(.observed(.finding(finding(at: script.now, count: 2))))
        script.wait(until: 14)
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

    @Test("without traffic, what to type is there in place of the panes", arguments: sizes)
    func guide(columns: Int, rows: Int) throws {
        var state = Self.state()
        try expectScreen(
            state.screen(columns, rows, EventScript.start),
            named: "proxy-waiting-\(columns)x\(rows)"
        )
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

    @Test("the README's picture of a race is what the dashboard draws")
    func picture() throws {
        let script = Self.race()
        var state = Self.shown(script)
        let grid = state.screen(120, 40, script.now)
        try expectFile(
            URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../assets/pictures/race.svg"),
            is: grid.svg(theme: .dark) + "\n"
        )
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
        second.add(.observed(.standing(.live(until: nil))))
        _ = state.update(.events(second.events))
        #expect(state.selected.id == SessionID("1"))
        var end = EventScript()
        end.id = SessionID("1")
        end.add(.observed(.standing(.ended(.logout))))
        second.add(.observed(.standing(.expired)))
        _ = state.update(.events(end.events + second.events.suffix(1)))
        #expect(state.selected.id == SessionID("2"))
        state.press("]")
        let chosen = state.selected.id
        _ = state.update(.events(second.events))
        #expect(state.selected.id == chosen)
    }
}
