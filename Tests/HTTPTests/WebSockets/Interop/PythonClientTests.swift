import HTTP
import TestSupport
import Testing

extension Python {
    /// Talks to an echo on the port it is given, and prints what it finds wrong.
    static let client = """
        import asyncio, os, sys, websockets

        async def main():
            uri = f"ws://127.0.0.1:{sys.argv[1]}/"
            async with websockets.connect(uri, max_size=None, ping_interval=None) as ws:
                for size in [0, 1, 125, 126, 65535, 65536, 1 << 20]:
                    for message in ["é" * (size // 2), os.urandom(size)]:
                        await ws.send(message)
                        assert await ws.recv() == message, size
                await ws.send(["κό", "σ", "", "με"])
                await (await ws.ping("in between"))
                assert await ws.recv() == "κόσμε"
                await ws.close(4001, "why ✓")
                assert ws.close_code == 4001, ws.close_code
            async with websockets.connect(uri, max_size=None, ping_interval=None) as ws:
                await ws.send("x" * ((1 << 20) + 1))
                try:
                    await ws.recv()
                    assert False
                except websockets.ConnectionClosed as end:
                    assert end.rcvd.code == 1009, end
            async with websockets.connect(uri) as ws:
                await ws.write_frame(True, 1, b"\\xff")
                await ws.wait_closed()
                assert ws.close_code == 1007, ws.close_code
            print("ok", flush=True)

        asyncio.run(main())
        """
}

@Suite(
    "python3-websockets and our server",
    .timeLimit(.minutes(20)),
    .enabled("python3-websockets is not installed") { await Program.pythonHas("websockets") }
)
struct PythonClientTests {
    @Test("messages, fragments, pings, close codes and mistakes")
    func conversation() async throws {
        try await withServer(serve: WebSocketConnection.echo) { port in
            let python = try Program(Program.python, ["-c", Python.client, "\(port)"])
            #expect(try await python.ended() == .exit(0), "\(python.errors.text)")
            #expect(python.output.lines == ["ok"])
        }
    }
}
