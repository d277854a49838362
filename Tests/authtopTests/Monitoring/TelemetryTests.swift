import Foundation
import Synchronization
import TestSupport
import Testing

/// A collector that keeps what it is sent, and answers as it is told.
private final class Collector: Stoppable {
    private final class Requests: Sendable {
        let list = Mutex<[HTTPMessage]>([])
    }

    private let requests = Requests()
    private let server: LoopbackServer

    init(answering answer: @escaping @Sendable (HTTPMessage) -> String) throws {
        server = try LoopbackServer { [requests] request in
            requests.list.withLock { $0.append(request) }
            return answer(request)
        }
    }

    var url: String { "http://127.0.0.1:\(server.port)" }

    func bodies(of signal: String) -> [String] {
        requests.list.withLock { requests in
            requests.filter { $0.path == "/v1/\(signal)" }.map(\.body)
        }
    }

    /// The values of a field in each request.
    func values(of field: String) -> [[String]] {
        requests.list.withLock { requests in requests.map { $0.values(of: field) } }
    }

    func stop() async { await server.stop() }

    static func answer(_ status: String, _ body: String = "{}", _ field: String = "") -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\n\(field)"
            + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
    }
}

@Suite("Telemetry of a run", .programs)
struct TelemetryTests {
    private static let variables = [
        "OTEL_EXPORTER_OTLP_HEADERS": "api-key=s3cr3t-of-collector",
        "OTEL_METRIC_EXPORT_INTERVAL": "500", "OTEL_SERVICE_NAME": "probe",
    ]

    /// Watches a session that renews while a collector is told.
    private static func watch(
        _ collector: String,
        for duration: String,
        on bench: Bench,
        at port: Int
    ) throws -> Watch {
        let program = try bench.authtop(
            [
                "watch", "voltyks", "--base-url", "http://127.0.0.1:\(port)/voltyks", "--json",
                "--for", duration, "--vault", "memory", "--otlp", collector,
            ],
            with: Guide.voltyks.credentials.merging(variables) { $1 }
        )
        return Watch(program: program, stream: EventStream(program.output))
    }

    @Test("metrics, traces and logs are sent, the last ones at the end, and no token is in them")
    func sent() async throws {
        try await withBench { bench in
            let collector = bench.keep(try Collector { _ in Collector.answer("200 OK") })
            let sandbox = try await bench.sandbox("--access-ttl", "3s")
            let relay = try bench.relay(to: sandbox)
            let watch = try Self.watch(collector.url, for: "9s", on: bench, at: relay.port)
            #expect(try await watch.program.ended() == .exit(0))
            let spans = collector.bodies(of: "traces").joined()
            #expect(spans.contains(#""name":"renewal""#) && spans.contains(#""name":"refresh""#))
            let metrics = collector.bodies(of: "metrics")
            #expect(metrics.count > 2)
            #expect(metrics.last?.contains(#""name":"authtop_renewals""#) == true)
            let logs = collector.bodies(of: "logs").joined()
            for line in watch.program.output.lines.prefix(10) {
                let escaped = line.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
                #expect(logs.contains(escaped), "\(line)")
            }
            #expect(logs.contains(#"{"key":"service.name","value":{"stringValue":"probe"}}"#))
            #expect(collector.values(of: "api-key").allSatisfy { $0 == ["s3cr3t-of-collector"] })
            let tokens = TokenHarvest(relay).tokens
            #expect(tokens.count >= 4)
            let scan = TokenScan(tokens.union(["s3cr3t-of-collector"]))
            for text in [logs, spans, metrics.joined(), watch.program.errors.text] {
                #expect(scan.forms(in: Data(text.utf8)) == [])
            }
            #expect(watch.program.errors.text == "")
        }
    }

    @Test("a served request, its refusal, the renewal and the request sent again are one trace")
    func served() async throws {
        try await withBench { bench in
            let collector = bench.keep(try Collector { _ in Collector.answer("200 OK") })
            let guide = Guide.voltyks
            let sandbox = try await bench.sandbox("--access-ttl", "10m", "--reuse", "strict-revoke")
            _ = try await bench.logIn(guide, at: sandbox.port)
            let program = try bench.authtop([
                "serve", guide.rawValue, "--base-url",
                "http://127.0.0.1:\(sandbox.port)/\(guide.rawValue)", "--otlp", collector.url,
            ])
            let port = try await eventually("its address", evidence: { program.errors.text }) {
                program.errors.text
                    .firstMatch(of: /http:\/\/127\.0\.0\.1:([0-9]+) sends requests/)
                    .flatMap { Int($0.output.1) }
            }
            let trace = "0af7651916cd43dd8448eb211c80319c"
            let request = HandMadeRequest(
                method: "GET",
                target: guide.protectedPath,
                headers: ["traceparent": "00-\(trace)-b7ad6b7169203331-01"]
            )
            #expect(try await request.send(to: port).status == 200)
            try await sandbox.switchOn("unauthorized:once")
            #expect(try await request.send(to: port).status == 200)
            try await program.interrupt()
            let spans = collector.bodies(of: "traces").joined()
            #expect(spans.matches(of: /"name":"protected"/).count == 2, "\(spans)")
            #expect(spans.matches(of: /"name":"renewal"/).count == 1, "\(spans)")
            // Both requests, the renewal and its request; the second request has a link to the renewal.
            let ids = spans.matches(of: /"traceId":"([0-9a-f]+)"/)
            #expect(ids.count { $0.output.1 == trace } >= 5, "\(spans)")
            #expect(spans.contains(#""links":[{"#), "\(spans)")
        }
    }

    @Test(
        "what is sent is what the protocol's own definition reads",
        .enabled("opentelemetry-proto is not installed, and PYTHONPATH names none") {
            await Program.pythonHas("opentelemetry.proto.collector.trace.v1.trace_service_pb2")
        }
    )
    func parsed() async throws {
        try await withBench { bench in
            let collector = bench.keep(try Collector { _ in Collector.answer("200 OK") })
            let sandbox = try await bench.sandbox("--access-ttl", "3s")
            let watch = try Self.watch(collector.url, for: "9s", on: bench, at: sandbox.port)
            #expect(try await watch.program.ended() == .exit(0))
            let script = """
                import base64, importlib, json, sys
                from google.protobuf import json_format
                def read(o):
                    # In OTLP, ids are hexadecimal where the mapping of proto3 has Base64.
                    if isinstance(o, list): return [read(x) for x in o]
                    if not isinstance(o, dict): return o
                    ids = ('traceId', 'spanId', 'parentSpanId')
                    return {k: base64.b64encode(bytes.fromhex(v)).decode() if k in ids else read(v)
                            for k, v in o.items()}
                part, name, path = sys.argv[1:]
                module = f'opentelemetry.proto.collector.{part}.v1.{part}_service_pb2'
                message = getattr(importlib.import_module(module), name)()
                json_format.ParseDict(read(json.load(open(path))), message)
                """
            let names = [
                ("metrics", "metrics", "ExportMetricsServiceRequest"),
                ("traces", "trace", "ExportTraceServiceRequest"),
                ("logs", "logs", "ExportLogsServiceRequest"),
            ]
            for (signal, part, name) in names {
                let bodies = collector.bodies(of: signal)
                #expect(!bodies.isEmpty, "\(signal)")
                for body in bodies {
                    let path = try bench.write(body, to: signal)
                    try await Program.run(Program.python, ["-c", script, part, name, path])
                }
            }
        }
    }

    @Test(
        "a collector that fails costs the run nothing, and what is lost is said once",
        arguments: [
            ("429 Too Many Requests", "{}", "Retry-After: 100\r\n", "answered 429"),
            ("400 Bad Request", "{}", "", "answered 400"),
            (
                "200 OK", #"{"partialSuccess":{"rejectedLogRecords":"3","errorMessage":"no"}}"#, "",
                "rejected 3 items"
            ),
        ]
    )
    func failing(status: String, body: String, field: String, told: String) async throws {
        try await withBench { bench in
            let collector = bench.keep(
                try Collector { request in
                    Collector.answer(status, request.path == "/v1/logs" ? body : "{}", field)
                }
            )
            let sandbox = try await bench.sandbox("--access-ttl", "3s")
            let watch = try Self.watch(collector.url, for: "8s", on: bench, at: sandbox.port)
            #expect(try await watch.program.ended() == .exit(0))
            #expect(try watch.stream.all("refreshFailed").isEmpty)
            let lines = watch.program.errors.lines
            #expect(lines.count == 2, "\(lines)")
            #expect(lines.first?.contains(told) == true, "\(lines)")
            #expect(lines.last?.contains("not delivered to \(collector.url)") == true, "\(lines)")
        }
    }

    @Test("a collector that is not there, or never answers, ends within seconds with the run")
    func absent() async throws {
        try await withBench { bench in
            let listener = try LoopbackListener()
            listener.start { connection in
                // Reads, and never answers.
                while !LoopbackSocket.receive(on: connection).isEmpty {}
            }
            let sandbox = try await bench.sandbox("--access-ttl", "3s")
            for port in [1, listener.port] {
                let watch = try Self.watch(
                    "http://127.0.0.1:\(port)",
                    for: "6s",
                    on: bench,
                    at: sandbox.port
                )
                #expect(try await watch.program.ended() == .exit(0))
                #expect(watch.program.errors.text.contains("not delivered"))
            }
            listener.stop()
        }
    }

    @Test("the proxy passes the context of a trace on unchanged, and its spans are part of it")
    func joined() async throws {
        try await withBench { bench in
            let collector = bench.keep(try Collector { _ in Collector.answer("200 OK") })
            let backend = bench.keep(
                try Collector { _ in Collector.answer("401 Unauthorized", "{}") }
            )
            let program = try bench.authtop([
                "proxy", "--to", backend.url, "--port", "0", "--json", "--for", "10m", "--otlp",
                collector.url,
            ])
            let port = try await eventually("its address", evidence: { program.errors.text }) {
                program.errors.text.firstMatch(of: /http:\/\/127\.0\.0\.1:([0-9]+) stands in/)
                    .flatMap { Int($0.output.1) }
            }
            let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
            let value = "00-\(trace)-00f067aa0ba902b7-01"
            let request = HandMadeRequest(
                method: "GET",
                target: "/me",
                headers: ["traceparent": value, "Authorization": "Bearer a1B2c3D4e5F6"]
            )
            #expect(try await request.send(to: port).status == 401)
            let stream = EventStream(program.output)
            let event = try await stream.first("request")
            #expect(event.text("trace") == trace)
            let body = try await eventually("its span", evidence: { program.errors.text }) {
                collector.bodies(of: "traces").first
            }
            #expect(body.contains(#""parentSpanId":"00f067aa0ba902b7""#))
            #expect(body.contains(#""traceId":"\#(trace)""#))
            #expect(backend.values(of: "traceparent") == [[value]])
            await program.stop()
        }
    }
}
