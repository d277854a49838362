import Basics
import Foundation
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
        _ body: (_ proxy: Int, _ certificate: String) async throws -> Void
    ) async throws {
        let authority = try LocalAuthority.fresh(at: LiveTimekeeper().moment.wall)
        var options = ProxyOptions()
        options.authority = authority
        try await withFolder { folder in
            try folder.write("authority.pem", authority.certificatePEM)
            try await withProxy(to: port, options: options) { proxy in
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
