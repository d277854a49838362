import Model
import Testing
import UI

@Suite("Update: foreground and background")
struct BackgroundTests {
    @Test("in the foreground again the clocks are looked at; in the background nothing happens")
    func usual() {
        var state = DashboardState(.ordinary())
        #expect(state.update(.background(true)).isEmpty)
        #expect(state.update(.background(false)) == [.checkClocks])
    }

    @Test("where the profile says so, the background pauses and the foreground resumes")
    func pauses() {
        var state = Self.pausing(.ordinary())
        #expect(state.update(.background(true)) == [.setPaused(.timer, by: .background)])
        #expect(
            state.update(.background(false))
                == [.checkClocks, .setPaused(nil, by: .background)]
        )
    }

    @Test("a key shows that the terminal is in the foreground")
    func key() {
        var state = Self.pausing(.ordinary())
        _ = state.update(.background(true))
        #expect(
            state.update(.key("r"))
                == [.checkClocks, .setPaused(nil, by: .background), .renewNow]
        )
        #expect(state.update(.key("r")) == [.renewNow])
    }

    @Test("Space is the user's own pause, independent of others")
    func space() {
        var script = EventScript.ordinary()
        script.add(RenewalPaused(.timer, by: .background))
        var state = Self.pausing(script)
        #expect(state.update(.key(" ")) == [.setPaused(.timer)])
        script.add(RenewalPaused(.timer, by: .user))
        state = Self.pausing(script)
        #expect(state.update(.key(" ")) == [.setPaused(.all)])
        script.add(RenewalPaused(.all, by: .user))
        state = Self.pausing(script)
        #expect(state.update(.key(" ")) == [.setPaused(nil)])
    }

    @Test("the screen says who paused", arguments: [(120, 40), (80, 24), (60, 16)])
    func screen(columns: Int, rows: Int) throws {
        var script = EventScript.ordinary()
        script.add(RenewalPaused(.timer, by: .background))
        var state = Self.pausing(script)
        let grid = state.screen(columns, rows, script.now)
        #expect(grid.text.contains("paused: terminal in the background"))
        if columns == 80 { try expectScreen(grid, named: "paused-in-background") }
        script.add(RenewalPaused(.timer, by: .user))
        state = Self.pausing(script)
        #expect(state.screen(columns, rows, script.now).text.contains("paused: renews only on r"))
    }

    private static func pausing(_ script: EventScript) -> DashboardState {
        DashboardState(
            script,
            session: DashboardSession(id: EventScript.session, pausesInBackground: true)
        )
    }
}
