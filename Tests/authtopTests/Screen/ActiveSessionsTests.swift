import Testing

@Suite("The screen: active sessions", .programs)
struct ActiveSessionsTests {
    @Test("S lists them, x asks and ends the selected one")
    func ending() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "120s")
            let (other, _) = try await Guide.melchat.logIn(at: sandbox, as: "Melchat/2.1 (iPhone)")
            let terminal = try await bench.watchOnScreen(.melchat, at: sandbox.port)
            try await terminal.see("● open")
            try await terminal.press("S")
            try await terminal.see("both rows, the other one selected") { screen in
                screen.contains { $0.contains("this one") }
                    && screen.contains { $0.contains("▸ Melchat/2.1 (iPhone)") }
            }
            try await terminal.press("x")
            try await terminal.see("End this session?")
            try await terminal.press("n")
            try await terminal.seeNo("End this session?")
            #expect(try await Guide.melchat.ask(with: other.access, at: sandbox).status == 200)
            try await terminal.press("x")
            try await terminal.see("End this session?")
            try await terminal.press("y")
            try await terminal.see("its own row alone") { screen in
                screen.contains { $0.contains("▸") && $0.contains("this one") }
            }
            #expect(try await Guide.melchat.ask(with: other.access, at: sandbox).status == 401)
            try await terminal.press("Escape")
            try await terminal.see("● fresh")
        }
    }

    @Test("x says where none can be ended")
    func notEnded() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "120s")
            try bench.write(
                """
                extends = "voltyks"
                [sessions]
                request = "GET /api/Auth/Sessions"
                id = "id"
                """,
                to: "config/authtop/profiles/listed.toml"
            )
            let terminal = try await bench.terminal(with: [
                "AUTHTOP_LISTED_EMAIL": "user@example.com", "AUTHTOP_LISTED_PASSWORD": "password",
            ])
            let base = "http://127.0.0.1:\(sandbox.port)/voltyks"
            try await terminal.enter("authtop watch listed --vault memory --base-url \(base)")
            try await terminal.see("● open")
            try await terminal.press("S")
            try await terminal.see("Active sessions")
            try await terminal.press("x")
            try await terminal.see("has no way to end a single session")
        }
    }

    @Test("S says where there is no list")
    func notOffered() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.enter("authtop demo --every 1h")
            try await terminal.see("● open")
            try await terminal.press("S")
            try await terminal.see("bitbasel has no list of active sessions")
        }
    }
}
