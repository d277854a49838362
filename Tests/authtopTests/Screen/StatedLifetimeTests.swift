import TestSupport
import Testing

/// The backend's statements, and a JWT's statements about itself, stand on the screen as they are.
@Suite("The screen and the lines: lifetimes", .programs)
struct StatedLifetimeTests {
    @Test(
        "a lifetime is the one that the backend states",
        arguments: [("40s", "of 40 s left"), ("1h", "of 1 h left"), ("30d", "of 30 d left")]
    )
    func screen(life: String, shown: String) async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.enter("authtop demo --access-ttl \(life) --every 1h")
            try await terminal.see(shown, "of 5 m left")
        }
    }

    @Test("the expiry is the token's own claim, and the second that is taken off has its reason")
    func claim() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.enter("authtop demo --access-ttl 1h --every 1h")
            try await terminal.see("● open")
            try await terminal.press("1", "Enter")
            let screen = try await terminal.see("Access token", "exp ")
            let expires = screen.lazy
                .compactMap { $0.firstMatch(of: /expires +\d\d:(\d\d):(\d\d)/) }.first?.output
            let claim = screen.lazy
                .compactMap { $0.firstMatch(of: /exp +\d+ +\d\d:(\d\d):(\d\d)/) }.first?.output
            let end = try #require(expires.flatMap { Int($0.1).map { $0 * 60 } })
            let stated = try #require(claim.flatMap { Int($0.1).map { $0 * 60 } })
            let seconds = try #require(expires.flatMap { Int($0.2) })
            let statedSeconds = try #require(claim.flatMap { Int($0.2) })
            // The life counts from the request; on a busy machine, the token may be issued in the
            // next second.
            let later = (stated + statedSeconds - end - seconds + 3600) % 3600
            #expect((0...1).contains(later))
            try await terminal.press("Escape", "2", "Enter")
            try await terminal.see("lives        1 h", "1 s earlier, because its times are whole")
        }
    }

    @Test("the history has the stated one too")
    func history() async throws {
        try await withBench { bench in
            let program = try bench.authtop([
                "demo", "--print-frame", "120x40", "--for", "3s", "--access-ttl", "40s",
            ])
            #expect(try await program.ended() == .exit(0))
            #expect(program.output.text.contains("lives 40 s by exp"))
        }
    }

    @Test("the lines and the status say the stated one too")
    func lines() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let watch = try bench.watch(.bitbasel, at: sandbox.port)
            let issued = try await watch.stream.first("tokensIssued")
            #expect(issued.number("accessLifetime") == 600)
            #expect(issued.number("refreshLifetime") == 300)
        }
    }
}
