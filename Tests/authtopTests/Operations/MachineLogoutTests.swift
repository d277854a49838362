import Foundation
import TestSupport
import Testing

@Suite("authtop logout --all-profiles", .programs)
struct MachineLogoutTests {
    @Test("ends every session of every backend, a line each, and tells who can be notified")
    func all() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            for guide in [Guide.voltyks, .melchat, .intellipost] {
                _ = try await bench.logIn(guide, at: sandbox.port)
            }
            let logout = try bench.authtop(["logout", "--all-profiles", "--yes"])
            #expect(try await logout.ended() == .exit(0), "\(logout.errors.text)")
            #expect(logout.output.lines.count == 3)
            #expect(logout.output.lines[0].hasPrefix("intellipost at http://127.0.0.1:"))
            #expect(logout.output.lines[0].contains("the session's local data was erased"))
            #expect(logout.output.lines[1].contains("the backend acknowledged"))
            #expect(logout.output.lines[2].contains("the profile has no logout at the backend"))
            let report = try await sandbox.report()
            #expect(report.counters(of: .melchat)?.logouts == 1)
            #expect(report.counters(of: .intellipost)?.logouts == 1)
            for guide in [Guide.voltyks, .melchat, .intellipost] {
                let status = try await bench.operation("status", guide, at: sandbox.port)
                #expect(status.ending == .exit(1))
            }
            let again = try bench.authtop(["logout", "--all-profiles", "--yes"])
            #expect(try await again.ended() == .exit(1))
            #expect(again.errors.text.contains("no session is stored here"))
        }
    }

    @Test("goes on after one that fails, and says so; as objects too")
    func failing() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let profile = try bench.write(
                "extends = \"intellipost\"\n"
                    + "base_url = \"http://127.0.0.1:\(sandbox.port)/intellipost\"\n",
                to: "config/authtop/profiles/gone.toml"
            )
            let login = try bench.authtop(
                ["login", "gone"],
                with: [
                    "AUTHTOP_GONE_EMAIL": "user@example.com", "AUTHTOP_GONE_PASSWORD": "password",
                ]
            )
            #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
            try FileManager.default.removeItem(atPath: profile)
            _ = try await bench.logIn(.melchat, at: sandbox.port)
            let logout = try bench.authtop(["logout", "--all-profiles", "--yes", "--json"])
            #expect(try await logout.ended() == .exit(1))
            let objects = try logout.output.lines.map(JSON.object)
            #expect(objects.map { $0["profile"]?.text } == ["gone", "melchat"])
            #expect(objects.map { $0["loggedOut"] } == [.flag(false), .flag(true)])
            #expect(objects[0]["message"]?.text?.contains("erased here") == true)
            #expect(try await sandbox.report().counters(of: .melchat)?.logouts == 1)
            #expect(
                try bench.stateNames.contains { $0.hasPrefix("gone") && $0.hasSuffix(".vault") }
                    == false
            )
        }
    }

    @Test("without the network every session is erased here, and the backends are told later")
    func offline() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let relay = try bench.relay(to: sandbox)
            _ = try await bench.logIn(.melchat, at: relay.port)
            _ = try await bench.logIn(.intellipost, at: relay.port)
            try await relay.refuse()
            let logout = try bench.authtop(["logout", "--all-profiles", "--yes"])
            #expect(try await logout.ended() == .exit(0), "\(logout.errors.text)")
            #expect(logout.output.lines.allSatisfy { $0.contains("revocation pending") })
            try await relay.accept()
            _ = try await bench.operation("status", .melchat, at: relay.port)
            _ = try await bench.operation("status", .intellipost, at: relay.port)
            let report = try await sandbox.report()
            #expect(report.counters(of: .melchat)?.logouts == 1)
            #expect(report.counters(of: .intellipost)?.logouts == 1)
        }
    }

    @Test("asks the user, needs --yes in a script, and takes nothing that would narrow it")
    func asks() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            _ = try await bench.logIn(.melchat, at: sandbox.port)
            let script = try bench.authtop(["logout", "--all-profiles"])
            #expect(try await script.ended() == .exit(2))
            #expect(script.errors.text.contains("add --yes"))
            for more in [["melchat"], ["--all"], ["--base-url", "http://127.0.0.1:1"]] {
                let narrow = try bench.authtop(["logout", "--all-profiles", "--yes"] + more)
                #expect(try await narrow.ended() == .exit(2))
            }
            let none = try bench.authtop(["logout"])
            #expect(try await none.ended() == .exit(2))
            #expect(none.errors.text.contains("--all-profiles"))
            let terminal = try await bench.terminal()
            try await terminal.enter("authtop logout --all-profiles")
            try await terminal.see("1 session will be ended: melchat at http")
            try await terminal.enter("no")
            try await terminal.seePrompt(after: 1)
            let status = try await bench.operation("status", .melchat, at: sandbox.port)
            #expect(status.ending == .exit(0))
        }
    }
}
