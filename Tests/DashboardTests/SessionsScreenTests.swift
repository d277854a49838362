import Dashboard
import Dialects
import Lifecycle
import Testing

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

    private static func story(_ news: SessionsNews?, ends: Bool = true) -> Story {
        var story = Story()
        story.capabilities(dialect: "melchat", listsSessions: true, endsSessions: ends)
        story.wait(until: 44)
        story.logIn()
        story.wait(until: 54)
        if let news { story.add(.sessions(news)) }
        return story
    }

    @Test("with names, times, and which one this is", arguments: [(120, 40), (60, 16)])
    func list(columns: Int, rows: Int) throws {
        let story = Self.story(.listed(Self.sessions))
        var state = DashboardState(story)
        #expect(state.update(.key("S")) == [.listSessions])
        state.press("j")
        try expectScreen(
            state.screen(columns, rows, story.now),
            named: "sessions-\(columns)x\(rows)"
        )
    }

    @Test(
        "what there is to say in place of a list",
        arguments: [
            (nil, "asking the backend …"), (.listed([]), "the backend lists none"),
            (
                .failed(words: "no list: the backend answered 503"),
                "⚠ no list: the backend answered"
            ),
        ] as [(SessionsNews?, String)]
    )
    func nothing(news: SessionsNews?, words: String) {
        let story = Self.story(news)
        var state = DashboardState(story)
        state.press("S")
        #expect(state.screen(80, 24, story.now).text.contains(words))
    }

    @Test("ending one is asked first, and goes back to the list")
    func end() throws {
        let story = Self.story(.listed(Self.sessions))
        var state = DashboardState(story)
        state.press("S", "j", "x")
        try expectScreen(state.screen(80, 24, story.now), named: "sessions-question")
        #expect(state.update(.key("n")).isEmpty)
        #expect(state.box?.box == .sessions(selected: 1))
        state.press("k", .delete)
        #expect(state.update(.key("y")) == [.endSession("f3a1")])
        #expect(state.box?.box == .sessions(selected: 0))
    }

    @Test("one that has ended is gone from the list, and the cursor stays in it")
    func ended() {
        var story = Self.story(.listed(Self.sessions))
        story.add(.sessions(.ended("f3a1")))
        var state = DashboardState(story)
        state.press("S", "G")
        #expect(state.box?.box == .sessions(selected: 1))
        #expect(!state.screen(80, 24, story.now).text.contains("iPhone"))
    }

    @Test("what cannot be done says so")
    func obstacles() {
        var state = DashboardState(Self.story(.listed(Self.sessions), ends: false))
        state.press("S", "x")
        #expect(state.notice?.words == "melchat has no way to end a single session")
        state = DashboardState(Self.story(.listed(Self.sessions)))
        state.press("S", "G", "x")
        #expect(state.notice?.words.hasPrefix("its id holds what cannot be sent back") == true)
        state = DashboardState(.ordinary())
        #expect(state.update(.key("S")).isEmpty)
        #expect(state.notice?.words == "bitbasel has no list of active sessions")
    }

    @Test("the cursor is never out of sight in a long list", arguments: [(80, 24), (60, 16)])
    func long(columns: Int, rows: Int) {
        let many = (1...200).map { ListedSession(id: "s\($0)") }
        let story = Self.story(.listed(many))
        var state = DashboardState(story)
        _ = state.update(.resized(columns: columns, rows: rows))
        state.press("S")
        for move: Key in [.end, "k", .pageUp, "k", "k", .home, .pageDown, "j", .control("d")] {
            state.press(move)
            let text = state.screen(columns, rows, story.now).text
            #expect(text.contains("▸ s"), "after \(move)")
        }
    }

    @Test("are forgotten with the session")
    func forgotten() {
        var story = Self.story(.listed(Self.sessions))
        story.add(.signedOut(.user))
        #expect(SessionSnapshot(folding: story.events).activeSessions.list == nil)
        story.enter(.signedOut(.user))
        var state = DashboardState(Self.story(.listed(Self.sessions)))
        state.press("S")
        _ = state.update(.events(Array(story.events.suffix(2))))
        #expect(state.screen(80, 24, story.now).text.contains("signed out: nobody's sessions"))
    }
}
