import TestSupport
import Testing

@Suite("The screen: the history", .programs)
struct HistoryTests {
    @Test("tells what happened, over two sessions, and opens the tokens that have ended")
    func twoSessions() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.enter("authtop demo --access-ttl 10m --every 1h")
            try await terminal.see("● open")
            try await terminal.press("6", "z")
            try await terminal.see(
                "▸6 History",
                "gen 1",
                "issued by the login",
                "renewal planned for"
            )
            try await terminal.press("r")
            try await terminal.see("renewed (you) ")
            try await terminal.press("l")
            try await terminal.see("Log out?")
            try await terminal.press("y")
            try await terminal.see("the session ended: logged out by you")
            try await terminal.press("o")
            try await terminal.see("gen 2.1", "gen 1.2", "● fresh")
            try await terminal.press("/")
            try await terminal.type("kind:tokensIssued login:1 gen:1")
            try await terminal.press("Enter", "Enter")
            try await terminal.see("Tokens of gen 1.1", "in use until")
        }
    }

    @Test("has the rows on small screens", arguments: [(80, 24), (60, 16)])
    func small(columns: Int, rows: Int) async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.enter("authtop demo --access-ttl 10m --every 1h")
            try await terminal.see("● open")
            try await terminal.resize(columns: columns, rows: rows)
            try await terminal.press("6")
            try await terminal.see("▸6 History", "renewal planned for", "issued by the login")
        }
    }

    @Test("why the last session ended is in it after a restart")
    func restart() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let file = ["--vault", "file"]
            for command in ["login", "logout"] {
                let program = try await bench.operation(
                    command,
                    .voltyks,
                    at: sandbox.port,
                    file[0],
                    file[1],
                    credentials: Guide.voltyks.credentials
                )
                #expect(program.ending == .exit(0), "\(program.errors.text)")
            }
            let terminal = try await bench.watchOnScreen(
                .voltyks,
                at: sandbox.port,
                file[0],
                file[1]
            )
            try await terminal.see("▸3 Requests")
            try await terminal.press("6", "z")
            try await terminal.see("the session before ended", "logged out by you")
        }
    }
}
