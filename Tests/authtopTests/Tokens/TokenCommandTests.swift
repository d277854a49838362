import Foundation
import Glibc
import TestSupport
import Testing

@Suite("authtop token", .programs)
struct TokenCommandTests {
    @Test(
        "prints the access token that the backend accepts, and nothing else",
        arguments: Guide.allCases
    )
    func prints(guide: Guide) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m", "--reuse", guide.reuse)
            _ = try await bench.logIn(guide, at: sandbox.port)
            let token = try await bench.operation("token", guide, at: sandbox.port)
            #expect(token.ending == .exit(0), "\(token.errors.text)")
            #expect(token.errors.lines == [])
            #expect(token.output.lines.count == 1)
            #expect(try await guide.ask(with: token.output.text, at: sandbox).status == 200)
            let header = try await bench.operation("token", guide, at: sandbox.port, "--header")
            #expect(header.output.lines == ["Authorization: Bearer \(token.output.text)"])
            #expect(try await sandbox.report().counters(of: guide)?.refreshes == 0)
        }
    }

    @Test("renews a token that is over, once for any number of scripts, with one-time tokens")
    func renews() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "20s", "--reuse", "strict-revoke")
            let guide = Guide.voltyks
            _ = try await bench.logIn(guide, at: sandbox.port)
            // Issued after the stored one.
            let login = try await guide.logIn(at: sandbox)
            _ = try await guide.outlive(login.tokens.access, at: sandbox)
            let tokens = try await withThrowingTaskGroup(of: Program.self) { group in
                for _ in 1...4 {
                    group.addTask { try await bench.operation("token", guide, at: sandbox.port) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for token in tokens {
                #expect(token.ending == .exit(0), "\(token.errors.text)")
            }
            #expect(Set(tokens.map(\.output.text)).count == 1)
            let counters = try #require(try await sandbox.report().counters(of: guide))
            #expect(counters.refreshes == 1)
            #expect(counters.reuses == 0)
        }
    }

    @Test("beside a watch of the same session takes part in its renewals, and both go on")
    func besideWatch() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10s", "--reuse", "strict-revoke")
            let session = try await StoredSession(
                on: bench,
                guide: .voltyks,
                sandbox: sandbox,
                name: "home"
            )
            let watch = try session.watch()
            var last = try await watch.stream.state("fresh")
            // Stopped, the watch does not renew: a script does.
            watch.program.send(SIGSTOP)
            try await eventually("a renewal by a script") {
                let token = try session.operation("token")
                #expect(try await token.ended() == .exit(0), "\(token.errors.text)")
                return try await sandbox.report().counters(of: .voltyks)?.refreshes ?? 0 > 0
            }
            watch.program.send(SIGCONT)
            last = try await watch.stream.first("adopted", after: last)
            for _ in 1...2 {
                last = try await watch.stream.first("tokensIssued", after: last)
                let tokens = try (1...3).map { _ in try session.operation("token") }
                for token in tokens {
                    #expect(try await token.ended() == .exit(0), "\(token.errors.text)")
                }
            }
            try await watch.stream.expectAccepted(after: last)
            try await watch.program.interrupt()
            #expect(try watch.stream.all("signedOut").isEmpty)
            let report = try await sandbox.report()
            let counters = try #require(report.counters(of: .voltyks))
            let stored = try #require(report.sessions(of: .voltyks).first)
            #expect(counters.reuses == 0)
            #expect(counters.refreshesRefused.isEmpty)
            #expect(counters.refreshes == stored.generation - 1)
            #expect(stored.ended == nil)
        }
    }

    @Test("without a session is 1, unless the credentials are there")
    func signedOut() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let without = try await bench.operation("token", .voltyks, at: sandbox.port)
            #expect(without.ending == .exit(1))
            #expect(without.output.lines == [])
            #expect(without.errors.text.contains("run: authtop login voltyks"))
            let with = try await bench.operation(
                "token",
                .voltyks,
                at: sandbox.port,
                credentials: Guide.voltyks.credentials
            )
            #expect(with.ending == .exit(0), "\(with.errors.text)")
            #expect(try await Guide.voltyks.ask(with: with.output.text, at: sandbox).status == 200)
            let again = try await bench.operation("token", .voltyks, at: sandbox.port)
            #expect(again.output.lines == with.output.lines)
        }
    }

    @Test("that is over where no backend answers is 3, and nothing is printed")
    func unreachable() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "4s")
            let relay = try bench.relay(to: sandbox)
            _ = try await bench.logIn(.voltyks, at: relay.port)
            try await relay.refuse()
            // While the token lasts, it is printed although it cannot be renewed.
            let refused = try await eventually("a token that is over") {
                let token = try await bench.operation("token", .voltyks, at: relay.port)
                return token.ending == .exit(0) ? nil : token
            }
            #expect(refused.ending == .exit(3))
            #expect(refused.output.lines == [])
            #expect(refused.errors.text.contains("you stay logged in"))
            try await relay.accept()
            let token = try await bench.operation("token", .voltyks, at: relay.port)
            #expect(token.ending == .exit(0), "\(token.errors.text)")
        }
    }

    @Test("on a terminal is refused before anything is sent, unless forced")
    func terminal() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let relay = try bench.relay(to: sandbox)
            _ = try await bench.logIn(.voltyks, at: relay.port)
            let requests = relay.requests.count
            let secret = try await bench.operation("token", .voltyks, at: relay.port).output.text
            // A line of its own for each part that may be wrapped.
            let terminal = try await bench.terminal(columns: 400)
            let command = "authtop token voltyks --base-url http://127.0.0.1:\(relay.port)/voltyks"
            try await terminal.enter(command)
            try await terminal.seePrompt(after: 2)
            #expect(try await !terminal.history.contains(secret.prefix(12)))
            try await terminal.see("authtop exec", "--force")
            try await terminal.enter("\(command) --force")
            try await terminal.see(String(secret.prefix(100)))
            try await terminal.seePrompt(after: 0)
            #expect(relay.requests.count == requests)
        }
    }

    @Test("is in no log, at whatever level")
    func log() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let log = bench.home + "/log"
            let token = try await bench.operation(
                "token",
                .voltyks,
                at: sandbox.port,
                "--log",
                log,
                "--log-level",
                "trace",
                credentials: Guide.voltyks.credentials
            )
            let secret = token.output.text
            #expect(secret.count > 24)
            let text = try String(contentsOfFile: log, encoding: .utf8)
            #expect(text.contains("tokensIssued"))
            #expect(!text.contains(secret.suffix(12)))
            #expect(!token.commandLine.contains(secret.suffix(12)))
        }
    }
}
