import TestSupport
import Testing

@Suite("The screen: a feed of server-sent events", .programs)
struct EventStreamTests {
    @Test("it follows the renewals without a loss, says that it is SSE, and returns when it ends")
    func watched() async throws {
        try await withBench { bench in
            // A line of the feed stands for minutes: other tests may hold this one up between its steps.
            let sandbox = try await bench.sandbox("--access-ttl", "10m", "--feed-rate", "0.2")
            try bench.write(
                """
                extends = "voltyks"
                base_url = "http://127.0.0.1:\(sandbox.port)/voltyks"
                vault = "memory"
                [feed]
                kind = "sse"
                path = "/events"
                token_in = "bearer"
                seq = "seq"
                """,
                to: "config/authtop/profiles/mine.toml"
            )
            let terminal = try await bench.terminal(
                rows: 160,
                with: [
                    "AUTHTOP_MINE_EMAIL": "user@example.com", "AUTHTOP_MINE_PASSWORD": "password",
                ]
            )
            try await terminal.enter("authtop watch mine")
            try await terminal.see("SSE · socket 1 on generation 1 (the session's)")
            try await terminal.see("post.")
            try await terminal.press("r")
            try await terminal.see("SSE · socket 2 on generation 2 (the session's)")
            try await terminal.see("· 0 lost")
            try await sandbox.switchOn("feed-close:once:code=1011")
            try await terminal.see("socket 2 ended by the server")
            try await terminal.see("socket 3 open on gen")
            try await sandbox.switchOn("feed-refuse:on:status=503")
            try await sandbox.switchOn("feed-close:once:code=1006")
            try await terminal.see("refused · 503 not available now")
            try await sandbox.switchAllOff()
            try await terminal.see("● open")
            try await terminal.see("· 0 lost")
        }
    }
}
