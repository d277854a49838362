import Synchronization
import Testing

@testable import Proxy

/// Requests that hide another one, or could be read in two ways.
@Suite("Proxy: requests that are refused", .timeLimit(.minutes(5)))
struct RefusalTests {
    private static let hidden = "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test(
        "nothing of a request that could hide another one reaches the backend",
        arguments: [
            (
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "0\r\n\r\n" + hidden, 400
            ),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 9\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1 9\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, identity\r\n\r\n", 501),
            ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n", 400),
            ("POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n Content-Length: 9\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\nContent-Length: 9\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\n\r\n", 400),
            ("GET http://elsewhere/ HTTP/1.1\r\nHost: a\r\n\r\n", 421),
            ("CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", 421),
            ("PRI * HTTP/2.0\r\n\r\n", 505),
            ("\u{16}\u{3}\u{1}\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "x", count: 65_536), 431),
        ]
    )
    func refused(request: String, status: Int) async throws {
        let seen = Sightings()
        let connections = Mutex(0)
        try await withOrigin { _ in
            connections.withLock { $0 += 1 }
        } body: { origin in
            try await withProxy(to: origin, seen: seen) { proxy in
                var client = try await RawConnection.connect(to: proxy)
                try await client.write(request)
                let received = await client.readToEnd()
                #expect(received.text.hasPrefix("HTTP/1.1 \(status) "))
                #expect(received.text.contains("\r\nAuthtop-Error: authtop: refused "))
                #expect(received.text.contains("{\"error\":\"authtop: refused "))
                #expect(received.end == .finished)
                await client.close()
            }
        }
        #expect(connections.withLock { $0 } == 0)
        #expect(seen.words == [])
    }

    @Test(
        "chunks that could be read in two ways end at the last good byte",
        arguments: [
            "5 \r\n", "5\n", "\r\n5\r\n", "5\r\nhelloX", "0\r\nbad\r\n", "ffffffffffffffff\r\n",
        ]
    )
    func badChunks(body: String) async throws {
        let good =
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"
        let seen = Sightings()
        let (requests, arrived) = AsyncStream.makeStream(of: String.self)
        try await withOrigin { connection in
            let bytes = try await connection.read(good.utf8.count)
            arrived.yield(String(decoding: bytes, as: UTF8.self))
            arrived.yield(await connection.readToEnd().text)
        } body: { origin in
            try await withProxy(to: origin, seen: seen) { proxy in
                var client = try await RawConnection.connect(to: proxy)
                try await client.write(good)
                var arrivals = requests.makeAsyncIterator()
                #expect(await arrivals.next() == good)
                try await client.write(body + Self.hidden)
                let received = await client.readToEnd()
                #expect(received.text.hasPrefix("HTTP/1.1 400 "))
                #expect(await arrivals.next() == "")
                #expect(
                    try await seen.words(3).last
                        == "1 unanswered: the proxy refused the framing of its chunks of the request"
                )
                await client.close()
            }
        }
    }

    @Test(
        "an answer that could be read in two ways is not passed on",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
            "HTTP/1.1 200 OK\nContent-Length: 0\n\n", "HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n",
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n", "SSH-2.0-OpenSSH\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 65_536),
        ]
    )
    func badAnswers(answer: String) async throws {
        let seen = Sightings()
        try await withOrigin { connection in
            _ = try await connection.readHead()
            try await connection.write(answer)
            _ = await connection.readToEnd()
        } body: { origin in
            try await withProxy(to: origin, seen: seen) { proxy in
                var client = try await RawConnection.connect(to: proxy)
                try await client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                let received = await client.readToEnd()
                #expect(received.text.hasPrefix("HTTP/1.1 502 "))
                let words = try await seen.words(3)
                #expect(words.last?.hasPrefix("1 unanswered: the backend's answer is not") == true)
                await client.close()
            }
        }
    }
}
