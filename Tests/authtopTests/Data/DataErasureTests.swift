import Foundation
import TestSupport
import Testing

@Suite("authtop data forget", .programs)
struct DataErasureTests {
    @Test("ends the session at the backend, and leaves nothing of it", arguments: Guide.allCases)
    func everything(guide: Guide) async throws {
        try await withBench { bench in
            // The watch ends long before it renews again, which would be cut off by its end.
            let sandbox = try await bench.sandbox("--access-ttl", "30s")
            let log = bench.home + "/log"
            let watch = try bench.watch(
                guide,
                at: sandbox.port,
                "--vault",
                "file",
                "--log",
                log,
                credentials: guide.credentials
            )
            try await watch.stream.first("refreshSucceeded")
            watch.program.send(SIGTERM)
            try await watch.program.ended()
            #expect(try bench.stateNames.filter { $0.hasPrefix(guide.rawValue) }.count == 5)
            let forget = try await bench.operation("data forget", guide, at: sandbox.port, "--yes")
            #expect(forget.ending == .exit(0), "\(forget.errors.text)")
            #expect(forget.output.lines.first == "\(guide.rawValue): erased, 5 files")
            let isRevoked = guide == .melchat || guide == .intellipost
            #expect(try await sandbox.report().counters(of: guide)?.logouts == (isRevoked ? 1 : 0))
            // Where the backend cannot be told, or not which session, its token lives on: that is
            // said, with its end.
            #expect(forget.output.text.contains("not revoked") == (guide != .melchat))
            #expect(try bench.stateNames == ["salt"])
            #expect(FileManager.default.fileExists(atPath: log) == false)
            let again = try await bench.operation("data forget", guide, at: sandbox.port, "--yes")
            #expect(again.ending == .exit(1))
        }
    }

    @Test("without the backend erases all the same, and says which token lives on, and until when")
    func unreachable() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let relay = try bench.relay(to: sandbox)
            let login = try await bench.logIn(.melchat, at: relay.port)
            let token = try #require(
                login.output.text.firstMatch(of: /refresh +(‹\w+›)/)?.output.1
            )
            try await relay.refuse()
            let forget = try await bench.operation("data forget", .melchat, at: relay.port, "--yes")
            #expect(forget.ending == .exit(3))
            let message = try Regex("not revoked \(token) is accepted by the backend until [0-9]+ ")
            #expect(forget.output.text.contains(message), "\(forget.output.text)")
            #expect(try bench.stateNames == ["salt"])
        }
    }

    @Test("also tells of an earlier logout that the backend did not know of")
    func outbox() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let relay = try bench.relay(to: sandbox)
            _ = try await bench.logIn(.melchat, at: relay.port)
            try await relay.refuse()
            _ = try await bench.operation("logout", .melchat, at: relay.port)
            try await relay.accept()
            let forget = try await bench.operation("data forget", .melchat, at: relay.port, "--yes")
            #expect(forget.ending == .exit(0), "\(forget.output.text)")
            #expect(try await sandbox.report().counters(of: .melchat)?.logouts == 1)
            #expect(try bench.stateNames == ["salt"])
        }
    }

    @Test("asks first: a script has to say that it is meant, and who says no has lost nothing")
    func asks() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            _ = try await bench.logIn(.melchat, at: sandbox.port)
            let names = try bench.stateNames
            let script = try await bench.operation("data forget", .melchat, at: sandbox.port)
            #expect(script.ending == .exit(2))
            #expect(script.errors.text.contains("add --yes"))
            let terminal = try await bench.terminal()
            try await terminal.enter("authtop data forget melchat")
            try await terminal.see("Type yes:")
            try await terminal.enter("y")
            try await terminal.seePrompt(after: 1)
            #expect(try bench.stateNames == names)
            try await terminal.enter("authtop data forget melchat")
            try await terminal.see("two questions") { $0.count { $0.contains("Type yes:") } == 2 }
            try await terminal.enter("yes")
            try await terminal.seePrompt(after: 0)
            #expect(try bench.stateNames == ["salt"])
        }
    }

    @Test("of a profile that is there no more erases what it left, without the backend")
    func deletedProfile() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let profile = try bench.write(
                "extends = \"intellipost\"\n"
                    + "base_url = \"http://127.0.0.1:\(sandbox.port)/intellipost\"\n",
                to: "config/authtop/profiles/mine.toml"
            )
            let login = try bench.authtop(
                ["login", "mine"],
                with: [
                    "AUTHTOP_MINE_EMAIL": "user@example.com", "AUTHTOP_MINE_PASSWORD": "password",
                ]
            )
            #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
            _ = try await bench.logIn(.voltyks, at: sandbox.port)
            try FileManager.default.removeItem(atPath: profile)
            let forget = try bench.authtop(["data", "forget", "mine", "--yes"])
            #expect(try await forget.ended() == .exit(3))
            #expect(forget.output.text.contains("logout not sent: the profile"))
            #expect(forget.output.text.contains("not revoked"))
            #expect(try bench.stateNames.contains { $0.hasPrefix("mine") } == false)
            // Another record needs the key.
            let status = try await bench.operation("status", .voltyks, at: sandbox.port)
            #expect(status.ending == .exit(0), "\(status.output.text)")
        }
    }

    @Test("a record that cannot be read is erased as well, and was not told of")
    func unreadable() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            _ = try await bench.logIn(.melchat, at: sandbox.port)
            try FileManager.default.removeItem(atPath: bench.home + "/state/authtop/key")
            let forget = try await bench.operation(
                "data forget",
                .melchat,
                at: sandbox.port,
                "--yes"
            )
            #expect(forget.ending == .exit(3))
            #expect(forget.output.text.contains("logout not sent:"))
            #expect(try bench.stateNames == ["salt"])
        }
    }

    @Test("a session that another process watches is signed out there, and not written again")
    func watched() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let watch = try bench.watch(
                .voltyks,
                at: sandbox.port,
                "--vault",
                "file",
                credentials: Guide.voltyks.credentials
            )
            try await watch.stream.state("fresh")
            let forget = try await bench.operation(
                "data forget",
                .voltyks,
                at: sandbox.port,
                "--yes"
            )
            #expect(forget.ending == .exit(0), "\(forget.output.text)")
            #expect(try await watch.program.ended() == .exit(1))
            #expect(try bench.stateNames == ["salt"])
        }
    }
}
