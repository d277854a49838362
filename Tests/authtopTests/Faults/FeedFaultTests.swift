import FeedTestSupport
import HTTP
import TestSupport
import Testing

@Suite("The screen: the feed under faults", .programs)
struct FeedFaultTests {
    @Test(
        "a socket that is closed says by which side and why, and another replaces it without a loss",
        arguments: [
            (1001, "closed by the server · 1001 going away"),
            (1011, "closed by the server · 1011 server error"),
            (4401, "closed by the server · 4401 token refused"),
            (1006, "closed by the network · 1006 cut, without a close frame"),
        ]
    )
    func closed(code: Int, message: String) async throws {
        try await withBench { bench in
            let (sandbox, terminal) = try await open(bench)
            try await sandbox.switchOn("feed-close:once:code=\(code)")
            try await terminal.see("socket 1 \(message)")
            try await terminal.see("socket 2 open on gen")
            try await terminal.see("· 0 lost")
            try await expectUntouched(terminal, sandbox)
        }
    }

    @Test(
        "a dial that is refused says with which status; the session is untouched",
        arguments: [
            ("feed-refuse", "refused · 403 token refused, or no right to it"),
            ("server-error:feed:status=503", "refused · 503 not available now"),
            ("rate-limit:feed:seconds=1", "refused · 429 too many"),
            ("unauthorized:feed", "refused · 401 token refused"),
        ]
    )
    func refused(fault: String, message: String) async throws {
        try await withBench { bench in
            let (sandbox, terminal) = try await open(bench)
            try await sandbox.switchOn(fault)
            try await sandbox.switchOn("feed-close:once")
            try await terminal.see(message)
            try await sandbox.switchAllOff()
            try await expectUntouched(terminal, sandbox)
        }
    }

    @Test("a dial that is let in and turned away says with which code, and the next one opens")
    func turnedAway() async throws {
        try await withBench { bench in
            let (sandbox, terminal) = try await open(bench)
            try await sandbox.switchOn("feed-close-on-open:once:code=1008")
            try await sandbox.switchOn("feed-close:once")
            try await terminal.see("1008 policy: most likely the token")
            try await terminal.see("● open")
            try await terminal.see("socket 3 open on gen")
            try await expectUntouched(terminal, sandbox)
        }
    }

    @Test("what comes twice is counted and dropped")
    func duplicates() async throws {
        try await withBench { bench in
            let (sandbox, terminal) = try await open(bench, rate: 1)
            try await sandbox.switchOn("feed-duplicates:next=5")
            try await terminal.see("· 0 lost · 5 duplicates")
            try await expectUntouched(terminal, sandbox)
        }
    }

    @Test("a socket that falls silent is left at the next renewal, and nothing is lost")
    func silent() async throws {
        try await withBench { bench in
            let (sandbox, terminal) = try await open(bench)
            try await sandbox.switchOn("feed-silent:once")
            try await sandbox.fired("feed-silent")
            try await terminal.press("r")
            // The line of the log that says so scrolls away.
            try await terminal.see("● open", "· socket 2 on")
            try await terminal.see("· 0 lost")
            try await expectUntouched(terminal, sandbox)
        }
    }

    @Test("a socket that ends with its token says so, and the renewal opens another")
    func expired() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox(
                "--access-ttl",
                "8s",
                "--feed-rate",
                "1",
                "--faults",
                "feed-expiry"
            )
            let terminal = try await bench.watchOnScreen(.bitbasel, at: sandbox.port)
            try await terminal.see("● open")
            try await terminal.press("Space")
            try await terminal.see("‖ paused")
            try await terminal.see(
                "closed by the server · 4401 token refused: the token has expired"
            )
            try await terminal.press("r")
            try await terminal.see("● open")
            try await terminal.see("no session ended")
        }
    }

    @Test("a socket that still receives after the logout is an alarm")
    func aliveAfterLogout() async throws {
        try await FeedServer.run(serve: { await $0.sendForever() }) { server in
            try await withBench { bench in
                let sandbox = try await bench.sandbox("--access-ttl", "120s")
                try bench.write(
                    """
                    extends = "voltyks"
                    base_url = "http://127.0.0.1:\(sandbox.port)/voltyks"
                    vault = "memory"
                    [feed]
                    path = "ws://127.0.0.1:\(server.port)/ws"
                    token_in = "bearer"
                    seq = "seq"
                    """,
                    to: "config/authtop/profiles/mine.toml"
                )
                let terminal = try await bench.terminal(
                    with: [
                        "AUTHTOP_MINE_EMAIL": "user@example.com",
                        "AUTHTOP_MINE_PASSWORD": "password",
                    ]
                )
                try await terminal.enter("authtop watch mine")
                try await terminal.see("#3 ")
                try await terminal.press("l")
                try await terminal.see("Log out?")
                try await terminal.press("y")
                try await terminal.see("✗ socket 1 still receives after logout")
            }
        }
    }

    @Test("where what was missed cannot be asked for, it is counted as lost")
    func gap() async throws {
        try await withBench { bench in
            let (sandbox, terminal) = try await open(bench, .bitbasel, rate: 10)
            // Messages before the first one are not missed.
            try await terminal.see("{\"type\":")
            try await sandbox.switchOn("server-error:feed:status=503")
            try await sandbox.switchOn("feed-close:once:code=1011")
            try await terminal.see("refused · 503")
            let refusedAt = ContinuousClock.now
            try await eventually("ten messages with no socket open") {
                ContinuousClock.now - refusedAt > .seconds(1)
            }
            try await sandbox.switchAllOff()
            try await terminal.see("a gap") { screen in
                screen.contains { $0.contains(" lost · ") && !$0.contains(" 0 lost") }
            }
        }
    }

    /// Unless told otherwise, of a dialect whose feed resumes: the sandbox's own.
    ///
    /// With a message every five seconds, what is told of a socket stands long enough to be seen on
    /// a slow machine: ten a second would push it out of the pane.
    private func open(
        _ bench: Bench,
        _ guide: Guide = .voltyks,
        rate: Double = 0.2
    ) async throws -> (Sandbox, Terminal) {
        let sandbox = try await bench.sandbox("--access-ttl", "120s", "--feed-rate", "\(rate)")
        let terminal = try await bench.watchOnScreen(guide, at: sandbox.port)
        try await terminal.see("● open")
        return (sandbox, terminal)
    }

    /// Once logged in, and a protected request is answered.
    private func expectUntouched(_ terminal: Terminal, _ sandbox: Sandbox) async throws {
        try await terminal.press("p")
        try await terminal.see("an answer") { screen in
            screen.contains { $0.contains("GET  /api/chargers") && $0.contains(" 200 ") }
        }
        try await terminal.see("no session ended")
        let report = try await sandbox.report()
        #expect(report.counters(of: .voltyks)?.logins == 1)
        #expect(report.sessions(of: .voltyks).map(\.ended) == [nil])
    }
}
