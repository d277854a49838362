import Foundation
import TestSupport
import Testing

@Suite("authtop sessions", .programs)
struct SessionsCommandTests {
    @Test("lists the user's sessions, marks this one, and ends another")
    func lists() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            _ = try await bench.logIn(.melchat, at: sandbox.port)
            // The same user from another installation.
            let other = try await bench.operation(
                "login",
                .melchat,
                at: sandbox.port,
                credentials: Guide.melchat.credentials.merging(
                    ["XDG_STATE_HOME": bench.home + "/other"]
                ) { $1 }
            )
            #expect(other.ending == .exit(0), "\(other.errors.text)")
            let list = try await bench.operation("sessions", .melchat, at: sandbox.port)
            #expect(list.ending == .exit(0), "\(list.errors.text)")
            #expect(list.output.lines.first == "melchat: 2 active sessions")
            #expect(list.output.lines.filter { $0.hasPrefix("* ") && $0.count > 12 }.count == 1)
            #expect(list.output.lines.allSatisfy { $0.count <= 80 })

            let json = try await bench.operation("sessions", .melchat, at: sandbox.port, "--json")
            let objects = try json.output.lines.map(JSON.object)
            let victim = try #require(
                objects.first { $0["current"] == .flag(false) }?["id"]?.text
            )
            #expect(objects.allSatisfy { $0["name"] == .text("authtop") })
            for ending in [Program.Ending.exit(0), .exit(1)] {
                let end = try await bench.operation(
                    "sessions",
                    .melchat,
                    at: sandbox.port,
                    "--end",
                    victim
                )
                #expect(end.ending == ending, "\(end.errors.text)")
            }
            let left = try await bench.operation("sessions", .melchat, at: sandbox.port, "--json")
            #expect(left.output.lines.count == 1)
        }
    }

    @Test("names each session by the program that logged in, as the sandbox sees it")
    func names() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            _ = try await Guide.melchat.logIn(at: sandbox, as: "Melchat/2.1 (iPhone)")
            _ = try await bench.logIn(.melchat, at: sandbox.port)
            let list = try await bench.operation("sessions", .melchat, at: sandbox.port)
            let rows = list.output.lines
            #expect(rows.contains { $0.hasSuffix("Melchat/2.1 (iPhone)") })
            #expect(rows.contains { $0.hasPrefix("* ") && $0.hasSuffix("authtop") })
            #expect(rows.allSatisfy { $0.count <= 80 }, "\(list.output.text)")
        }
    }

    @Test("is bad input with --end where the backend has no endpoint for it")
    func notEnded() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            try bench.write(
                """
                extends = "voltyks"
                [sessions]
                request = "GET /api/Auth/Sessions"
                id = "id"
                """,
                to: "config/authtop/profiles/listed.toml"
            )
            let base = ["--base-url", "http://127.0.0.1:\(sandbox.port)/voltyks"]
            let end = try bench.authtop(["sessions", "listed"] + base + ["--end", "1"])
            #expect(try await end.ended() == .exit(2))
            #expect(end.errors.text.contains("cannot end a single session"))
        }
    }

    @Test("is bad input where the backend lists none, and 1 where the session is signed out")
    func notOffered() async throws {
        try await withBench { bench in
            let voltyks = try await bench.operation("sessions", .voltyks, at: 1)
            #expect(voltyks.ending == .exit(2))
            #expect(voltyks.errors.text.contains("does not list sessions"))
            let melchat = try await bench.operation("sessions", .melchat, at: 1)
            #expect(melchat.ending == .exit(1))
            #expect(melchat.errors.text.contains("run: authtop login melchat"))
        }
    }
}
