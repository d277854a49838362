import TestSupport
import Testing

@testable import HTTP

/// Debian's python3-websockets: an independent implementation.
enum Python {
    /// Echoes; "close CODE REASON", "fragments", "ping" and "abort" are commands.
    static let server = """
        import asyncio, http, websockets

        async def serve(ws):
            try:
                async for message in ws:
                    if message == "fragments":
                        await ws.send(["κό", "σ", "", "με"])
                        await ws.send([b"a", b"b", b"c"])
                    elif message == "ping":
                        await (await ws.ping("are you there"))
                        await ws.send("ponged")
                    elif message == "abort":
                        ws.transport.abort()
                    elif isinstance(message, str) and message.startswith("close"):
                        _, code, reason = message.split(" ", 2)
                        await ws.close(int(code), reason)
                    else:
                        await ws.send(message)
            finally:
                print("closed", ws.close_code, ws.close_reason, flush=True)

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
}

@Suite(
    "Our client and python3-websockets",
    .timeLimit(.minutes(20)),
    .enabled("python3-websockets is not installed") { await Program.pythonHas("websockets") }
)
struct PythonServerTests {
    private func withPython<Value>(
        _ body: (Int, LineLog) async throws -> Value
    ) async throws -> Value {
        let python = try Program(Program.python, ["-c", Python.server])
        let result: Result<Value, any Error>
        do {
            let first = try await eventually("its port", evidence: { python.errors.text }) {
                python.output.lines.first
            }
            let port = try #require(Int(first), "\(first)")
            result = .success(try await body(port, python.output))
        } catch {
            result = .failure(error)
        }
        await python.stop()
        return try result.get()
    }

    @Test("echo of text and binary, of every length form")
    func echo() async throws {
        try await withPython { port, _ in
            let connection = try await WebSocketDialer.unpredictable().open(.local(port))
            var events = connection.events.makeAsyncIterator()
            for size in [0, 1, 125, 126, 0xFFFF, 0x10000, 1 << 20] {
                let text = String(repeating: "é", count: size / 2)
                try await connection.send(text: text)
                #expect(await events.next() == .text(text))
                let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
                try await connection.send(binary: bytes)
                #expect(await events.next() == .binary(bytes))
            }
            #expect(await connection.close().clean)
        }
    }

    @Test("fragments are put together")
    func fragments() async throws {
        try await withPython { port, _ in
            let connection = try await WebSocketDialer.unpredictable().open(.local(port))
            var events = connection.events.makeAsyncIterator()
            try await connection.send(text: "fragments")
            #expect(await events.next() == .text("κόσμε"))
            #expect(await events.next() == .binary("abc".bytes))
            await connection.close()
        }
    }

    @Test("pings of both sides are answered")
    func pings() async throws {
        try await withPython { port, _ in
            let connection = try await WebSocketDialer.unpredictable().open(.local(port))
            var events = connection.events.makeAsyncIterator()
            try await connection.ping([1, 2, 3])
            #expect(await events.next() == .pong([1, 2, 3]))
            try await connection.send(text: "ping")
            #expect(await events.next() == .ping("are you there".bytes))
            #expect(await events.next() == .text("ponged"))
            await connection.close()
        }
    }

    @Test("our close code and reason arrive there", arguments: [1000, 1001, 3000, 4401])
    func weClose(code: UInt16) async throws {
        try await withPython { port, output in
            let connection = try await WebSocketDialer.unpredictable().open(.local(port))
            let report = await connection.close(code: code, reason: "why ✓")
            #expect(report.code == code)
            #expect(report.initiator == .us)
            #expect(report.clean)
            let line = try await eventually("its end") { output.lines(from: 1).first }
            #expect(line == "closed \(code) why ✓")
        }
    }

    @Test("its close code and reason arrive here", arguments: [1000, 1011, 1012, 4401])
    func itCloses(code: UInt16) async throws {
        try await withPython { port, _ in
            let connection = try await WebSocketDialer.unpredictable().open(.local(port))
            var events = connection.events.makeAsyncIterator()
            try await connection.send(text: "close \(code) why ✓")
            #expect(
                await events.next()
                    == .closed(
                        WebSocketCloseReport(
                            code: code,
                            reason: "why ✓",
                            initiator: .peer,
                            clean: true
                        )
                    )
            )
        }
    }

    @Test("a transport it aborts is 1006")
    func aborts() async throws {
        try await withPython { port, _ in
            let connection = try await WebSocketDialer.unpredictable().open(.local(port))
            var events = connection.events.makeAsyncIterator()
            try await connection.send(text: "abort")
            guard case .closed(let report) = await events.next() else {
                Issue.record("no end")
                return
            }
            #expect(report.code == 1006)
            #expect(report.initiator == .transport)
        }
    }

    @Test("a refusal shows what it said; a subprotocol is agreed on")
    func handshake() async throws {
        try await withPython { port, _ in
            let dialer = WebSocketDialer.unpredictable()
            let result = try await dialer.dial(
                .local(port, headers: [("Authorization", "Bearer old")]),
                timeout: .seconds(20)
            )
            guard case .refused(401, let headers, let body) = result else {
                Issue.record("open")
                return
            }
            #expect(headers.contains { $0 == ("X-Why", "expired") })
            #expect(body == "token expired".bytes)
            let connection = try await dialer.open(.local(port, subprotocols: ["other", "feed"]))
            #expect(connection.subprotocol == "feed")
            await connection.close()
        }
    }
}
