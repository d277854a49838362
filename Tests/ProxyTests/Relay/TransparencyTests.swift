import Testing

@testable import Proxy

/// The same talk with a server, directly and through a proxy.
struct Talk: Sendable, CustomTestStringConvertible {
    var name: String
    var request: [UInt8]
    /// The parts that the server sends, each by itself, when it has the request.
    var answer: [[UInt8]]
    /// Whether the server closes the connection after it.
    var closes = false

    init(_ name: String, _ request: String, _ answer: [String], closes: Bool = false) {
        self.init(
            name,
            bytes: Array(request.utf8),
            answer: answer.map { Array($0.utf8) },
            closes: closes
        )
    }

    init(_ name: String, bytes: [UInt8], answer: [[UInt8]], closes: Bool = false) {
        self.name = name
        request = bytes
        self.answer = answer
        self.closes = closes
    }

    var testDescription: String { name }

    /// Returns what the server got, and what the client got.
    func run(through isProxied: Bool) async throws -> Outcome {
        let sent = answer.reduce(0) { $0 + $1.count }
        let (requests, arrived) = AsyncStream.makeStream(of: [UInt8].self)
        let received = try await withOrigin { connection in
            arrived.yield(try await connection.read(request.count))
            for part in answer { try await connection.write(part) }
            if closes {
                try await connection.finish()
            }
            _ = await connection.readToEnd()
        } body: { port in
            isProxied
                ? try await withProxy(to: port) { try await talk(to: $0, expecting: sent) }
                : try await talk(to: port, expecting: sent)
        }
        let requestSeen = await requests.first { _ in true }
        return Outcome(request: requestSeen ?? [], received: received)
    }

    private func talk(to port: Int, expecting count: Int) async throws -> RawConnection.Received {
        var client = try await RawConnection.connect(to: port)
        try await client.write(request)
        let received =
            closes
            ? await client.readToEnd()
            : RawConnection.Received(bytes: try await client.read(count), end: .finished)
        await client.close()
        return received
    }

    struct Outcome: Equatable {
        var request: [UInt8]
        var received: RawConnection.Received
    }
}

@Suite("Proxy: transparency", .timeLimit(.minutes(20)))
struct TransparencyTests {
    @Test("the same bytes arrive on both sides, with the proxy and without it", arguments: talks)
    func sameBytes(talk: Talk) async throws {
        let direct = try await talk.run(through: false)
        let proxied = try await talk.run(through: true)
        #expect(direct.request == talk.request)
        #expect(proxied.request == direct.request)
        #expect(proxied.received.end == direct.received.end)
        #expect(proxied.received.bytes.count == direct.received.bytes.count)
        #expect(proxied.received.bytes == direct.received.bytes)
    }

    static let talks: [Talk] =
        [
            Talk("no body", get, ["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"]),
            Talk(
                "an answer in pieces of one byte",
                get,
                "HTTP/1.1 200 Fine indeed\r\nx-LOW: 1\r\nContent-Length: 3\r\nX-Low: 2\r\n\r\nabc"
                    .map(String.init)
            ),
            Talk(
                "chunks with extensions and a trailer",
                get,
                [
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n",
                    "4;name=\"v\"\r\nab", "cd\r\n10\r\n0123456789abcdef\r\n",
                    "0\r\nX-Sum: 7\r\n\r\n",
                ]
            ),
            Talk(
                "interim answers",
                "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nab",
                [
                    "HTTP/1.1 100 Continue\r\n\r\n",
                    "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n",
                    "HTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\nx",
                ]
            ),
            Talk(
                "HEAD with a length",
                "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n",
                ["HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"]
            ),
            Talk("204", get, ["HTTP/1.1 204 No Content\r\nX: 1\r\n\r\n"]),
            Talk("304", get, ["HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n"]),
            Talk(
                "an answer that ends with the connection",
                "GET / HTTP/1.0\r\n\r\n",
                ["HTTP/1.0 200 OK\r\n\r\n", "to the ", "end"],
                closes: true
            ),
            Talk(
                "Connection: close",
                "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
                ["HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"],
                closes: true
            ),
            Talk(
                "events",
                "GET /events HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n",
                [
                    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n",
                    "id: 1\ndata: a\n\n", "id: 2\ndata: b\n\n",
                ],
                closes: true
            ),
            Talk(
                "a request in chunks with a trailer",
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "5\r\nhello\r\n0\r\nX: 1\r\n\r\n",
                ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"]
            ),
            Talk(
                "a method and fields that nobody knows",
                "QUERY /\u{e9}?%zz HTTP/1.1\r\nHost: a\r\nx-Y: \u{1}\u{e9}\r\nX-y:\r\n\r\n"
                    .replacing("X-y:", with: "X-y: "),
                ["HTTP/1.1 299 \r\nContent-Length: 0\r\n\r\n"]
            ),
        ]
        + [1, 65_535, 65_536, 1 << 20, 5 << 20].map { count in
            let body = pattern(count)
            return Talk(
                "a body of \(count) bytes each way",
                bytes: Array(
                    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\r\n".utf8
                ) + body,
                answer: [
                    Array("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n".utf8), body,
                ]
            )
        }

    private static let get = "GET /a?b=c HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\n"

    private static func pattern(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
    }
}
