import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@Suite("Programs and webhooks that are told of events", .programs)
struct HookTests {
    /// Writes tables `[[on]]`, each with a program that appends its input to a file.
    ///
    /// - Returns: The file.
    private static func append(_ events: [String], on bench: Bench) throws -> String {
        let file = bench.home + "/told"
        let tables = events.map { event in
            """
            [[on]]
            event = "\(event)"
            run = ["sh", "-c", 'env >>"$0.environment"; cat >>"$0"', "\(file)"]

            """
        }
        try bench.write(tables.joined(), to: "config/authtop/config.toml")
        return file
    }

    private static func lines(_ file: String) -> [String] {
        let text = try? String(contentsOfFile: file, encoding: .utf8)
        return (text ?? "").split(separator: "\n").map(String.init)
    }

    @Test("a program reads the event's line, and neither it nor its environment has a token")
    func run() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "3s")
            let relay = try bench.relay(to: sandbox)
            let events = ["tokensIssued", "loginStarted", "request", "refreshSucceeded"]
            let file = try Self.append(events, on: bench)
            let watch = try bench.watch(.voltyks, at: relay.port, for: "8s")
            try await watch.program.ended()
            let lines = Self.lines(file)
            let printed = Set(watch.program.output.lines)
            let exact = lines.filter(printed.contains).compactMap { line in
                line.firstMatch(of: /"kind":"(\w+)"/).map { String($0.1) }
            }
            #expect(Set(exact).isSuperset(of: ["tokensIssued", "loginStarted"]), "\(lines)")
            for line in lines {
                #expect(try JSON.object(in: line)["profile"] == .text("voltyks"))
            }
            let tokens = TokenHarvest(relay).tokens
            #expect(tokens.count >= 4)
            let scan = TokenScan(tokens)
            for name in [file, file + ".environment"] {
                let content = try #require(FileManager.default.contents(atPath: name))
                #expect(!content.isEmpty)
                #expect(scan.forms(in: content) == [], "\(name)")
                #expect(!String(decoding: content, as: UTF8.self).contains("AUTHTOP_VOLTYKS"))
            }
        }
    }

    @Test("serve tells as watch does, and local says that it does not")
    func served() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let file = try Self.append(["sessionEnded"], on: bench)
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
            try await sandbox.switchOn("early-revocation:once:protected")
            for _ in 1...2 {
                _ = try? await HandMadeRequest(
                    method: "GET",
                    target: Guide.voltyks.protectedPath
                )
                .send(to: port)
            }
            #expect(try await program.ended() == .exit(1))
            let told = try Self.lines(file).map { try JSON.object(in: $0) }
            #expect(told.map { $0["condition"] } == [.text("sessionEnded")])
            let local = try bench.authtop(["local"])
            _ = try await local.ended()
            #expect(local.errors.text.contains("local runs none of the [[on]] in config.toml"))
        }
    }

    @Test("a storm starts one program a second, and everything else is told as left out")
    func storm() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--feed-rate", "200")
            let file = try Self.append(["feedMessage"], on: bench)
            let watch = try bench.watch(.bitbasel, at: sandbox.port, for: "6s")
            try await watch.program.ended()
            let told = try Self.lines(file).map { try JSON.object(in: $0) }
            let dropped = told.compactMap { $0["dropped"]?.number }
            let messages = watch.program.output.lines.count { line in
                line.contains("\"kind\":\"feedMessage\"")
            }
            #expect(messages > 200)
            #expect((2...8).contains(told.count), "\(told.count)")
            #expect(told.count + Int(dropped.reduce(0, +)) == messages)
        }
    }

    @Test("a program that is not there, or fails, is told once, and ends nothing")
    func missing() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--feed-rate", "20")
            try bench.write(
                """
                [[on]]
                event = "feedMessage"
                run = ["no-such-program", "x"]
                [[on]]
                event = "feedMessage"
                run = ["sh", "-c", "echo out; echo err >&2; exit 7"]
                """,
                to: "config/authtop/config.toml"
            )
            let watch = try bench.watch(.bitbasel, at: sandbox.port, for: "5s")
            #expect(try await watch.program.ended() == .exit(0))
            // On a busy machine, the last program may still run at the end.
            let told = watch.program.errors.lines.filter {
                $0.contains("config.toml") && !$0.contains("waiting for sh")
            }
            let file = bench.home + "/config/authtop/config.toml"
            let end = "; further failures are not told"
            #expect(
                told.sorted() == [
                    "authtop: \(file):1: no-such-program was not found\(end)",
                    "authtop: \(file):4: sh exited with 7\(end)",
                ]
            )
            #expect(!watch.program.errors.text.contains("err\n"))
            #expect(!watch.program.output.lines.contains("out"))
        }
    }

    /// Writes a table whose program tells that it has begun, and goes on.
    private static func hang(on bench: Bench) throws -> String {
        let file = bench.home + "/begun"
        try bench.write(
            """
            [[on]]
            event = "tokensIssued"
            run = ["sh", "-c", 'echo >"$0"; exec sleep 600', "\(file)"]
            """,
            to: "config/authtop/config.toml"
        )
        return file
    }

    @Test("a program that goes on at the end is waited for with a line, and then ended")
    func hanging() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let file = try Self.hang(on: bench)
            let watch = try bench.watch(.voltyks, at: sandbox.port)
            try await eventually("the program") { !Self.isMissing(file) }
            watch.program.send(SIGINT)
            #expect(try await watch.program.ended() == .exit(130))
            let errors = watch.program.errors.text
            #expect(errors.contains("waiting for sh ("), "\(errors)")
            #expect(errors.contains("config.toml:1), 2 s at most: Ctrl-C ends at once"))
        }
    }

    @Test("a second Ctrl-C ends at once, whatever runs")
    func secondInterrupt() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let file = try Self.hang(on: bench)
            let watch = try bench.watch(.voltyks, at: sandbox.port)
            try await eventually("the program") { !Self.isMissing(file) }
            watch.program.send(SIGINT)
            try await eventually("the line", evidence: { watch.program.errors.text }) {
                watch.program.errors.text.contains("waiting for sh")
            }
            watch.program.send(SIGINT)
            #expect(try await watch.program.ended() == .exit(130))
            // It would be told that the program was ended for taking too long.
            #expect(!watch.program.errors.text.contains("took too long"))
        }
    }

    private static func isMissing(_ file: String) -> Bool {
        !FileManager.default.fileExists(atPath: file)
    }

    @Test(
        "a webhook gets the event's line as JSON, and its refusal is told once",
        arguments: [204, 500]
    )
    func webhook(status: Int) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "3s")
            let requests = Requests()
            let server = bench.keep(
                try LoopbackServer { request in
                    requests.add(request)
                    return "HTTP/1.1 \(status) Hello\r\nContent-Length: 0\r\n\r\n"
                }
            )
            try bench.write(
                """
                [[on]]
                event = "tokensIssued"
                webhook = "http://127.0.0.1:\(server.port)/hook/s3cr3t?x=1"
                """,
                to: "config/authtop/config.toml"
            )
            let watch = try bench.watch(.voltyks, at: sandbox.port, for: "6s")
            try await watch.program.ended()
            let all = requests.all
            #expect(all.count >= 2)
            for request in all {
                #expect(request.startLine == "POST /hook/s3cr3t?x=1 HTTP/1.1")
                #expect(request.values(of: "content-type") == ["application/json"])
                #expect(request.values(of: "authorization") == [])
                #expect(request["kind"] == .text("tokensIssued"))
                #expect(request["profile"] == .text("voltyks"))
            }
            #expect(all.contains { watch.program.output.lines.contains($0.body) })
            let told = watch.program.errors.lines.filter { $0.contains("the webhook at") }
            #expect(told.count == (status == 204 ? 0 : 1), "\(told)")
            #expect(!watch.program.errors.text.contains("s3cr3t"))
        }
    }

    /// Requests as they come.
    private final class Requests: Sendable {
        private let state = Mutex<[HTTPMessage]>([])

        var all: [HTTPMessage] { state.withLock { $0 } }

        func add(_ request: HTTPMessage) { state.withLock { $0.append(request) } }
    }

    @Test("the proxy tells of a finding that is certain, once")
    func finding() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox(
                "--reuse",
                "strict-revoke",
                "--access-ttl",
                "3s",
                "--faults",
                "delay:refresh:seconds=0.3"
            )
            let file = try Self.append(["certainFinding"], on: bench)
            let app = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../Proxy/app.py").path
            let program = try bench.authtop([
                "proxy", "--to", "http://127.0.0.1:\(sandbox.port)/voltyks", "--port", "0",
                "--env", "API_URL", "--exec", "python3 '\(app)' race",
            ])
            #expect(try await program.ended() == .exit(1), "\(program.errors.text)")
            let told = try Self.lines(file).map { try JSON.object(in: $0) }
            #expect(!told.isEmpty)
            for line in told {
                #expect(line["kind"] == .text("finding"))
                #expect(line["confidence"] == .text("certain"))
                #expect(line["condition"] == .text("certainFinding"))
            }
            #expect(Set(told.compactMap { $0["number"]?.number }).count == told.count)
        }
    }

    @Test("the terminal rings for the end of a session while it is in the background")
    func bell() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            try bench.write(
                "[notifications]\nterminal = \"bell\"",
                to: "config/authtop/config.toml"
            )
            let guide = Guide.bitbasel
            let terminal = try await bench.terminal(with: guide.credentials)
            try await terminal.reportFocus()
            try await terminal.enter(
                "authtop watch bitbasel --vault memory --every 2s "
                    + "--base-url http://127.0.0.1:\(sandbox.port)/bitbasel"
            )
            try await terminal.see("● open")
            try await terminal.setForeground(false)
            #expect(try await !terminal.hasRung)
            try await sandbox.switchOn("early-revocation:once:protected")
            try await terminal.see("○ signed out")
            try await eventually("the bell") { try await terminal.hasRung }
        }
    }
}
