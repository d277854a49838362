import Model
import Testing

@testable import UI

@Suite("Keys: the user's own, in texts")
struct OwnKeyTests {
    private static func state(
        _ script: EventScript,
        _ key: Key,
        for name: String
    ) throws -> DashboardState {
        var keys = KeyMap.standard
        try keys.set([key], for: name)
        return DashboardState(script, configuration: DashboardConfiguration(keys: keys))
    }

    @Test(
        "the header names the user's own key",
        arguments: [
            (EventScript.ended(.never), "log_in", "no session yet · press ! to log in"),
            (.ended(.user), "log_in", "logged out by you · press ! to log in"),
            (.draining(), "log_in", "log in again with !"),
            (.paused(), "renew", "renews only on ! or a 401"),
            (.vaultLocked(), "try_vault", "read again soon, or now with !"),
        ] as [(EventScript, String, String)]
    )
    func header(script: EventScript, name: String, text: String) throws {
        var state = try Self.state(script, "!", for: name)
        let rows = state.screen(160, 40, script.now).text.split(separator: "\n")
        #expect(rows[1].contains(text), "\(rows[1])")
    }

    @Test("so do the advice after the end of a session, and the words of a stopped feed")
    func panes() throws {
        let ended = EventScript.ended(.user)
        var state = try Self.state(ended, .control("o"), for: "log_in")
        let advice = state.screen(160, 40, ended.now).text
        #expect(advice.contains("advice   press Ctrl-O to log in"))
        var stopped = EventScript.ordinary()
        stopped.add(FeedStateChanged(.stopped(why: .upgradeRefused(status: 404))))
        let viewModel = try Self.state(stopped, "!", for: "renew").viewModel(at: stopped.now)
        #expect(FeedSummary(of: viewModel).parts.last == "! dials again")
    }

    @Test("so does everything once the configuration was edited, and the old key means nothing")
    func edited() throws {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        var keys = KeyMap.standard
        try keys.set(["!"], for: "renew")
        #expect(state.update(.configured(DashboardConfiguration(keys: keys))).isEmpty)
        #expect(state.screen(120, 40, script.now).text.contains("! renew"))
        #expect(state.update(.key("r")).isEmpty)
        #expect(state.update(.key("!")) == [.renewNow])
    }

    @Test("an edited theme is shown at once; one that was chosen by a key stays if it is the same")
    func editedTheme() {
        var state = DashboardState(.ordinary())
        _ = state.update(.key("t"))
        #expect(state.theme == .light)
        #expect(state.update(.configured(DashboardConfiguration(isASCII: true))).isEmpty)
        #expect(state.theme == .light)
        let light = DashboardConfiguration(theme: .light)
        #expect(state.update(.configured(light)) == [.redraw])
        #expect(state.update(.configured(DashboardConfiguration())) == [.redraw])
        #expect(state.theme == .dark)
    }

    @Test("a light ground has the light theme, unless one was named or chosen")
    func ground() {
        var state = DashboardState(
            .ordinary(),
            configuration: DashboardConfiguration(followsGround: true)
        )
        #expect(state.update(.ground(.dark)).isEmpty)
        #expect(state.update(.ground(.light)) == [.redraw])
        #expect(state.theme == .light)
        let edited = DashboardConfiguration(followsGround: true, isASCII: true)
        #expect(state.update(.configured(edited)).isEmpty)
        #expect(state.theme == .light)
        var named = DashboardState(.ordinary())
        #expect(named.update(.ground(.light)).isEmpty)
        var chosen = DashboardState(
            .ordinary(),
            configuration: DashboardConfiguration(followsGround: true)
        )
        chosen.press("t", "t")
        #expect(chosen.update(.ground(.light)).isEmpty)
        #expect(chosen.theme == .plain)
        let colorless = DashboardConfiguration(followsGround: true, hasColor: false)
        var plain = DashboardState(.ordinary(), configuration: colorless)
        #expect(plain.update(.ground(.light)).isEmpty)
        #expect(plain.theme == .plain)
    }

    @Test("so does a notice")
    func notice() throws {
        var state = try Self.state(.ordinary(), "!", for: "log_out")
        state.press("o")
        #expect(state.notice?.message == "already logged in: log out first with !")
    }

    @Test("the history names the user's own key, and a JSON line the usual one")
    func history() throws {
        var keys = KeyMap.standard
        try keys.set(["!"], for: "renew")
        let plan = RenewalPlan.held(.user)
        let text = HistoryText(timelessWith: keys).text(RenewalPlanned(plan))
        #expect(text == "renewal: not renewed: 401s are shown, only ! renews")
        #expect(CauseText().text(plan) == "not renewed: 401s are shown, only r renews")
    }
}
