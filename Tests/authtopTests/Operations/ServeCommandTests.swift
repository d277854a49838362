import Foundation
import Glibc
import TestSupport
import Testing

@Suite("authtop serve", .programs)
struct ServeCommandTests {
    /// The program, and the port at which it serves a session.
    private struct Served: Sendable {
        let program: Program
        let guide: Guide
        let port: Int

        func ask(_ headers: [String: String] = [:]) async throws -> HTTPMessage {
            try await HandMadeRequest(
                method: "GET",
                target: guide.protectedPath,
                headers: headers
            )
            .send(to: port)
        }
    }

    /// Logs in, and serves the session.
    private static func serve(
        _ guide: Guide,
        of sandbox: Sandbox,
        on bench: Bench,
        _ arguments: String...
    ) async throws -> Served {
        _ = try await bench.logIn(guide, at: sandbox.port)
        let program = try bench.authtop(
            [
                "serve", guide.rawValue, "--base-url",
                "http://127.0.0.1:\(sandbox.port)/\(guide.rawValue)",
            ] + arguments
        )
        let port = try await eventually("its address", evidence: { program.errors.text }) {
            program.errors.text.firstMatch(of: /http:\/\/127\.0\.0\.1:([0-9]+) sends requests/)
                .flatMap { Int($0.output.1) }
        }
        return Served(program: program, guide: guide, port: port)
    }

    @Test(
        "a client that lives for ten lifetimes of the token sees no 401",
        arguments: Guide.allCases
    )
    func tenLifetimes(guide: Guide) async throws {
        try await withBench { bench in
            let reuse = guide == .melchat ? "none" : "strict-revoke"
            let sandbox = try await bench.sandbox("--access-ttl", "3s", "--reuse", reuse)
            let served = try await Self.serve(guide, of: sandbox, on: bench)
            try await eventually(
                "ten renewals",
                within: .seconds(300),
                evidence: { served.program.output.text }
            ) {
                let answer = try await served.ask()
                #expect(answer.status == 200, "\(answer.startLine) \(answer.body)")
                return try await sandbox.report().counters(of: guide)?.refreshes ?? 0 >= 10
            }
            let counters = try #require(try await sandbox.report().counters(of: guide))
            #expect(guide == .melchat || counters.reuses == 0)
            #expect(counters.refreshesRefused.isEmpty)
            try await served.program.interrupt()
        }
    }

    @Test("fifty requests that find the token over, beside scripts, are one renewal")
    func singleFlight() async throws {
        try await withBench { bench in
            let guide = Guide.voltyks
            let sandbox = try await bench.sandbox("--access-ttl", "20s", "--reuse", "strict-revoke")
            let served = try await Self.serve(guide, of: sandbox, on: bench)
            // Stopped, it does not renew ahead.
            served.program.send(SIGSTOP)
            let later = try await guide.logIn(at: sandbox)
            _ = try await guide.outlive(later.tokens.access, at: sandbox)
            let before = try #require(try await sandbox.report().counters(of: guide)).refreshes
            let clock = ContinuousClock()
            let resumedAt = clock.now
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 1...50 {
                    group.addTask { try await served.ask().status }
                }
                for _ in 1...3 {
                    group.addTask {
                        let token = try await bench.operation("token", guide, at: sandbox.port)
                        return token.ending == .exit(0) ? 200 : 0
                    }
                }
                served.program.send(SIGCONT)
                for try await status in group { #expect(status == 200) }
            }
            let counters = try #require(try await sandbox.report().counters(of: guide))
            // While a slow machine answers, the next token comes to its end, too.
            let dueSince = Int((clock.now - resumedAt) / .seconds(15))
            #expect((before + 1...before + 1 + dueSince).contains(counters.refreshes))
            #expect(counters.reuses == 0)
        }
    }

    @Test("a request whose live token is refused is sent once more, and the app sees no 401")
    func repeated() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m", "--reuse", "strict-revoke")
            let served = try await Self.serve(.voltyks, of: sandbox, on: bench)
            #expect(try await served.ask().status == 200)
            try await sandbox.switchOn("unauthorized:once")
            #expect(try await served.ask().status == 200)
            let report = try await sandbox.report()
            let counters = try #require(report.counters(of: .voltyks))
            #expect(counters.refreshes == 1)
            #expect(report.faultsFired.values.reduce(0, +) == 1)
        }
    }

    @Test("a WebSocket is dialed with the token where the profile's feed has it")
    func socket() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let served = try await Self.serve(.bitbasel, of: sandbox, on: bench)
            for target in ["/ws/feed", "/ws/feed?token=old"] {
                let answer = try await HandMadeRequest(
                    method: "GET",
                    target: target,
                    headers: [
                        "Connection": "Upgrade", "Upgrade": "websocket",
                        "Sec-WebSocket-Version": "13",
                        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
                    ]
                )
                .send(to: served.port)
                #expect(answer.status == 101, "\(answer.startLine) \(answer.body)")
            }
            #expect(try await sandbox.report().sockets.count == 2)
        }
    }

    @Test("a page's request is refused with a sentence, and so is another name of this machine")
    func page() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let served = try await Self.serve(
                .voltyks,
                of: sandbox,
                on: bench,
                "--allow-origin",
                "http://localhost:3000"
            )
            let evil = try await served.ask(["Origin": "https://evil.example"])
            #expect(evil.status == 403)
            #expect(evil["error"]?.text?.contains("--allow-origin https://evil.example") == true)
            #expect(try await served.ask(["Sec-Fetch-Site": "cross-site"]).status == 403)
            #expect(try await served.ask(["Host": "evil.example"]).status == 421)
            let named = try await served.ask(["Origin": "http://localhost:3000"])
            #expect(named.status == 200)
            #expect(
                named.values(of: "access-control-allow-origin") == ["http://localhost:3000"]
            )
            try await eventually("the refusal is told", evidence: { served.program.errors.text }) {
                served.program.errors.text.contains("refused a request of the page at https://evil")
            }
        }
    }

    @Test("it listens while the session is being opened, and a request waits for that")
    func opening() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox(
                "--access-ttl",
                "10m",
                "--faults",
                "delay:login:seconds=3"
            )
            let program = try bench.authtop(
                [
                    "serve", "voltyks", "--vault", "memory", "--base-url",
                    "http://127.0.0.1:\(sandbox.port)/voltyks",
                ],
                with: Guide.voltyks.credentials
            )
            let port = try await eventually("its address", evidence: { program.errors.text }) {
                program.errors.text
                    .firstMatch(of: /http:\/\/127\.0\.0\.1:([0-9]+) sends requests/)
                    .flatMap { Int($0.output.1) }
            }
            #expect(!program.output.text.contains("tokensIssued"))
            let served = Served(program: program, guide: .voltyks, port: port)
            #expect(try await served.ask().status == 200)
            try await program.interrupt()
        }
    }

    @Test("an address in use is told with 2 before anything is sent to the backend")
    func inUse() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let other = try await bench.sandbox()
            let serve = try await bench.operation(
                "serve",
                .voltyks,
                at: sandbox.port,
                "--port",
                "\(other.port)",
                credentials: Guide.voltyks.credentials
            )
            #expect(serve.ending == .exit(2))
            #expect(
                serve.errors.text.contains("another program listens at 127.0.0.1:\(other.port)")
            )
            let counters = try await sandbox.report().counters(of: .voltyks)
            #expect(counters?.logins ?? 0 == 0)
        }
    }

    @Test("the end of the session ends it with 1, and says why")
    func sessionEnds() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let served = try await Self.serve(.voltyks, of: sandbox, on: bench)
            let logout = try await bench.operation("logout", .voltyks, at: sandbox.port)
            #expect(logout.ending == .exit(0), "\(logout.errors.text)")
            #expect(try await served.program.ended() == .exit(1))
            #expect(served.program.errors.text.contains("voltyks: the session ended: "))
            #expect(served.program.output.text.contains("\"kind\":\"signedOut\""))
        }
    }

    @Test("without a session is 1, and names the way out")
    func signedOut() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let serve = try await bench.operation("serve", .voltyks, at: sandbox.port)
            #expect(serve.ending == .exit(1))
            let base = "http://127.0.0.1:\(sandbox.port)/voltyks"
            let remedy = "run: authtop login voltyks --base-url \(base)"
            #expect(serve.errors.text.contains(remedy), "\(serve.errors.text)")
        }
    }

    @Test("neither its lines nor its log have a token")
    func secrets() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let log = bench.home + "/log"
            let served = try await Self.serve(
                .voltyks,
                of: sandbox,
                on: bench,
                "--log",
                log,
                "--log-level",
                "trace"
            )
            let token = try await bench.operation("token", .voltyks, at: sandbox.port).output.text
            #expect(token.count > 24)
            #expect(try await served.ask(["Authorization": "Bearer S3cr3tOfTheApp"]).status == 200)
            try await served.program.interrupt()
            let errors = served.program.errors.text
            #expect(errors.contains("Authorization of requests is replaced"), "\(errors)")
            let text = try String(contentsOfFile: log, encoding: .utf8)
            for output in [errors, served.program.output.text, text] {
                #expect(!output.contains(token.suffix(12)))
                #expect(!output.contains("S3cr3tOfTheApp"))
            }
        }
    }

    @Test(
        "bad input is 2, before anything is sent",
        arguments: [
            (["--to", "http://api.example.com"], "sends tokens in clear text"),
            (["--to", "example"], "has no scheme"),
            (["--socket", "/tmp/x", "--port", "9000"], "leave out one of them"),
            (["--allow-origin", "https://a.example/b"], "an origin has no path"),
            (["--port", "70000"], "expected 0 to 65535"),
        ]
    )
    func badInput(arguments: [String], message: String) async throws {
        try await withBench { bench in
            let program = try bench.authtop(
                ["serve", "voltyks", "--base-url", "http://127.0.0.1:1"] + arguments
            )
            #expect(try await program.ended() == .exit(2))
            #expect(program.errors.text.contains(message), "\(program.errors.text)")
        }
    }
}
