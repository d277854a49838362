import Model
import Testing

@testable import UI

@Suite("Screens: statistics")
struct StatisticsScreenTests {
    @Test("of a session in the middle of its life", arguments: [(120, 40), (60, 16)])
    func ordinary(columns: Int, rows: Int) throws {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        state.press("i")
        let grid = state.screen(columns, rows, script.now)
        try expectScreen(grid, named: "statistics-\(columns)x\(rows)")
    }

    @Test("of a session that has been without a token for a while")
    func outage() throws {
        var script = EventScript.failing { .expired($0) }
        script.wait(60)
        var state = DashboardState(script)
        state.press("i")
        try expectScreen(state.screen(80, 24, script.now), named: "statistics-outage")
        let before = state.screen(80, 24, script.now).text
        script.wait(1)
        #expect(state.screen(80, 24, script.now).text != before)
    }

    @Test("before the first session there is nothing to count, and after it everything")
    func around() {
        var none = DashboardState(.cold())
        none.press("i")
        #expect(none.screen(80, 24, EventScript.start).text.contains("no session yet"))
        let script = EventScript.ended(.revoked)
        var over = DashboardState(script)
        over.press("i")
        #expect(over.screen(80, 24, script.now).text.contains("no. 2 from 14:00:44 to 14:02:20"))
    }

    @Test("the key that opens them closes them, and Esc does")
    func closing() {
        var state = DashboardState(.ordinary())
        state.press("i")
        #expect(state.overlay?.content == .statistics)
        state.press("i")
        #expect(state.overlay == nil)
        state.press("i", .escape)
        #expect(state.overlay == nil)
    }
}
