import Foundation
import TestSupport
import Testing

@Suite("authtop sessions", .programs)
struct SessionsCommandTests {
    @Test("lists the user's sessions, marks this one, and ends another where there is a way to")
    func lists() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            try bench.write(
                """
                extends = "melchat"
                [sessions.end]
                request = "DELETE /api/auth/sessions/{id}"
                """,
                to: "config/authtop/profiles/melchat-devices.toml"
            )
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
            let none = try await bench.operation(
                "sessions",
                .melchat,
                at: sandbox.port,
                "--end",
                victim
            )
            #expect(none.ending == .exit(2))
            #expect(none.errors.text.contains("melchat cannot end a single session"))
            let base = ["--base-url", "http://127.0.0.1:\(sandbox.port)/melchat"]
            let login = try bench.authtop(
                ["login", "melchat-devices"] + base,
                with: [
                    "AUTHTOP_MELCHAT_DEVICES_EMAIL": "user@example.com",
                    "AUTHTOP_MELCHAT_DEVICES_CODE": "123456",
                ]
            )
            #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
            let end = try bench.authtop(
                ["sessions", "melchat-devices"] + base + ["--end", victim]
            )
            #expect(try await end.ended() == .exit(0), "\(end.errors.text)")
            let again = try bench.authtop(
                ["sessions", "melchat-devices"] + base + ["--end", victim]
            )
            #expect(try await again.ended() == .exit(1))
            let left = try await bench.operation("sessions", .melchat, at: sandbox.port, "--json")
            // Its own, and that of the other profile.
            #expect(left.output.lines.count == 2)
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
