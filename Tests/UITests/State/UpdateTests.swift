import Basics
import Profiles
import Testing

@testable import Model
@testable import UI

@Suite("Update: keys and commands")
struct UpdateTests {
    @Test(
        "a key sends its command",
        arguments: [
            ("r", .renewNow), ("p", .sendRequest), (" ", .setPaused(.timer)),
            (.control("l"), .redraw), (.control("r"), .redraw), (.control("z"), .suspend),
            (.control("c"), .quitAtOnce),
            ("q", .quit), ("t", .redraw), ("v", .editProfile(of: EventScript.session)),
        ] as [(Key, DashboardCommand)]
    )
    func commands(key: Key, command: DashboardCommand) {
        var state = DashboardState(.ordinary())
        #expect(state.update(.key(key)) == [command])
    }

    @Test(
        "the help is where other programs have it, too",
        arguments: ["?", "h", .function(1)] as [Key]
    )
    func help(key: Key) {
        var state = DashboardState(.ordinary())
        state.press(key)
        #expect(state.overlay?.content == .help)
        state.press(key)
        #expect(state.overlay == nil)
    }

    @Test(
        "a pasted text does nothing where no text is written",
        arguments: [[], ["?"], ["i"]] as [[Key]]
    )
    func pasted(keys: [Key]) {
        var state = DashboardState(.ordinary())
        for key in keys { state.press(key) }
        #expect(state.update(.pasted("lLqr y")).isEmpty)
        #expect(state.notice?.message == "pasted text is not read as keys")
    }

    @Test("l asks before it ends a session, on the sandbox too", arguments: [true, false])
    func logOut(isSandbox: Bool) {
        var script = EventScript.ordinary()
        script.add(
            Exchange(
                id: 100,
                purpose: .protected,
                method: "GET",
                target: "/",
                result: .answered(status: 200),
                seconds: 0.01,
                generation: 1,
                why: .user,
                claimsSandbox: isSandbox
            )
        )
        let session = DashboardSession(id: EventScript.session, isLocal: isSandbox)
        for (answer, commands) in [("n", []), ("y", [DashboardCommand.logOut(.this)])] {
            var state = DashboardState(script, session: session)
            #expect(state.update(.key("l")).isEmpty)
            #expect(state.overlay?.content == .question(.logOut))
            #expect(state.update(.key(.character(Character(answer)))) == commands)
            #expect(state.overlay == nil)
        }
    }

    @Test("the same key pauses the timers, then all renewal, and then resumes")
    func pause() {
        var script = EventScript.paused()
        var state = DashboardState(script)
        #expect(state.update(.key(" ")) == [.setPaused(.all)])
        script.add(RenewalPaused(.all, by: .user))
        state = DashboardState(script)
        #expect(state.update(.key(" ")) == [.setPaused(nil)])
    }

    @Test("the key continues from its last command, before an event has confirmed it")
    func pauseTwice() {
        var state = DashboardState(.ordinary())
        let asked = (0..<4).map { _ in state.update(.key(" ")) }
        #expect(
            asked == [
                [.setPaused(.timer)], [.setPaused(.all)], [.setPaused(nil)], [.setPaused(.timer)],
            ]
        )
        var script = EventScript.ordinary()
        script.add(RenewalPaused(.timer, by: .user))
        for event in script.events.suffix(1) { _ = state.update(.event(event)) }
        #expect(state.update(.key(" ")) == [.setPaused(.all)])
    }

    @Test(
        "an impossible command is not sent, and the reason is shown",
        arguments: [
            ("r", EventScript.ended(.user), "nothing to renew: not logged in"),
            ("p", .ended(.user), "no access token to send: not logged in"),
            ("l", .ended(.user), "not logged in"),
            ("o", .ordinary(), "already logged in: log out first with l"),
            ("o", .signingIn(), "already logging in"),
            ("L", .ordinary(), "log out everywhere is not offered by bitbasel"),
            ("u", .ordinary(), "the vault can be read and written: nothing to do"),
        ] as [(Key, EventScript, String)]
    )
    func obstacles(key: Key, script: EventScript, message: String) {
        var state = DashboardState(script)
        #expect(state.update(.key(key)).isEmpty)
        #expect(state.notice?.message == message)
        state.press("x")
        #expect(state.notice == nil)
    }

    @Test(
        "log in is offered where it helps",
        arguments: [EventScript.ended(.revoked), .draining()]
    )
    func logIn(script: EventScript) {
        var state = DashboardState(script)
        #expect(state.update(.key("o")) == [.logIn])
    }

    @Test(
        "the vault is tried again where it refused",
        arguments: [EventScript.vaultLocked(), .troubled()]
    )
    func tryVault(script: EventScript) {
        var state = DashboardState(script)
        #expect(state.update(.key("u")) == [.tryVault])
    }

    @Test("logging out everywhere is asked first")
    func question() {
        var state = DashboardState(.thirtyDays())
        #expect(state.update(.key("L")).isEmpty)
        #expect(state.mode == .question)
        #expect(state.update(.key("r")).isEmpty)
        #expect(state.update(.key("n")).isEmpty)
        #expect(state.mode == .panes)
        state.press("L")
        #expect(state.update(.key("y")) == [.logOut(.everywhere)])
        #expect(state.mode == .panes)
    }

    @Test("q goes back before it quits")
    func back() {
        var state = DashboardState(.ordinary())
        state.press("?")
        #expect(state.update(.key("q")).isEmpty)
        #expect(state.overlay == nil)
        #expect(state.update(.key("q")) == [.quit])
    }

    @Test("the panes go round")
    func panes() {
        var state = DashboardState(.ordinary())
        #expect(state.focus == PaneCatalogue.first)
        state.press(.tab, .tab, .tab)
        #expect(state.focus == PaneID(rawValue: 1))
        state.press(.shiftTab)
        #expect(state.focus == PaneID(rawValue: 6))
        state.press("2")
        #expect(state.focus == PaneID(rawValue: 2))
    }

    @Test("a dashboard begins with the layout of another one, if it has such a pane")
    func layout() throws {
        var state = DashboardState(.ordinary())
        #expect(state.layout == nil)
        state.press("6", "z")
        let layout = try #require(state.layout)
        var next = DashboardState(.ordinary())
        next.begin(withPane: layout.pane, isZoomed: layout.isZoomed)
        #expect(next.focus == PaneID(rawValue: 6) && next.isZoomed)
        for pane in [7, 8, 0, -1, Int.max] {
            var other = DashboardState(.ordinary())
            other.begin(withPane: pane, isZoomed: true)
            #expect(other.layout == nil)
        }
    }

    @Test("the themes go round, and stay plain without color")
    func themes() {
        var state = DashboardState(.ordinary())
        state.press("t")
        #expect(state.theme == .light)
        state.press("t", "t")
        #expect(state.theme == .dark)
        let configuration = DashboardConfiguration(hasColor: false)
        var plain = DashboardState(.ordinary(), configuration: configuration)
        #expect(plain.update(.key("t")).isEmpty)
        #expect(plain.theme == .plain)
    }

    @Test("a rejected action is shown for a while")
    func actionRejected() {
        var script = EventScript.ordinary()
        script.add(ActionRejected(.renewalUnderWay))
        var state = DashboardState(script)
        #expect(state.screen(80, 24, script.now).text.contains("⚠ a renewal is in progress"))
        script.wait(8)
        #expect(!state.screen(80, 24, script.now).text.contains("a renewal is in progress"))
    }
}
