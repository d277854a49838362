import Testing

@Suite("The screen: keys", .programs)
struct KeyTests {
    @Test("r renews now, and the log says that the user requested it")
    func renew() async throws {
        try await withDemo { terminal in
            try await terminal.press("r")
            try await terminal.see("a renewal") { screen in
                screen.contains { $0.contains("POST /auth/refresh") && $0.contains(" you ") }
            }
            // On a busy machine, the timer may have brought another one since.
            try await terminal.see("a later generation") { screen in
                screen.prefix(2).contains {
                    $0.contains("generation ") && !$0.hasSuffix("generation 1")
                }
            }
        }
    }

    @Test("p sends the protected request, which the log shows with its generation")
    func send() async throws {
        try await withDemo { terminal in
            try await terminal.press("p")
            try await terminal.see("a request") { screen in
                screen.contains { line in
                    ["GET  /posts/feed", " 200 ", "gen 1", " you "].allSatisfy(line.contains)
                }
            }
        }
    }

    @Test("Space pauses the timer, then all renewal, and resumes")
    func pause() async throws {
        try await withDemo { terminal in
            try await terminal.press("Space")
            try await terminal.see("‖ paused")
            try await terminal.see("Space stop")
            try await terminal.press("Space")
            try await terminal.see("‖ no renewal", "Space resume")
            try await terminal.press("Space")
            try await terminal.seeNo("‖ no renewal")
            try await terminal.see("Space pause")
        }
    }

    @Test("l logs out, and o in again: another session, from generation 1")
    func logOutAndIn() async throws {
        try await withDemo { terminal in
            try await terminal.press("r")
            try await terminal.see("generation 2")
            try await terminal.press("l")
            try await terminal.see("Log out?")
            try await terminal.press("y")
            try await terminal.see("○ logged out by you")
            try await terminal.see("closed by us · 1000")
            try await terminal.press("o")
            try await terminal.see("● fresh")
            try await terminal.see("session  no. 2")
            try await terminal.see("generation 2.1")
        }
    }

    @Test("L says where it is not offered, and does nothing")
    func notOffered() async throws {
        try await withDemo { terminal in
            try await terminal.press("L")
            try await terminal.see(
                "log out everywhere is not offered by bitbasel",
                "● fresh",
                "generation 1"
            )
        }
    }

    @Test("? shows every key, and Esc closes it")
    func help() async throws {
        try await withDemo { terminal in
            try await terminal.press("?")
            try await terminal.see(
                "renew the tokens now",
                "send the protected request",
                "pause renewal"
            )
            try await terminal.press("G")
            try await terminal.see("Locked screen")
            try await terminal.press("Escape")
            try await terminal.seeNo("Locked screen")
            try await terminal.press("?")
            try await terminal.see("renew the tokens now")
            try await terminal.press("q")
            try await terminal.seeNo("renew the tokens now")
            try await terminal.see("● fresh")
        }
    }

    @Test("/ filters the list while one types; Enter keeps the filter, Esc clears it")
    func filter() async throws {
        try await withDemo { terminal in
            try await terminal.press("p")
            try await terminal.see(" you ")
            try await terminal.enter("/status:200 path:/auth")
            try await terminal.see("1 of 2", "POST /auth/apple")
            try await terminal.seeNo("GET  /posts/feed")
            try await terminal.press("Escape")
            try await terminal.see("GET  /posts/feed")
            try await terminal.seeNo("1 of 2")
        }
    }

    @Test("a filter that matches nothing hides the whole list")
    func emptyFilter() async throws {
        try await withDemo { terminal in
            try await terminal.press("/")
            try await terminal.press("s", "t", "a", "t", "u", "s", ":", "4", "0", "1")
            try await terminal.see("0 of 1")
            try await terminal.press("Escape")
            try await terminal.see("POST /auth/apple")
        }
    }

    @Test("Tab, Shift-Tab and digits move between the panes")
    func panes() async throws {
        try await withDemo { terminal in
            try await terminal.see("▸3 Requests")
            try await terminal.press("Tab")
            try await terminal.see("▸4 Feed")
            try await terminal.press("BTab", "BTab")
            try await terminal.see("▸5 Lifeline")
            try await terminal.press("BTab")
            try await terminal.see("▸2 Expiry")
            try await terminal.press("1")
            try await terminal.see("▸1 Tokens")
        }
    }

    @Test("Ctrl-L draws over what another program wrote")
    func redraw() async throws {
        try await withDemo { terminal in
            try await terminal.scribble("\u{1B}[3;3Hscribbled over")
            try await terminal.see("scribbled over")
            try await terminal.press("C-l")
            try await terminal.seeNo("scribbled over")
            try await terminal.see("● fresh")
        }
    }

    @Test("Enter opens what is selected, and Esc goes back")
    func detail() async throws {
        try await withDemo { terminal in
            try await terminal.press("Enter")
            try await terminal.see("Request #1", "POST /auth/apple", "Where the time went")
            try await terminal.press("Escape")
            try await terminal.seeNo("Where the time went")
        }
    }

    /// A demo without requests of its own, from a token that lives long, on a screen.
    private func withDemo(_ body: (Terminal) async throws -> Void) async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.enter("authtop demo --access-ttl 120s --every 1h")
            try await terminal.see("● open")
            try await body(terminal)
        }
    }
}
