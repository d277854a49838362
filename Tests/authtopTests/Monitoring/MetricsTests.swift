import Foundation
import TestSupport
import Testing

@Suite("Metrics of a run", .programs)
struct MetricsTests {
    private static let promtool = "/usr/bin/promtool"

    /// Waits for the port that a program names.
    private static func port(of program: Program) async throws -> Int {
        try await eventually("its address", evidence: { program.errors.text }) {
            program.errors.text.firstMatch(of: /http:\/\/127\.0\.0\.1:([0-9]+)\/metrics/)
                .flatMap { Int($0.output.1) }
        }
    }

    private static func get(
        _ target: String,
        at port: Int,
        _ headers: [String: String] = [:]
    ) async throws -> HTTPMessage {
        try await HandMadeRequest(method: "GET", target: target, headers: headers).send(to: port)
    }

    @Test("count what happens to a session, and name no token")
    func watched() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "4s")
            let relay = try bench.relay(to: sandbox)
            let watch = try bench.watch(.voltyks, at: relay.port, for: "10m", "--metrics", "0")
            let port = try await Self.port(of: watch.program)
            try await watch.stream.first("refreshSucceeded")
            let succeeded =
                #/renewals_total\{profile="voltyks",trigger="timer",outcome="succeeded"\} [1-9]/#
            let answer = try await eventually("a renewal that is counted") {
                let answer = try await Self.get("/metrics", at: port)
                return answer.body.contains(succeeded) ? answer : nil
            }
            #expect(answer.status == 200)
            #expect(
                answer.values(of: "content-type") == ["text/plain;version=0.0.4;charset=utf-8"]
            )
            for line in [
                #"authtop_logins_total{profile="voltyks",outcome="succeeded"} 1"#,
                #"authtop_session_up{profile="voltyks"} 1"#,
                #"authtop_build_info{version="#,
                #"authtop_access_token_expiration_timestamp_seconds{profile="voltyks",source=""#,
            ] {
                #expect(answer.body.contains(line), "\(line)\n\(answer.body)")
            }
            let scan = TokenScan(TokenHarvest(relay).tokens)
            #expect(scan.forms(in: Data(answer.body.utf8)) == [])
            #expect(try await Self.get("/healthz", at: port).status == 200)
            #expect(try await Self.get("/readyz", at: port).body == "ready\n")
            let probe = try await Self.get("/probe?profile=voltyks", at: port)
            #expect(probe.status == 200 && !probe.body.contains("authtop_build_info"))
            #expect(try await Self.get("/probe?profile=nobody", at: port).status == 404)
            #expect(try await Self.get("/probe", at: port).status == 400)
            #expect(try await Self.get("/", at: port).status == 404)
            for refused in ["Origin", "Sec-Fetch-Site"] {
                let answer = try await Self.get("/metrics", at: port, [refused: "null"])
                #expect(answer.status == 403 && !answer.body.contains("authtop_"))
            }
            let post = HandMadeRequest(method: "POST", target: "/metrics")
            #expect(try await post.send(to: port).status == 405)
        }
    }

    @Test("say why a session cannot be used")
    func unready() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let program = try bench.authtop(
                [
                    "serve", "voltyks", "--vault", "memory", "--base-url",
                    "http://127.0.0.1:\(sandbox.port)/voltyks", "--metrics", "localhost:0",
                ],
                with: Guide.voltyks.credentials
            )
            let port = try await Self.port(of: program)
            try await eventually("that it is ready") {
                try await Self.get("/readyz", at: port).status == 200
            }
            await sandbox.program.stop()
            let stopped = try bench.authtop(
                ["watch", "voltyks", "--vault", "memory", "--json", "--metrics", "0"]
                    + ["--base-url", "http://127.0.0.1:\(sandbox.port)/voltyks"],
                with: Guide.voltyks.credentials
            )
            let answer = try await Self.get("/readyz", at: try await Self.port(of: stopped))
            #expect(answer.status == 503)
            #expect(answer.body.hasPrefix("voltyks: "))
        }
    }

    @Test(
        "pass the check of Prometheus, in its own format",
        .enabled("prometheus is not installed") {
            FileManager.default.isExecutableFile(atPath: promtool)
        }
    )
    func checked() async throws {
        try await withBench { bench in
            let (watch, port) = try await Self.watchedPort(on: bench)
            let body = try await Self.get("/metrics", at: port).body
            try bench.write(body, to: "metrics")
            try await Program.shell("\(Self.promtool) check metrics <\(bench.home)/metrics")
            await watch.program.stop()
        }
    }

    @Test(
        "are read by the parser of OpenMetrics",
        .enabled("python3-prometheus-client is not installed") {
            await Program.pythonHas("prometheus_client")
        }
    )
    func parsed() async throws {
        try await withBench { bench in
            let (watch, port) = try await Self.watchedPort(on: bench)
            let answer = try await Self.get(
                "/metrics",
                at: port,
                ["Accept": "application/openmetrics-text; version=1.0.0"]
            )
            #expect(
                answer.values(of: "content-type")
                    == ["application/openmetrics-text;version=1.0.0;charset=utf-8"]
            )
            let path = try bench.write(answer.body, to: "metrics")
            let script = """
                import sys
                from prometheus_client.openmetrics.parser import text_string_to_metric_families
                found = {f.name for f in text_string_to_metric_families(open(sys.argv[1]).read())}
                assert 'authtop_renewals' in found and 'authtop_build' in found, found
                """
            try await Program.run(Program.python, ["-c", script, path])
            await watch.program.stop()
        }
    }

    private static func watchedPort(on bench: Bench) async throws -> (Watch, Int) {
        let sandbox = try await bench.sandbox("--access-ttl", "4s")
        let watch = try bench.watch(.bitbasel, at: sandbox.port, for: "10m", "--metrics", "0")
        let port = try await Self.port(of: watch.program)
        try await watch.stream.first("refreshSucceeded")
        return (watch, port)
    }

    @Test("count what an app does behind the proxy")
    func proxied() async throws {
        try await withBench { bench in
            let program = try bench.authtop(["proxy", "--demo", "--json", "--metrics", "0"])
            let port = try await Self.port(of: program)
            try await eventually("a finding that is counted", evidence: { program.errors.text }) {
                let answer = try await Self.get("/metrics", at: port)
                return answer.body.contains("authtop_findings_total{")
                    && answer.body.contains("authtop_renewals_total{")
            }
            #expect(try await Self.get("/readyz", at: port).body == "ready\n")
        }
    }

    @Test("need a port that is free")
    func taken() async throws {
        try await withBench { bench in
            let server = bench.keep(try LoopbackServer { _ in "" })
            let program = try bench.authtop(
                [
                    "watch", "voltyks", "--vault", "memory", "--json", "--base-url",
                    "http://127.0.0.1:9", "--metrics", "127.0.0.1:\(server.port)",
                ],
                with: Guide.voltyks.credentials
            )
            #expect(try await program.ended() == .exit(2))
            #expect(program.errors.text.contains("--metrics: "), "\(program.errors.text)")
        }
    }

    @Test(
        "need an address that is one",
        arguments: ["nowhere:9464", "127.0.0.1", "127.0.0.1:x", ""]
    )
    func mistyped(address: String) async throws {
        try await withBench { bench in
            let program = try bench.authtop(["watch", "voltyks", "--metrics", address])
            #expect(try await program.ended() == .exit(2))
            #expect(program.errors.text.contains("--metrics"))
        }
    }
}
