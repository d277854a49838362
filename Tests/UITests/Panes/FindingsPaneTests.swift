import Basics
import FoundationEssentials
import Testing

@testable import Model
@testable import UI

@Suite("The findings' pane")
struct FindingsPaneTests {
    private static let message =
        "2 refreshes with one refresh token, 0 ms apart, by the same client, its tabs or its workers: "
        + "#5 answered 200, #6 answered 401"

    private static func finding(
        _ number: Int,
        _ rule: String,
        _ severity: ObservedFinding.Severity = .bug,
        _ confidence: ObservedFinding.Confidence = .certain,
        at seconds: Double,
        experiment: String? = nil
    ) -> ObservedFinding {
        let at = Moment(
            now: .origin.advanced(bySeconds: seconds),
            wall: EventScript.start.wall.addingTimeInterval(seconds)
        )
        return ObservedFinding(
            number: number,
            rule: rule,
            severity: severity,
            confidence: confidence,
            evidence: [FindingEvidence(.exchange(number), "a request")],
            message: message,
            remedy: "One refresh at a time for all callers.",
            firstAt: at,
            lastAt: at,
            count: number == 1 ? 12 : 1,
            experiment: experiment
        )
    }

    /// In the order in which they come; the second session is in trouble last.
    private static func script() -> EventScript {
        var script = EventScript()
        script.id = SessionID("1")
        script.observedCapabilities()
        script.logIn()
        script.add(ObservedStatus.live(until: script.instant(20)))
        script.add(finding(1, "no-store", .note, at: 1))
        script.add(finding(2, "race", at: 2))
        script.add(finding(3, "loop-401", at: 3))
        script.add(finding(4, "login-storm", .risk, at: 4))
        script.add(finding(5, "stale-token", .bug, .likely, at: 5))
        script.add(finding(6, "no-refresh", at: 6, experiment: "expire"))
        script.id = SessionID("2")
        script.add(finding(7, "spent-refresh", at: 7))
        script.add(finding(8, "dead-refresh-loop", at: 8))
        return script
    }

    private static func state(_ script: EventScript) -> DashboardState {
        var state = DashboardState(
            sessions: [DashboardSession(id: SessionID("0")), DashboardSession(id: SessionID("1"))]
        )
        _ = state.update(.events(script.events))
        state.press("7", "z")
        return state
    }

    @Test("has the worst first, and of one session's the earliest: the root")
    func order() throws {
        let script = Self.script()
        var state = Self.state(script)
        let text = state.screen(120, 40, script.now).text
        let rules = [
            "spent-refresh", "dead-refresh-loop", "race", "loop-401", "stale-token", "no-refresh",
            "login-storm", "no-store",
        ]
        let places = try rules.map { rule in
            try #require(text.firstRange(of: " \(rule) "), "\(text)").lowerBound
        }
        #expect(places == places.sorted(), "\(text)")
    }

    @Test(
        "has two lines for each below its headings, and as much of its message as they take",
        arguments: [(120, "#6 answered 401"), (100, "#6 answered 401"), (80, "#5 answered 200")]
    )
    func lines(columns: Int, end: String) {
        let script = Self.script()
        var state = Self.state(script)
        let text = state.screen(columns, 40, script.now).text
        #expect(text.contains("finding"))
        #expect(text.contains("what happened"))
        let words = text.replacing(/[│\s]+/, with: " ")
        #expect(words.matches(of: /2 refreshes/).count == 8, "\(text)")
        #expect(words.ranges(of: end).count == 8, "\(text)")
    }

    @Test(
        "has every message go on in one column, its own where there is room",
        arguments: [(120, false), (120, true), (100, true), (80, true)]
    )
    func aligned(columns: Int, isLong: Bool) throws {
        var script = EventScript()
        script.id = SessionID("1")
        script.observedCapabilities()
        script.logIn()
        for number in 1...5 { script.add(Self.finding(number, "race", at: Double(number))) }
        var last = Self.finding(6, "lost-answer", at: 6)
        if isLong { last.message = "it begins, \(String(repeating: "and goes on ", count: 30))" }
        script.add(last)
        var state = Self.state(script)
        let text = state.screen(columns, 40, script.now).text
        let lines = text.split(separator: "\n").map(Array.init)
        func column(of words: String, in line: [Character]) -> Int? {
            line.indices.first { line[$0...].starts(with: words) }
        }
        let start = try #require(lines.compactMap { column(of: "what happened", in: $0) }.first)
        let rows = lines.enumerated().filter { column(of: "│ ✗", in: $0.element) == 0 }
        #expect(rows.count == 6, "\(text)")
        for (place, row) in rows {
            #expect(row[start] != " " && row[start - 1] == " ", "\(text)")
            let next = lines[place + 1].dropFirst().prefix { $0 == " " }.count + 1
            #expect(next == (columns < 120 ? 5 : start), "\(text)")
        }
        #expect(text.contains(" last ") == (columns == 120 && !isLong))
    }

    @Test("cuts no message where a few have the screen to themselves", arguments: [1, 2, 4])
    func few(count: Int) {
        var script = EventScript()
        script.id = SessionID("1")
        script.observedCapabilities()
        script.logIn()
        for number in 1...count { script.add(Self.finding(number, "race", at: Double(number))) }
        var state = Self.state(script)
        let text = state.screen(60, 16, script.now).text
        #expect(text.ranges(of: "401").count == (count > 3 ? 0 : count), "\(text)")
    }

    @Test("has the first line of the next one where there is room for no more", arguments: 16...20)
    func begun(rows: Int) throws {
        let script = Self.script()
        var state = Self.state(script)
        let text = state.screen(80, rows, script.now).text
        let lines = text.split(separator: "\n")
        let border = try #require(lines.firstIndex { $0.hasPrefix("╰") }, "\(text)")
        #expect(lines[border - 1].contains(/\w/), "\(text)")
    }

    @Test("says no more than that no rule has fired")
    func none() {
        var script = EventScript()
        script.id = SessionID("1")
        script.observedCapabilities()
        script.logIn()
        script.add(ObservedStatus.live(until: script.instant(20)))
        var state = DashboardState(sessions: [DashboardSession(id: SessionID("1"))])
        _ = state.update(.events(script.events))
        let text = state.screen(120, 40, script.now).text
        #expect(text.contains("no rule has fired"))
        #expect(!text.contains("in order"))
    }

    @Test("moves by findings, and a click on either line selects one")
    func moves() {
        let script = Self.script()
        var state = Self.state(script)
        _ = state.screen(120, 40, script.now)
        state.press("j", "j")
        let list = FindingsPane.window(state.presentViewModel, rows: 30)
        #expect(list.selected?.finding.rule == "dead-refresh-loop")
        let position = FindingsPane.position(ofRow: 6, state.presentViewModel, rows: 30)
        #expect(position == .held(number: 2, row: 2))
        #expect(FindingsPane.cursor(state.presentViewModel, rows: 30) == 3)
    }
}
