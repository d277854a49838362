import Testing

@Suite("The screen: an outage", .programs)
struct OutageScreenTests {
    @Test("says that the session is kept, and when it is tried again; recovers by itself")
    func outage() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "8s")
            let relay = try bench.relay(to: sandbox)
            let terminal = try await bench.watchOnScreen(.voltyks, at: relay.port)
            try await terminal.see("● open")
            try await relay.refuse()
            try await terminal.see("◇", "token expired", "⚠ backend unreachable")
            try await relay.accept()
            try await terminal.see("● fresh")
            try await terminal.see("● open")
            try await terminal.see("no session ended")
        }
    }

    @Test("is warned of while the token is still good", arguments: [(120, 40), (80, 24), (60, 16)])
    func whileFresh(columns: Int, rows: Int) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "1h")
            let relay = try bench.relay(to: sandbox)
            let terminal = try await bench.watchOnScreen(
                .voltyks,
                at: relay.port,
                "--every",
                "500ms"
            )
            try await terminal.see("● open")
            try await terminal.resize(columns: columns, rows: rows)
            try await relay.refuse()
            try await terminal.see("● fresh", "⚠ backend unreachable ×")
            try await relay.accept()
            try await terminal.seeNo("⚠ backend unreachable")
        }
    }

    @Test("a refusal that the profile does not know is not called an outage")
    func bareRefusal() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "6s")
            let relay = try bench.relay(to: sandbox)
            for _ in 0..<40 {
                relay.prepare(.answered(Answers.html(404, "")), for: Guide.voltyks.refreshPath)
            }
            let terminal = try await bench.watchOnScreen(.voltyks, at: relay.port)
            let screen = try await terminal.see("◇ access token expired", "(404)")
            let all = screen.joined()
            #expect(!all.contains("offline") && !all.contains("unreachable"))
            #expect(!all.contains("unavailable"))
        }
    }
}
