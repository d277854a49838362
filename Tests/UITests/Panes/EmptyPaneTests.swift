import Basics
import Testing

@testable import Model
@testable import UI

@Suite("A pane that has nothing to show")
struct EmptyPaneTests {
    private static func rows(_ pane: PaneID, _ script: EventScript, of size: (Int, Int)) -> Int? {
        var state = DashboardState(script)
        _ = state.screen(size.0, size.1, script.now)
        return state.currentLayout?.placement(of: pane)?.rows
    }

    private static func session(hasFeed: Bool) -> EventScript {
        var script = EventScript()
        script.capabilities()
        script.logIn()
        if hasFeed {
            script.open()
            for _ in 0..<9 { script.message() }
        }
        for _ in 0..<9 { script.request(status: 200) }
        return script
    }

    @Test("gives its rows to those that have", arguments: [(120, 40), (80, 24)])
    func feed(columns: Int, rows: Int) throws {
        let (empty, full) = (Self.session(hasFeed: false), Self.session(hasFeed: true))
        let size = (columns, rows)
        #expect(Self.rows(FeedPane.id, empty, of: size) == 1)
        #expect(try #require(Self.rows(FeedPane.id, full, of: size)) > 1)
        let without = try #require(Self.rows(RequestsPane.id, full, of: size))
        let with = try #require(Self.rows(RequestsPane.id, empty, of: size))
        #expect(with > without)
    }

    @Test("a notice of several rows cuts no border", arguments: [(120, 40), (80, 24), (60, 16)])
    func notice(columns: Int, rows: Int) {
        let script = EventScript.ordinary()
        for overlay in ["", "?"] {
            var state = DashboardState(script)
            if !overlay.isEmpty { state.press(.character(Character(overlay))) }
            for words in [1, 20, 40, 60] {
                let message = Array(repeating: "notice", count: words).joined(separator: " ")
                _ = state.update(.notice(message, isWarning: true))
                let grid = state.screen(columns, rows, script.now)
                #expect(grid.openBorders.isEmpty, "\(grid.text)")
                #expect(grid.text.contains("⚠ notice"))
            }
        }
    }
}
