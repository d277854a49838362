import Testing

@Suite("The screen: protected requests and logins under faults", .programs)
struct RequestFaultTests {
    @Test(
        "a protected request that fails says how, and the session is untouched",
        arguments: [
            ("server-error:once:protected:status=502", "502"),
            ("rate-limit:once:protected:seconds=9", "429"), ("not-found:once:protected", "404"),
            ("drop-request:once:protected", "lost"), ("drop-after-commit:once:protected", "lost"),
            ("error-after-commit:once:protected:status=504", "504"),
        ]
    )
    func failed(fault: String, result: String) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "120s")
            let terminal = try await bench.watchOnScreen(.bitbasel, at: sandbox.port)
            try await terminal.see("● open")
            try await sandbox.switchOn(fault)
            try await terminal.press("p")
            try await terminal.see("the failed request") { screen in
                screen.contains { line in
                    line.contains("GET  /posts/feed") && line.contains(" \(result) ")
                }
            }
            try await terminal.press("p")
            try await terminal.see("a good request") { screen in
                screen.contains { line in
                    line.contains("GET  /posts/feed") && line.contains(" 200 ")
                }
            }
            try await terminal.see("● fresh")
            try await terminal.see("generation 1")
            #expect(try await sandbox.report().counters(of: .bitbasel)?.logins == 1)
        }
    }

    @Test("a live token that is refused once is renewed, and the request goes again")
    func refusedOnce() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "120s")
            let terminal = try await bench.watchOnScreen(.bitbasel, at: sandbox.port)
            try await terminal.see("● open")
            try await sandbox.switchOn("unauthorized:once:protected")
            try await terminal.press("p")
            try await terminal.see("gen 2 issued, again as #")
            try await terminal.see("repeats #")
            try await terminal.see("● fresh")
            try await terminal.see("no session ended")
        }
    }

    @Test(
        "a login that fails says how, and o tries again",
        arguments: [
            ("server-error:once:login:status=503", "login failed: backend unavailable (503)"),
            ("rate-limit:once:login", "login failed: rate limited (429)"),
            ("html-200:once:login", "login failed: answer not usable (200)"),
            ("drop-request:once:login", "login failed: answer lost"),
            ("not-found:once:login", "login failed: request rejected (404)"),
        ]
    )
    func login(fault: String, message: String) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "120s", "--faults", fault)
            let terminal = try await bench.watchOnScreen(.bitbasel, at: sandbox.port)
            try await terminal.see(message)
            try await terminal.press("o")
            try await terminal.see("● fresh")
            #expect(try await sandbox.report().counters(of: .bitbasel)?.logins == 1)
        }
    }
}
