import TestSupport
import Testing

@testable import HTTP

extension Python {
    /// An echo that compresses as its arguments say, and insists on it.
    static let compressingServer = """
        import asyncio, sys, websockets
        from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory

        def terms(server, client, server_bits, client_bits):
            return ServerPerMessageDeflateFactory(
                server_no_context_takeover=server == "true",
                client_no_context_takeover=client == "true",
                server_max_window_bits=int(server_bits),
                client_max_window_bits=int(client_bits),
            )

        async def serve(ws):
            async for message in ws:
                await ws.send(message)

        async def main():
            async with websockets.serve(
                serve, "127.0.0.1", 0, extensions=[terms(*sys.argv[1:])], compression=None,
                max_size=None, ping_interval=None,
            ) as server:
                print(server.sockets[0].getsockname()[1], flush=True)
                await asyncio.Future()

        asyncio.run(main())
        """

    /// Talks to an echo on the port it is given, compressing as its arguments say.
    static let compressingClient = """
        import asyncio, os, sys, websockets
        from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory

        async def main(port, server, client, server_bits, client_bits):
            offer = ClientPerMessageDeflateFactory(
                server_no_context_takeover=server == "true",
                client_no_context_takeover=client == "true",
                server_max_window_bits=int(server_bits),
                client_max_window_bits=int(client_bits),
            )
            async with websockets.connect(
                f"ws://127.0.0.1:{port}/", extensions=[offer], compression=None, max_size=None,
                ping_interval=None,
            ) as ws:
                assert ws.extensions, "no compression"
                noise = os.urandom(40_000)
                for size in [0, 1, 125, 126, 40_000]:
                    for message in ["é" * (size // 2), noise[:size], noise[:size]]:
                        await ws.send(message)
                        assert await ws.recv() == message, size
                await ws.send(["κό", "σ", "", "με"])
                assert await ws.recv() == "κόσμε"
            print("ok", flush=True)

        asyncio.run(main(*sys.argv[1:]))
        """
}

@Suite(
    "permessage-deflate and python3-websockets",
    .timeLimit(.minutes(20)),
    .enabled("python3-websockets is not installed") { await Program.pythonHas("websockets") }
)
struct PythonCompressionTests {
    private static func arguments(_ terms: WebSocketCompression) -> [String] {
        [
            "\(terms.serverNoContextTakeover)", "\(terms.clientNoContextTakeover)",
            "\(terms.serverMaxWindowBits)", "\(terms.clientMaxWindowBits)",
        ]
    }

    @Test(
        "our client and its server, on every terms",
        arguments: WebSocketCompression.combinations
    )
    func client(terms: WebSocketCompression) async throws {
        let arguments = ["-c", Python.compressingServer] + Self.arguments(terms)
        let python = try Program(Program.python, arguments)
        let first = try await eventually("its port", evidence: { python.errors.text }) {
            python.output.lines.first
        }
        let port = try #require(Int(first), "\(first)")
        let connection = try await WebSocketDialer.unpredictable().open(.local(port))
        let agreed = try #require(connection.compression)
        #expect(agreed.serverMaxWindowBits == terms.serverMaxWindowBits)
        #expect(agreed.clientMaxWindowBits == terms.clientMaxWindowBits)
        #expect(agreed.serverNoContextTakeover == terms.serverNoContextTakeover)
        #expect(agreed.clientNoContextTakeover == terms.clientNoContextTakeover)
        try await CompressedConversationTests.echo(connection)
        #expect(await connection.close().clean)
        await python.stop()
    }

    @Test(
        "its client and our server, with every offer",
        arguments: WebSocketCompression.combinations
    )
    func server(offer: WebSocketCompression) async throws {
        try await withServer(serve: WebSocketConnection.echo) { port in
            let arguments = ["-c", Python.compressingClient, "\(port)"] + Self.arguments(offer)
            let python = try Program(Program.python, arguments)
            #expect(try await python.ended() == .exit(0), "\(python.errors.text)")
            #expect(python.output.lines == ["ok"])
        }
    }
}
