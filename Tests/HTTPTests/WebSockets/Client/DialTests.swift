import Foundation
import Testing

@testable import HTTP

@Suite("Dial: what a server may answer", .timeLimit(.minutes(20)))
struct DialTests {
    private let dialer = WebSocketDialer.predictable

    @Test("the request carries the path, the headers and the subprotocols as given")
    func request() async throws {
        try await withRawServer { peer in
            let head = try await peer.readHead()
            try await peer.write(acceptance(more: "X-Request: \(head.utf8.count)\r\n"))
            try await peer.write(frame(1, head.bytes))
            _ = await peer.readToEnd()
        } body: { port in
            let request = WebSocketRequest.local(
                port,
                path: "/feed?token=a|b",
                headers: [("Authorization", "Bearer x"), ("X-Twice", "1"), ("X-Twice", "2")],
                subprotocols: ["one", "two"]
            )
            let result = try await dialer.dial(request, timeout: .seconds(20))
            guard case .open(let connection, let headers) = result else {
                throw NotOpen(result: result)
            }
            var events = connection.events.makeAsyncIterator()
            guard case .text(let head) = await events.next() else {
                Issue.record("no head")
                return
            }
            let lines = head.split(separator: "\r\n").map(String.init)
            #expect(lines.first == "GET /feed?token=a|b HTTP/1.1")
            for line in [
                "Host: 127.0.0.1:\(port)", "Authorization: Bearer x", "X-Twice: 1", "X-Twice: 2",
                "Sec-WebSocket-Protocol: one, two", "Connection: upgrade", "Upgrade: websocket",
                "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Version: 13",
            ] {
                #expect(lines.contains { $0.lowercased() == line.lowercased() }, "\(line)")
            }
            #expect(!head.lowercased().contains("content-length"))
            #expect(headers.contains { $0 == ("X-Request", "\(head.utf8.count)") })
            connection.drop()
        }
    }

    @Test(
        "frames that come together with the 101 arrive, even with the end right behind them",
        arguments: [0, 1, 1000],
        [true, false]
    )
    func glued(count: Int, ends: Bool) async throws {
        try await withRawServer { peer in
            _ = try await peer.readHead()
            let frames = (0..<count).flatMap { frame(1, "\($0)".bytes) }
            try await peer.write(acceptance().bytes + frames + frame(8, [0x11, 0x31]))
            if !ends { _ = await peer.readToEnd() }
        } body: { port in
            let connection = try await dialer.open(.local(port))
            var texts: [String] = []
            var last: WebSocketEvent?
            for await event in connection.events {
                if case .text(let text) = event { texts.append(text) }
                last = event
            }
            #expect(texts == (0..<count).map { "\($0)" })
            #expect(
                last
                    == .closed(
                        WebSocketCloseReport(code: 4401, reason: "", initiator: .peer, clean: true)
                    )
            )
        }
    }

    @Test(
        "a refusal shows its status, headers and body",
        arguments: [
            (401, "Content-Length: 7\r\n\r\nexpired"),
            (403, "Transfer-Encoding: chunked\r\n\r\n7\r\nexpired\r\n0\r\n\r\n"),
            (503, "Connection: close\r\n\r\nexpired"),
            (200, "Content-Length: 7\r\n\r\nexpired"),
            (302, "Location: /elsewhere\r\nContent-Length: 7\r\n\r\nexpired"),
        ]
    )
    func refused(status: Int, rest: String) async throws {
        try await withRawServer { peer in
            _ = try await peer.readHead()
            try await peer.write("HTTP/1.1 \(status) No\r\nX-Why: because\r\n\(rest)")
        } body: { port in
            let result = try await dialer.dial(.local(port), timeout: .seconds(20))
            guard case .refused(let told, let headers, let body) = result else {
                Issue.record("open")
                return
            }
            #expect(told == status)
            #expect(headers.contains { $0 == ("X-Why", "because") })
            #expect(body == "expired".bytes)
        }
    }

    @Test("of a refusal's body 64 KiB are kept")
    func longRefusal() async throws {
        try await withRawServer { peer in
            _ = try await peer.readHead()
            let body = [UInt8](repeating: 65, count: 100_000)
            try await peer.write("HTTP/1.1 403 No\r\nContent-Length: 100000\r\n\r\n".bytes + body)
            _ = await peer.readToEnd()
        } body: { port in
            let result = try await dialer.dial(.local(port), timeout: .seconds(20))
            guard case .refused(403, _, let body) = result else {
                Issue.record("open")
                return
            }
            #expect(body.count == 64 << 10)
        }
    }

    @Test("a refusal whose body stops half-way is still a refusal")
    func halfRefusal() async throws {
        try await withRawServer { peer in
            _ = try await peer.readHead()
            try await peer.write("HTTP/1.1 401 No\r\nContent-Length: 100\r\n\r\nexpired")
        } body: { port in
            let result = try await dialer.dial(.local(port), timeout: .seconds(20))
            guard case .refused(401, _, let body) = result else {
                Issue.record("open")
                return
            }
            #expect(body == "expired".bytes)
        }
    }

    @Test(
        "an acceptance that breaks the rules is no connection",
        arguments: [
            acceptance(accept: "AAAAAAAAAAAAAAAAAAAAAAAAAAA="),
            acceptance(more: "Sec-WebSocket-Accept: ICX+Yqv66kxgM0FcWaLWlFLwTAI=\r\n"),
            acceptance(upgrade: "h2c"),
            acceptance(connection: "keep-alive"),
            acceptance(more: "Sec-WebSocket-Protocol: other\r\n"),
            acceptance(more: "Sec-WebSocket-Extensions: x-webkit-deflate-frame\r\n"),
            acceptance(more: "Sec-WebSocket-Extensions: permessage-deflate; x\r\n"),
            "HTTP/1.1 101 Switching Protocols\r\n\r\n",
        ]
    )
    func badHandshake(answer: String) async throws {
        try await withRawServer { peer in
            _ = try await peer.readHead()
            try await peer.write(answer.bytes + frame(1, "glued".bytes))
            _ = await peer.readToEnd()
        } body: { port in
            await #expect {
                try await dialer.dial(.local(port, subprotocols: ["mine"]), timeout: .seconds(20))
            } throws: { error in
                guard case WebSocketDialError.badHandshake = error else { return false }
                return true
            }
        }
    }

    @Test(
        "what the libraries call by names of their own is told in words",
        arguments: [
            ("HTTP/1.1 101 Switching Protocols\r\n\r\n", .badHandshake("no Upgrade: websocket")),
            ("SSH-2.0-OpenSSH_9.2\r\n", .badHandshake("not valid HTTP")),
            ("HTTP/1.1 2\r\n\r\n", .badHandshake("not valid HTTP")),
        ] as [(String, WebSocketDialError)]
    )
    func words(answer: String, error: WebSocketDialError) async throws {
        try await withRawServer { peer in
            _ = try await peer.readHead()
            try await peer.write(answer)
            _ = await peer.readToEnd()
        } body: { port in
            await #expect(throws: error) {
                try await dialer.dial(.local(port), timeout: .seconds(20))
            }
        }
    }

    @Test(
        "an answer that is no HTTP response is refused by its name",
        arguments: [
            ("HTTP/1.1 000 X\r\n\r\n", .status(0)),
            ("HTTP/1.1 099 X\r\nContent-Length: 2\r\n\r\nno", .status(99)),
            (
                "HTTP/1.1 403 X\r\nTransfer-Encoding: gzip\r\n\r\nno", .transferCoding
            ),
            (
                String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 17),
                .interimResponses(16)
            ),
            ("HTTP/1.1 403 \(String(repeating: "x", count: 80_000))", .headOver(65_536)),
        ] as [(String, ResponseViolation)]
    )
    func badResponse(answer: String, violation: ResponseViolation) async throws {
        try await withRawServer { peer in
            _ = try await peer.readHead()
            try await peer.write(answer)
            _ = await peer.readToEnd()
        } body: { port in
            await #expect(throws: WebSocketDialError.badResponse(violation)) {
                try await dialer.dial(.local(port), timeout: .seconds(20))
            }
        }
    }

    @Test("interim responses before the 101 are put up with")
    func interim() async throws {
        try await withRawServer { peer in
            _ = try await peer.readHead()
            let interim = String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 16)
            try await peer.write((interim + acceptance()).bytes + frame(8, [0x11, 0x31]))
            _ = await peer.readToEnd()
        } body: { port in
            let connection = try await dialer.open(.local(port))
            var last: WebSocketEvent?
            for await event in connection.events { last = event }
            let report = WebSocketCloseReport(code: 4401, reason: "", initiator: .peer, clean: true)
            #expect(last == .closed(report))
        }
    }

    @Test("the subprotocol is the one the server chose")
    func subprotocol() async throws {
        try await withServer(serve: WebSocketConnection.echo) { port in
            let named = try await WebSocketDialer.unpredictable().open(
                .local(port, subprotocols: ["one", "two"])
            )
            #expect(named.subprotocol == "two")
            await named.close()
            let plain = try await WebSocketDialer.unpredictable().open(.local(port))
            #expect(plain.subprotocol == nil)
            await plain.close()
        }
    }

    @Test(
        "a server that ends or resets the transport instead of answering is told apart",
        arguments: [(false, .ended), (true, .system(ECONNRESET))] as [(Bool, TransportFailure)]
    )
    func noAnswer(isReset: Bool, failure: TransportFailure) async throws {
        try await withRawServer { peer in
            _ = try await peer.readHead()
            if isReset { try await peer.reset() }
        } body: { port in
            await #expect(throws: WebSocketDialError.disconnected(failure)) {
                try await dialer.dial(.local(port), timeout: .seconds(20))
            }
        }
    }

    @Test("a port where nothing listens is told apart")
    func notListening() async throws {
        // A port that was just given back may be another program's already; this one is free.
        await #expect(throws: WebSocketDialError.connectFailed(.system(ECONNREFUSED))) {
            try await dialer.dial(.local(1), timeout: .seconds(20))
        }
    }

    @Test(
        "a server that says nothing is given up after the limit",
        arguments: ["", "HTTP/1.1 101"]
    )
    func silent(start: String) async throws {
        try await withRawServer { peer in
            try await peer.write(start)
            _ = await peer.readToEnd()
        } body: { port in
            await #expect(throws: WebSocketDialError.timedOut) {
                try await dialer.dial(.local(port), timeout: .milliseconds(200))
            }
        }
    }

    @Test("a cancelled dial ends at once, and so does its transport")
    func cancelled() async throws {
        let (reached, reaching) = AsyncStream.makeStream(of: Void.self)
        let (ended, ending) = AsyncStream.makeStream(of: Void.self)
        try await withRawServer { peer in
            _ = try await peer.readHead()
            reaching.yield()
            _ = await peer.readToEnd()
            ending.yield()
        } body: { port in
            let dial = Task { try await dialer.dial(.local(port), timeout: .seconds(60)) }
            _ = await reached.first { _ in true }
            dial.cancel()
            await #expect(throws: WebSocketDialError.cancelled) { try await dial.value }
            _ = await ended.first { _ in true }
        }
    }
}
