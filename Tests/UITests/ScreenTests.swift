import Model
import Testing
import UI

@Suite("Screens")
struct ScreenTests {
    @Test(
        "the ordinary screen at every kind of size",
        arguments: [(120, 40), (80, 24), (60, 16), (60, 30), (200, 60), (59, 16), (12, 3)]
    )
    func ordinary(columns: Int, rows: Int) throws {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        try expectScreen(
            state.screen(columns, rows, script.now),
            named: "ordinary-\(columns)x\(rows)"
        )
    }

    @Test("a screen for every state", arguments: EventScript.allStates.map(\.name))
    func states(name: String) throws {
        let script = try #require(EventScript.allStates.first { $0.name == name }).script
        var state = DashboardState(script)
        try expectScreen(state.screen(80, 24, script.now), named: "state-\(name)")
    }

    @Test(
        "a screen for every oddity",
        arguments: EventScript.oddities.map(\.name)
    )
    func oddities(name: String) throws {
        let script = try #require(EventScript.oddities.first { $0.name == name }).script
        var state = DashboardState(script)
        try expectScreen(state.screen(120, 40, script.now), named: name)
    }

    @Test("the same screen in ASCII")
    func ascii() throws {
        let script = EventScript.strangeTexts()
        var state = DashboardState(script, configuration: DashboardConfiguration(isASCII: true))
        let grid = state.screen(120, 40, script.now)
        #expect(
            grid.cells.allSatisfy {
                $0.text.utf8.count == 1 && $0.text.utf8.allSatisfy { $0 < 127 }
            }
        )
        try expectScreen(grid, named: "ascii")
    }

    @Test("a wrong screen is reported")
    func mismatchIsReported() {
        withKnownIssue {
            let grid = Grid(columns: 20, rows: 2)
            try expectScreen(grid, named: "ordinary-80x24", isUpdating: false)
        }
    }

    @Test("a screen that is not there is reported")
    func absenceIsReported() {
        withKnownIssue {
            let grid = Grid(columns: 20, rows: 2)
            try expectScreen(grid, named: "no-such-screen", isUpdating: false)
        }
    }
}
