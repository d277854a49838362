import Testing

@testable import Model
@testable import Profiles
@testable import UI

@Suite("Screens: active sessions")
struct SessionsScreenTests {
    private static let sessions = [
        ListedSession(
            id: "f3a1",
            name: "iPhone 15 of Sam",
            startedAt: 1_763_133_600,
            lastUsedAt: 1_763_733_000,
            isCurrent: false
        ),
        ListedSession(
            id: "9b07",
            name: "authtop",
            startedAt: 1_763_733_644,
            lastUsedAt: 1_763_733_725,
            isCurrent: true
        ),
        ListedSession(id: "c4\u{1B}[2J", isExact: false, name: "\u{1B}]0;gone\u{07}日本語の電話です。とても長い"),
    ]

    private static func script(_ news: SessionListUpdate?, ends: Bool = true) -> EventScript {
        var script = EventScript()
        script.capabilities(dialect: "melchat", listsSessions: true, endsSessions: ends)
        script.wait(until: 44)
        script.logIn()
        script.wait(until: 54)
        if let news { script.add(news) }
        return script
    }

    @Test("with names, times, and which one this is", arguments: [(120, 40), (60, 16)])
    func list(columns: Int, rows: Int) throws {
        let script = Self.script(.listed(Self.sessions))
        var state = DashboardState(script)
        #expect(state.update(.key("S")) == [.listSessions])
        state.press("j")
        try expectScreen(
            state.screen(columns, rows, script.now),
            named: "sessions-\(columns)x\(rows)"
        )
    }

    @Test(
        "what there is to say in place of a list",
        arguments: [
            (nil, "asking the backend …"), (.listed([]), "the backend lists none"),
            (
                .failed(SessionListFailure(.list, .inconclusive(status: 503))),
                "⚠ no list: the backend answered"
            ),
        ] as [(SessionListUpdate?, String)]
    )
    func nothing(news: SessionListUpdate?, message: String) {
        let script = Self.script(news)
        var state = DashboardState(script)
        state.press("S")
        #expect(state.screen(80, 24, script.now).text.contains(message))
    }

    @Test("ending one is asked first, and goes back to the list")
    func end() throws {
        let script = Self.script(.listed(Self.sessions))
        var state = DashboardState(script)
        state.press("S", "j", "x")
        try expectScreen(state.screen(80, 24, script.now), named: "sessions-question")
        #expect(state.update(.key("n")).isEmpty)
        #expect(state.overlay?.content == .sessions(selected: 1))
        state.press("k", .delete)
        #expect(state.update(.key("y")) == [.endSession("f3a1")])
        #expect(state.overlay?.content == .sessions(selected: 0))
    }

    @Test("one that has ended is removed from the list, and the cursor stays in it")
    func ended() {
        var script = Self.script(.listed(Self.sessions))
        script.add(SessionListUpdate.ended("f3a1"))
        var state = DashboardState(script)
        state.press("S", "G")
        #expect(state.overlay?.content == .sessions(selected: 1))
        #expect(!state.screen(80, 24, script.now).text.contains("iPhone"))
    }

    @Test("what cannot be done says so")
    func obstacles() {
        var state = DashboardState(Self.script(.listed(Self.sessions), ends: false))
        state.press("S", "x")
        #expect(state.notice?.message == "melchat has no way to end a single session")
        state = DashboardState(Self.script(.listed(Self.sessions)))
        state.press("S", "G", "x")
        #expect(state.notice?.message.hasPrefix("its id holds what cannot be sent back") == true)
        state = DashboardState(.ordinary())
        #expect(state.update(.key("S")).isEmpty)
        #expect(state.notice?.message == "bitbasel has no list of active sessions")
    }

    @Test("the cursor is never out of sight in a long list", arguments: [(80, 24), (60, 16)])
    func long(columns: Int, rows: Int) {
        let many = (1...200).map { ListedSession(id: "s\($0)") }
        let script = Self.script(.listed(many))
        var state = DashboardState(script)
        _ = state.update(.resized(columns: columns, rows: rows))
        state.press("S")
        for move: Key in [.end, "k", .pageUp, "k", "k", .home, .pageDown, "j", .control("d")] {
            state.press(move)
            let text = state.screen(columns, rows, script.now).text
            #expect(text.contains("▸ s"), "after \(move)")
        }
    }

    @Test("are forgotten with the session")
    func forgotten() {
        var script = Self.script(.listed(Self.sessions))
        script.add(SignedOut(.user))
        #expect(SessionSnapshot(folding: script.events).activeSessions.list == nil)
        script.enter(.signedOut(.user))
        var state = DashboardState(Self.script(.listed(Self.sessions)))
        state.press("S")
        _ = state.update(.events(Array(script.events.suffix(2))))
        #expect(state.screen(80, 24, script.now).text.contains("signed out: no sessions to list"))
    }
}
