import Glibc
import TestSupport
import Testing

@Suite("A demo", .programs)
struct DemoTests {
    @Test(
        "renews before the token dies and moves the feed, with every message once and in order",
        arguments: Guide.allCases
    )
    func renews(guide: Guide) async throws {
        try await withBench { bench in
            let program = try bench.authtop([
                "demo", "--dialect", guide.rawValue, "--access-ttl", "9s", "--every", "1s",
                "--json", "--reuse", guide.reuse,
            ])
            let stream = EventStream(program.output)
            try await stream.feedSwitches(3)
            let base = try await stream.first("capabilities").text("baseURL")
            let port = try #require(base?.split(separator: ":").last.flatMap { Int($0) })
            let sent = try await SandboxReport.read(from: port).sent(to: guide)

            program.send(SIGINT)
            #expect(try await program.ended() == .exit(130))
            #expect(program.errors.lines == [])
            try stream.expectSmoothRenewals(atLeast: 2)
            let applied = try stream.appliedMessages
            #expect(applied == Array(1..<applied.count + 1))
            #expect(!sent.isEmpty && applied.starts(with: sent))
        }
    }

    @Test("of a one-time token that brings no other renews once, and says why it ends")
    func oneTime() async throws {
        try await withBench { bench in
            let program = try bench.authtop([
                "demo", "--dialect", "melchat", "--access-ttl", "6s", "--json",
            ])
            let stream = EventStream(program.output)
            try await stream.first("refreshSucceeded")
            let draining = try await stream.first("draining")
            #expect(draining.text("reason") == "consumeWithoutReturn")
            #expect(try await program.ended() == .exit(1))
            #expect(try stream.all("refreshSucceeded").count == 1)
            #expect(
                program.errors.text.contains(
                    "refresh token refused after a renewal brought no new one"
                )
            )
        }
    }

    @Test("ends when its time is over, however often")
    func ends() async throws {
        try await withBench { bench in
            for _ in 1...5 {
                let programs = try (1...4).map { _ in
                    try bench.authtop(["demo", "--json", "--every", "50ms", "--for", "4s"])
                }
                for program in programs { #expect(try await program.ended() == .exit(0)) }
            }
        }
    }

    @Test("ends when its output is no longer read")
    func closedOutput() async throws {
        try await withBench { bench in
            let shell = bench.keep(
                try Program(
                    "/bin/sh",
                    [
                        "-c", "\"$0\" demo --json --for 100s | head -n 3; echo over",
                        Authtop.path,
                    ],
                    environment: bench.environment
                )
            )
            #expect(try await shell.ended() == .exit(0))
            #expect(shell.output.lines.count == 4)
            #expect(shell.output.lines.last == "over")
        }
    }
}
