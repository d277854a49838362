import TestSupport
import Testing

@Suite("The screen: logging out", .programs)
struct LogoutTests {
    @Test(
        "l tells a backend that has an endpoint for it, and which session where it has a place for it",
        arguments: [(.melchat, "logout"), (.intellipost, nil)] as [(Guide, String?)]
    )
    func told(guide: Guide, ended: String?) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "120s")
            let (others, _) = try await guide.logIn(at: sandbox)
            let terminal = try await bench.watchOnScreen(guide, at: sandbox.port)
            try await terminal.see("● open")
            try await terminal.press("l")
            try await terminal.see("Log out?")
            try await terminal.press("y")
            try await terminal.see("○ logged out by you")
            try await terminal.see("the request") { screen in
                screen.contains { line in
                    ["POST", "200", "log out"].allSatisfy(line.contains)
                }
            }
            let ends = try await sandbox.report().sessions(of: guide).map(\.ended)
            #expect(ends == [nil, ended])
            #expect(try await guide.ask(with: others.access, at: sandbox).status == 200)
            try await terminal.press("q")
            try await terminal.seePrompt(after: 0)
        }
    }

    @Test(
        "l says that the provider's session stays, where the profile names how to end it",
        arguments: [true, false]
    )
    func provider(isNamed: Bool) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "120s")
            let path = try bench.browserProfile(
                of: sandbox,
                deciding: "approve",
                isNamed ? "logout.end_session.request = \"GET /end-session\"" : ""
            )
            let terminal = try await bench.terminal(
                with: ["BROWSER": try bench.silentBrowser()]
            )
            try await terminal.enter("authtop watch \(path) --vault memory")
            try await terminal.see("● open")
            try await terminal.press("l")
            try await terminal.see("Log out?")
            try await terminal.press("y")
            let screen = try await terminal.see("○ logged out by you")
            let words = "the provider's own session stays open in the browser"
            if isNamed {
                try await terminal.see(words)
            } else {
                #expect(!screen.contains { $0.contains(words) })
            }
            try await terminal.press("q")
            try await terminal.seePrompt(after: 0)
        }
    }

    @Test("l without the network says that it is done here, and tells the backend once it can")
    func pending() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "120s")
            let relay = try bench.relay(to: sandbox)
            let terminal = try await bench.watchOnScreen(.melchat, at: relay.port)
            try await terminal.see("● open")
            try await relay.refuse()
            try await terminal.press("l")
            try await terminal.see("Log out?")
            try await terminal.press("y")
            try await terminal.see("○ logged out by you")
            try await terminal.see("logged out here, revocation pending")
            #expect(try await sandbox.report().counters(of: .melchat)?.logouts == 0)
            try await relay.accept()
            try await terminal.seeNo("revocation pending")
            #expect(try await sandbox.report().counters(of: .melchat)?.logouts == 1)
            try await terminal.press("q")
            try await terminal.seePrompt(after: 0)
        }
    }

    @Test("L asks first; n changes nothing, y ends every session of this user")
    func everywhere() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "120s")
            let (others, _) = try await Guide.melchat.logIn(at: sandbox)
            let terminal = try await bench.watchOnScreen(.melchat, at: sandbox.port)
            try await terminal.see("● open")
            try await terminal.press("L")
            try await terminal.see("everywhere?")
            try await terminal.press("n")
            try await terminal.seeNo("everywhere?")
            #expect(try await Guide.melchat.ask(with: others.access, at: sandbox).status == 200)
            try await terminal.press("L")
            try await terminal.see("everywhere?")
            try await terminal.press("y")
            try await terminal.see("○ logged out everywhere")
            #expect(try await Guide.melchat.ask(with: others.access, at: sandbox).status == 401)
            #expect(try await Guide.melchat.refresh(others.refresh, at: sandbox).status == 401)
            let ends = try await sandbox.report().sessions(of: .melchat).map(\.ended)
            #expect(ends == ["logoutEverywhere", "logoutEverywhere"])
        }
    }

    @Test("a session that ends elsewhere says so on the screen, and o begins another")
    func endedElsewhere() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "120s")
            let relay = try bench.relay(to: sandbox)
            let terminal = try await bench.watchOnScreen(.intellipost, at: relay.port)
            try await terminal.see("● open")
            let answer = try #require(relay.answers.last { $0["refresh_token"] != nil })
            let token = try #require(answer["refresh_token"]?.text)
            let body = #"{"refresh_token": "\#(token)"}"#
            _ = try await Guide.intellipost.post("/api/auth/logout", body, to: sandbox)
            try await terminal.see(
                "○ signed out: the backend refused the refresh token",
                "refused: \"Invalid refresh token\""
            )
            try await terminal.press("o")
            try await terminal.see("● fresh")
            try await terminal.see("session  no. 2")
        }
    }
}
