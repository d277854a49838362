import Testing

@testable import HTTP
@testable import Observer
@testable import Proxy

@Suite("Proxy: WebSockets", .timeLimit(.minutes(20)))
struct SocketTests {
    private static let upgrade =
        "GET /feed HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\n"
        + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
        + "Sec-WebSocket-Protocol: bearer, x\r\n"
        + "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n"
    private static let accepted =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: ICX+Yqv66kxgM0FcWaLWlFLwTAI=\r\n\r\n"
    private static let mask = MaskingKey(0x1234_5678)

    @Test("the handshake and all bytes pass as they are, and messages are read along")
    func relayed() async throws {
        let seen = RecordedTraffic()
        let hello = FrameWriter.bytes(.text, Array("hello".utf8))
        let fromApp =
            FrameWriter.bytes(.text, Array("to".utf8), isFinal: false, mask: Self.mask)
            + FrameWriter.bytes(.ping, Array("p".utf8), mask: Self.mask)
            + FrameWriter.bytes(.continuation, Array("gether".utf8), mask: Self.mask)
            + FrameWriter.bytes(.binary, Array(repeating: 7, count: 70_000), mask: Self.mask)
        var compressed = FrameWriter.bytes(.text, [1, 2, 3])
        compressed[0] |= 0x40
        let fromBackend =
            compressed + FrameWriter.bytes(.close, CloseFrame(code: 4001, reason: "over").payload)
        try await withOrigin { connection in
            let head = try await connection.readHead()
            #expect(head == Self.upgrade)
            // Frames may come together with the answer.
            try await connection.write(Array(Self.accepted.utf8) + hello)
            #expect(try await connection.read(fromApp.count) == fromApp)
            try await connection.write(fromBackend)
        } body: { origin in
            try await withProxy(to: origin, seen: seen) { proxy in
                var client = try await RawConnection.connect(to: proxy)
                try await client.write(Self.upgrade)
                #expect(try await client.readHead() == Self.accepted)
                #expect(try await client.read(hello.count) == hello)
                // In pieces, as frames end anywhere.
                try await client.write(Array(fromApp.prefix(4)))
                try await client.write(Array(fromApp.dropFirst(4)))
                let received = await client.readToEnd()
                #expect(received.bytes == fromBackend)
                #expect(received.end == .finished)
                await client.close()
            }
        }
        #expect(
            try await seen.words(9) == [
                "1 GET /feed", "1 sent 0", "1 101", "1 socket", "1 backend text 5 hello",
                "1 app text 8 together",
                "1 app binary 70000 " + String(repeating: "\u{7}", count: 40),
                "1 backend text 3 ", "1 closed by backend 4001",
            ]
        )
        let kept = seen.all.compactMap { input -> Int? in
            guard case .socketMessage(let message) = input.kind else { return nil }
            return message.payload.count
        }
        #expect(kept == [5, 8, TrafficInput.bodyLimit, 0])
    }

    @Test("a frame that the app sends after the end of the backend is no request")
    func closedByBackend() async throws {
        let seen = RecordedTraffic()
        let close = FrameWriter.bytes(.close, CloseFrame(code: 4401, reason: "").payload)
        try await withOrigin { connection in
            _ = try await connection.readHead()
            try await connection.write(Array(Self.accepted.utf8) + close)
        } body: { origin in
            try await withProxy(to: origin, seen: seen) { proxy in
                var client = try await RawConnection.connect(to: proxy)
                try await client.write(Self.upgrade)
                #expect(try await client.readHead() == Self.accepted)
                #expect(await client.readToEnd().bytes == close)
                // Its bytes are line breaks, which may stand before a request.
                let mask = MaskingKey(0x0A0A_0A0A)
                let goodbye = CloseFrame(code: 4401, reason: "").payload
                try? await client.write(FrameWriter.bytes(.close, goodbye, mask: mask))
                _ = await client.readToEnd()
                await client.close()
            }
        }
        let kinds = seen.all.map { String("\($0.kind)".prefix(10)) }
        #expect(!kinds.contains("unreadable"), "\(kinds)")
        #expect(kinds.last == "socketClos")
    }

    @Test("a refused upgrade passes with its status and body, and the connection goes on")
    func refused() async throws {
        let refusal = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 7\r\n\r\nexpired"
        try await withOrigin { connection in
            while true {
                _ = try await connection.readHead()
                try await connection.write(refusal)
            }
        } body: { origin in
            try await withProxy(to: origin) { proxy in
                var client = try await RawConnection.connect(to: proxy)
                for _ in 1...2 {
                    try await client.write(Self.upgrade)
                    #expect(try await client.readAnswer() == refusal)
                }
                await client.close()
            }
        }
    }

    @Test("a socket that ends without a close frame ends the other side in the same way")
    func cut() async throws {
        let seen = RecordedTraffic()
        try await withOrigin { connection in
            _ = try await connection.readHead()
            try await connection.write(Self.accepted)
            _ = try await connection.read(1)
            try await connection.reset()
        } body: { origin in
            try await withProxy(to: origin, seen: seen) { proxy in
                var client = try await RawConnection.connect(to: proxy)
                try await client.write(Self.upgrade)
                _ = try await client.readHead()
                try await client.write([0x81])
                #expect(await client.readToEnd().end == .reset)
                #expect(try await seen.words(5).last == "1 closed by backend 0")
                await client.close()
            }
        }
    }

    @Test("what is no frame is relayed nevertheless")
    func noFrames() async throws {
        try await withOrigin { connection in
            _ = try await connection.readHead()
            try await connection.write(Self.accepted)
            while true { try await connection.write(try await connection.read(4)) }
        } body: { origin in
            try await withProxy(to: origin) { proxy in
                var client = try await RawConnection.connect(to: proxy)
                try await client.write(Self.upgrade)
                _ = try await client.readHead()
                for word in ["\u{3}abc", "defg"] {
                    try await client.write(word)
                    #expect(try await client.read(4) == Array(word.utf8))
                }
                await client.close()
            }
        }
    }
}
