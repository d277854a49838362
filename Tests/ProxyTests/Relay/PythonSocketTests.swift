import TestSupport
import Testing

/// Debian's python3-websockets on both sides of a proxy, with permessage-deflate.
@Suite(
    "Proxy: python3-websockets",
    .timeLimit(.minutes(20)),
    .enabled("python3-websockets is not installed") { await Program.pythonHas("websockets") }
)
struct PythonSocketTests {
    private static let server = """
        import asyncio, http, websockets

        async def serve(ws):
            async for message in ws:
                if message == "end":
                    await ws.close(4001, "why ✓")
                else:
                    await ws.send(message)

        async def check(path, headers):
            if headers.get("Authorization") == "Bearer old":
                return http.HTTPStatus.UNAUTHORIZED, [("X-Why", "expired")], b"token expired"

        async def main():
            async with websockets.serve(
                serve, "127.0.0.1", 0, process_request=check, subprotocols=["feed"],
                compression="deflate", max_size=None, ping_interval=None,
            ) as server:
                print(server.sockets[0].getsockname()[1], flush=True)
                await asyncio.Future()

        asyncio.run(main())
        """

    /// Talks to the echo, and fails at the first difference.
    private static let client = """
        import asyncio, os, sys, websockets

        async def main():
            uri = f"ws://127.0.0.1:{sys.argv[1]}/feed"
            compression = sys.argv[2] if sys.argv[2] != "none" else None
            async with websockets.connect(
                uri, max_size=None, ping_interval=None, subprotocols=["feed"],
                compression=compression,
            ) as ws:
                assert ws.subprotocol == "feed"
                assert bool(ws.extensions) == bool(compression), ws.extensions
                for size in [0, 1, 125, 126, 65535, 65536, 1 << 20]:
                    for message in ["é" * (size // 2), os.urandom(size)]:
                        await ws.send(message)
                        assert await ws.recv() == message, size
                await ws.send(["κό", "σ", "", "με"])
                await (await ws.ping("in between"))
                assert await ws.recv() == "κόσμε"
                await ws.send("end")
                await ws.wait_closed()
                assert (ws.close_code, ws.close_reason) == (4001, "why ✓")
            try:
                await websockets.connect(uri, extra_headers={"Authorization": "Bearer old"})
                assert False
            except websockets.InvalidStatusCode as refusal:
                assert refusal.status_code == 401 and refusal.headers["X-Why"] == "expired"
            print("ok", flush=True)

        asyncio.run(main())
        """

    @Test("a conversation passes, compressed or not", arguments: ["none", "deflate"])
    func conversation(compression: String) async throws {
        let seen = RecordedTraffic()
        let python = try Program(Program.python, ["-c", Self.server])
        do {
            let line = try await eventually("its port", evidence: { python.errors.text }) {
                python.output.lines.first
            }
            try await withProxy(to: #require(Int(line)), seen: seen) { proxy in
                let client = try Program(
                    Program.python,
                    ["-c", Self.client, "\(proxy)", compression]
                )
                #expect(try await client.ended() == .exit(0), "\(client.errors.text)")
                #expect(client.output.lines == ["ok"])
            }
        } catch {
            await python.stop()
            throw error
        }
        await python.stop()
        // Fourteen echoes, one of fragments, and the word to end.
        let words = seen.words.filter { $0.hasPrefix("1 ") }
        #expect(words.count { $0.hasPrefix("1 app ") } == 16)
        #expect(words.count { $0.hasPrefix("1 backend ") } == 15)
        #expect(words.contains("1 app text 3 end"))
        #expect(words.contains("1 backend text 10 κόσμε"))
        #expect(words.last == "1 closed by backend 4001")
    }
}
