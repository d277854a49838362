import Model
import Testing
import UI

@Suite("The end of a session by its longest life")
struct SessionEndTests {
    /// The screen of a session whose refresh token lives for five minutes.
    private static func screen(sessionLeft: Double?, after seconds: Double = 0) -> String {
        var script = EventScript()
        script.capabilities()
        script.logIn()
        script.issue(.login, accessLife: 900, sessionLeft: sessionLeft)
        script.wait(seconds)
        var state = DashboardState(script)
        return state.screen(120, 40, script.now).text
    }

    @Test("is said where the refresh token ends before it, unless it is renewed")
    func idleFirst() {
        let text = Self.screen(sessionLeft: 36_000)
        #expect(text.contains("session   10 h 00 m left, unless idle: by"), "\(text)")
        #expect(!text.contains("the session reaches its longest life"))
    }

    @Test("is warned of at the top where it comes first, in its last hour")
    func ageFirst() {
        let text = Self.screen(sessionLeft: 240)
        #expect(text.contains("session    4 m 00 s left, log in by 14:04:00"), "\(text)")
        #expect(text.contains("⚠ log in by"), "\(text)")
        #expect(text.contains("the session reaches its longest life"), "\(text)")
    }

    @Test("is no end by itself")
    func over() {
        let text = Self.screen(sessionLeft: 240, after: 250)
        #expect(text.contains("at its longest life since"), "\(text)")
        #expect(!text.contains("signed out"))
    }

    @Test("is not mentioned where no profile states it")
    func none() {
        let text = Self.screen(sessionLeft: nil)
        #expect(!text.contains("longest life") && !text.contains("unless idle"), "\(text)")
    }

    @Test("has its source in the detail of the pane, and which end comes first")
    func detail() {
        var script = EventScript()
        script.capabilities()
        script.logIn()
        script.issue(.login, accessLife: 900, sessionLeft: 240)
        var state = DashboardState(script)
        state.press("2", .enter)
        let text = state.screen(120, 60, script.now).text
        #expect(text.contains("lifetimes.session of the profile, from the login on"), "\(text)")
        #expect(text.contains("ends first"))
    }
}
