import Basics
import Foundation
import NIOCore
import Platform
import TestSupport
import Testing

@testable import Proxy

/// Independent clients, which trust the authority of a proxy.
@Suite("Proxy: curl, requests, httpx, websockets and fetch", .timeLimit(.minutes(20)))
struct RealClientTests {
    struct Client: Sendable, CustomTestStringConvertible {
        var name: String
        var program: String
        var arguments: [String]
        /// Whether the client is on this machine.
        var isInstalled: @Sendable () async -> Bool

        var testDescription: String { name }

        /// Gets the URL, and the file with the authority's certificate; prints the body.
        static func python(_ module: String, _ code: String) -> Client {
            Client(name: module, program: Program.python, arguments: ["-c", code]) {
                await Program.pythonHas(module)
            }
        }

        static func binary(_ path: String, _ arguments: [String]) -> Client {
            Client(
                name: String(path.split(separator: "/").last ?? ""),
                program: path,
                arguments: arguments
            ) { FileManager.default.isExecutableFile(atPath: path) }
        }
    }

    private static let clients: [Client] = [
        .binary("/usr/bin/curl", ["-sS", "--cacert", "FILE", "URL", "--data-binary", "hello"]),
        .python(
            "requests",
            "import sys, requests; "
                + "print(requests.post('URL', data='hello', verify='FILE').text, end='')"
        ),
        .python(
            "httpx",
            "import httpx; print(httpx.post('URL', content='hello', verify='FILE').text, end='')"
        ),
        .binary(
            "/usr/bin/node",
            [
                "-e",
                "fetch('URL', {method: 'POST', body: 'hello'}).then(async (answer) => "
                    + "process.stdout.write(await answer.text()))",
            ]
        ),
    ]

    /// Answers each request with its body and the address by which the app has reached the proxy.
    private static func serve(_ connection: inout RawConnection) async throws {
        while true {
            let head = try await connection.readHead()
            let field = head.split(separator: "\r\n").first {
                $0.lowercased().hasPrefix("content-length:")
            }
            let length = field.flatMap { Int($0.dropFirst(15).filter(\.isNumber)) } ?? 0
            let body = try await connection.read(length)
            try await connection.write(
                Array("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n".utf8) + body
            )
        }
    }

    private static func withTrustedProxy(
        to port: Int,
        scheme: String = "http",
        configuration: ProxyConfiguration = ProxyConfiguration(),
        seen: RecordedTraffic = RecordedTraffic(),
        _ body: (_ proxy: Int, _ certificate: String) async throws -> Void
    ) async throws {
        let authority = try LocalAuthority.fresh(at: LiveTimekeeper().moment.wall)
        var configuration = configuration
        configuration.authority = authority
        try await withFolder { folder in
            try folder.write("authority.pem", authority.certificatePEM)
            try await withProxy(
                to: port,
                scheme: scheme,
                host: "localhost",
                configuration: configuration,
                seen: seen
            ) { proxy in
                try await body(proxy, folder.path("authority.pem"))
            }
        }
    }

    @Test("a client that trusts the authority gets its answers", arguments: clients)
    func trusting(client: Client) async throws {
        guard await client.isInstalled() else { return }
        try await withOrigin(serve: Self.serve) { port in
            try await Self.withTrustedProxy(to: port) { proxy, certificate in
                for host in ["127.0.0.1", "localhost"] {
                    let program = try Program(
                        client.program,
                        client.arguments.map { argument in
                            argument.replacingOccurrences(of: "FILE", with: certificate)
                                .replacingOccurrences(of: "URL", with: "https://\(host):\(proxy)/a")
                        },
                        environment: ["PATH": "/usr/bin:/bin", "NODE_EXTRA_CA_CERTS": certificate]
                    )
                    #expect(try await program.ended() == .exit(0), "\(program.errors.text)")
                    #expect(program.output.text == "hello")
                }
            }
        }
    }

    @Test(
        "a client that does not trust it refuses, and the backend gets nothing",
        arguments: [
            Client.binary("/usr/bin/curl", ["-sS", "URL"]),
            Client.binary("/usr/bin/node", ["-e", "fetch('URL')"]),
        ]
    )
    func doubting(client: Client) async throws {
        guard await client.isInstalled() else { return }
        try await withOrigin { connection in
            let head = try await connection.readHead()
            Issue.record("the backend got \(head)")
        } body: { port in
            try await Self.withTrustedProxy(to: port) { proxy, _ in
                let url = "https://127.0.0.1:\(proxy)/"
                let program = try Program(
                    client.program,
                    client.arguments.map { $0.replacingOccurrences(of: "URL", with: url) },
                    environment: ["PATH": "/usr/bin:/bin"]
                )
                #expect(try await program.ended() != .exit(0))
            }
        }
    }

    @Test(
        "an app speaks HTTP/2 where the backend does, and HTTP/1.1 where it does not",
        arguments: [true, false]
    )
    func multiplexed(backendSpeaksHTTP2: Bool) async throws {
        let now = LiveTimekeeper().moment.wall
        let backend = try LocalAuthority.fresh(at: now)
        let tls = try backend.serverContext(at: now)
        let seen = RecordedTraffic()
        try await withFolder { folder in
            try folder.write("backend.pem", backend.certificatePEM)
            let trust = try TrustRoots(caFile: folder.path("backend.pem"))
            let curl: @Sendable (Int) async throws -> Void = { port in
                try await Self.withTrustedProxy(
                    to: port,
                    scheme: "https",
                    configuration: ProxyConfiguration(trust: trust),
                    seen: seen
                ) { proxy, file in
                    let url = "https://localhost:\(proxy)"
                    let program = try Program(
                        "/usr/bin/curl",
                        ["-sSi", "--http2", "--cacert", file, "\(url)/a", "\(url)/b"]
                    )
                    #expect(try await program.ended() == .exit(0), "\(program.errors.text)")
                    let version = backendSpeaksHTTP2 ? "HTTP/2" : "HTTP/1.1"
                    let output = program.output.text
                    #expect(output.parts(at: "\n").count { $0.hasPrefix("\(version) 200") } == 2)
                }
            }
            if backendSpeaksHTTP2 {
                try await withHTTP2Origin(tls: tls.http2) { stream in
                    _ = try await stream.head()
                    try await stream.write([(":status", "200")], ends: true)
                } body: { port in
                    try await curl(port)
                }
            } else {
                try await withOrigin(tls: tls.http1, serve: Self.serve, body: curl)
            }
        }
        #expect(seen.words.contains("1 GET /a") && seen.words.contains("2 GET /b"))
    }

    /// Sends a request over TLS, and ends the connection as a line of code says.
    private static func ending(_ port: Int, _ certificate: String, by end: String) -> [String] {
        let code = """
            import os, select, socket, ssl, time
            context = ssl.create_default_context(cafile="\(certificate)")
            raw = socket.create_connection(("127.0.0.1", \(port)))
            s = context.wrap_socket(raw, server_hostname="localhost")
            s.sendall(b"GET /a HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
            def read():
                data = b""
                while not data.endswith(b"\\r\\n\\r\\nok"):
                    data += s.recv(4096)
                time.sleep(0.2)
            \(end)
            """
        return ["-c", code]
    }

    @Test(
        "an app has its answer however it ends its connection after reading it",
        arguments: [
            "read(); s.close()", "read(); s.unwrap()", "read(); os._exit(0)",
            "read(); s = s.unwrap(); s.shutdown(socket.SHUT_WR); s.recv(1)",
        ],
        ["", "Connection: close\r\n"]
    )
    func read(end: String, field: String) async throws {
        let words = try await Self.deliveries(end: end, field: field)
        #expect(words == ["1 delivered", "2 delivered"])
    }

    @Test("an app that waits for the end of the connection after its last answer gets it")
    func end() async throws {
        let words = try await Self.deliveries(
            end: "read(); assert s.recv(1) == b''",
            field: "Connection: close\r\n",
            farewell: .milliseconds(400)
        )
        #expect(words == ["1 delivered", "2 delivered"])
    }

    @Test(
        "an app that goes away before it has read its answer may not have it",
        arguments: [
            "select.select([s], [], []); time.sleep(0.2); os._exit(0)",
            "select.select([s], [], []); time.sleep(0.2); s.close()",
        ],
        ["", "Connection: close\r\n"]
    )
    func unread(end: String, field: String) async throws {
        let words = try await Self.deliveries(end: end, field: field)
        #expect(words == ["1 delivered", "1 not delivered", "2 delivered"])
    }

    /// Returns what is told of the delivery of an answer whose app ends its connection, and of another.
    private static func deliveries(
        end: String,
        field: String,
        farewell: TimeAmount = .minutes(10)
    ) async throws -> [String] {
        let seen = RecordedTraffic()
        var configuration = ProxyConfiguration()
        configuration.resetWindow = .minutes(10)
        configuration.farewell = farewell
        try await withOrigin { connection in
            _ = try await connection.readHead()
            try await connection.write("HTTP/1.1 200 OK\r\n\(field)Content-Length: 2\r\n\r\nok")
            if field.isEmpty { _ = await connection.readToEnd() }
        } body: { port in
            try await withTrustedProxy(to: port, configuration: configuration, seen: seen) {
                proxy,
                file in
                try await Program.run(Program.python, ending(proxy, file, by: end))
                let url = "https://localhost:\(proxy)/b"
                try await Program.run("/usr/bin/curl", ["-sS", "--cacert", file, url])
                try await eventually("another answer") { seen.words.contains("2 delivered") }
            }
        }
        return seen.words.filter { $0.hasSuffix("delivered") }
    }

    @Test(
        "a WebSocket of python3-websockets over TLS, compressed",
        .enabled("python3-websockets is not installed") { await Program.pythonHas("websockets") }
    )
    func socket() async throws {
        let server = """
            import asyncio, websockets
            async def serve(ws):
                async for message in ws:
                    await ws.send(message)
            async def main():
                async with websockets.serve(serve, "127.0.0.1", 0) as server:
                    print(server.sockets[0].getsockname()[1], flush=True)
                    await asyncio.Future()
            asyncio.run(main())
            """
        let client = """
            import asyncio, ssl, sys, websockets
            async def main():
                context = ssl.create_default_context(cafile=sys.argv[2])
                uri = f"wss://localhost:{sys.argv[1]}/feed"
                async with websockets.connect(uri, ssl=context) as ws:
                    for message in ["hello", "é" * 100000, b"x" * 65536]:
                        await ws.send(message)
                        assert await ws.recv() == message
                print("ok", flush=True)
            asyncio.run(main())
            """
        let python = try Program(Program.python, ["-c", server])
        do {
            let line = try await eventually("its port", evidence: { python.errors.text }) {
                python.output.lines.first
            }
            try await Self.withTrustedProxy(to: #require(Int(line))) { proxy, certificate in
                let program = try Program(
                    Program.python,
                    ["-c", client, "\(proxy)", certificate]
                )
                #expect(try await program.ended() == .exit(0), "\(program.errors.text)")
                #expect(program.output.lines == ["ok"])
            }
        } catch {
            await python.stop()
            throw error
        }
        await python.stop()
    }
}
