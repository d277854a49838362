import Platform
import Synchronization
import Testing

@testable import Proxy

/// Requests that hide another one, or could be read in two ways.
@Suite("Proxy: requests that are refused", .timeLimit(.minutes(20)))
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
            ("\u{16}\u{3}\u{1}\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "x", count: 65_536), 431),
        ]
    )
    func refused(request: String, status: Int) async throws {
        let seen = RecordedTraffic()
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
        // That it named another server, or could not be read, is told.
        #expect(seen.words.count == 1)
        let telling = status == 421 ? "0 refused " : "0 unreadable "
        #expect(seen.words.allSatisfy { $0.hasPrefix(telling) }, "\(seen.words)")
    }

    @Test(
        "what a client speaks in place of HTTP/1.1 is told once, and answered in plain words",
        arguments: [
            ("\u{16}\u{3}\u{1}\u{2}\0\u{1}\0", "tls", "http:// in the address"),
            ("\u{5}\u{1}\0", "socks", "SOCKS"), ("\u{4}\u{1}\0P", "socks", "SOCKS"),
            ("GET /\r\n\r\n", "malformed", "the first line"),
            ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", "malformed", "a version other than"),
        ]
    )
    func otherProtocols(bytes: String, subject: String, words: String) async throws {
        let seen = RecordedTraffic()
        let answer = try await Self.answer(to: bytes, seen: seen)
        #expect(answer.contains(words), "\(answer)")
        #expect(seen.words == ["0 unreadable \(subject)"])
    }

    @Test(
        "a request that names another server is refused with 421, and one of a socket, too",
        arguments: [
            "Host: evil.example", "Host: evil.example:9000", "Host: localhost.evil.example",
            "Host: 127.0.0.1.evil.example", "Host: notlocalhost", "Host: 192.0.2.7",
            "Host: 127.1", "Host: [::2]", "Host: 0.0.0.0",
            "Host: evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket",
        ]
    )
    func foreignHost(fields: String) async throws {
        let received = try await Self.answer(to: "GET /me HTTP/1.1\r\n\(fields)\r\n\r\n")
        #expect(received.hasPrefix("HTTP/1.1 421 "), "\(received)")
        #expect(received.contains("authtop: refused the host "))
        #expect(received.contains("--allow-host NAME"))
    }

    @Test(
        "the server that a refused request names is told, without its port, and whether it can be allowed",
        arguments: [
            ("GET / HTTP/1.1\r\nHost: App.Test:9000", "0 refused app.test, allowable"),
            ("GET / HTTP/1.1\r\nHost: 192.0.2.7", "0 refused 192.0.2.7"),
            ("GET / HTTP/1.1\r\nHost: :9", "0 refused :9"),
            ("GET http://app.test/ HTTP/1.1\r\nHost: localhost", "0 refused app.test by URL"),
            (
                "GET http://app.test:PORT/ HTTP/1.1\r\nHost: localhost",
                "0 refused app.test by URL, allowable"
            ),
            ("CONNECT app.test:443 HTTP/1.1\r\nHost: app.test:443", "0 refused app.test by URL"),
            (
                "GET http://ann:S3cr3t@app.test/ HTTP/1.1\r\nHost: localhost",
                "0 refused app.test by URL"
            ),
            (
                "CONNECT ann:S3cr3t@app.test:443 HTTP/1.1\r\nHost: a",
                "0 refused app.test:443 by URL"
            ),
        ]
    )
    func told(head: String, words: String) async throws {
        let seen = RecordedTraffic()
        let answer = try await Self.answer(to: "\(head)\r\n\r\n", seen: seen)
        #expect(answer.hasPrefix("HTTP/1.1 421 "), "\(answer)")
        #expect(seen.words == [words])
    }

    @Test(
        "a URL of another server is refused with 421, whatever its Host is",
        arguments: [
            ("http://evil.example/", "evil.example"), ("http://evil.example/", "localhost:PORT"),
            ("http://localhost:1/", "localhost:1"), ("http://localhost/", "localhost"),
            ("http://127.0.0.1.evil.example:PORT/", "localhost:PORT"),
        ]
    )
    func foreignTarget(target: String, host: String) async throws {
        let received = try await Self.answer(to: "GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        #expect(received.hasPrefix("HTTP/1.1 421 "), "\(received)")
    }

    @Test(
        "names of this machine are served, with any port, and those that were allowed",
        arguments: [
            "GET /ok HTTP/1.1\r\nHost: localhost", "GET /ok HTTP/1.1\r\nHost: LOCALHOST:1",
            "GET /ok HTTP/1.1\r\nHost: localhost.", "GET /ok HTTP/1.1\r\nHost: app.localhost:9000",
            "GET /ok HTTP/1.1\r\nHost: 127.9.8.7", "GET /ok HTTP/1.1\r\nHost: [::1]:9000",
            "GET /ok HTTP/1.1\r\nHost: My-Mac.local:9000", "GET /ok HTTP/1.0",
            "GET http://localhost:PORT/ok HTTP/1.1\r\nHost: localhost:PORT",
        ]
    )
    func ownHost(head: String) async throws {
        let received = try await Self.answer(to: "\(head)\r\nConnection: close\r\n\r\n")
        #expect(received.hasPrefix("HTTP/1.1 200 "), "\(received)")
    }

    @Test("an address of this machine is served where other machines may use the proxy")
    func ownAddress() async throws {
        var configuration = ProxyConfiguration()
        configuration.host = "0.0.0.0"
        configuration.addresses = [try #require(NetworkAddress("192.0.2.7"))]
        let request = "GET /ok HTTP/1.0\r\nHost: "
        for (host, status) in [("192.0.2.7:9000", 200), ("192.0.2.8:9000", 421)] {
            let received = try await Self.answer(
                to: "\(request)\(host)\r\n\r\n",
                configuration: configuration
            )
            #expect(received.hasPrefix("HTTP/1.1 \(status) "), "\(received)")
        }
    }

    /// Sends a request to a proxy, whose port takes the place of `PORT`.
    ///
    /// - Returns: The answer, after which nothing but a 200 may have reached the backend.
    private static func answer(
        to request: String,
        configuration: ProxyConfiguration = ProxyConfiguration(),
        seen: RecordedTraffic = RecordedTraffic()
    ) async throws -> String {
        var configuration = configuration
        configuration.allowedHosts = ["my-mac.LOCAL"]
        let requests = Mutex(0)
        let answer = try await withOrigin { connection in
            requests.withLock { $0 += 1 }
            _ = try await connection.readHead()
            try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            _ = await connection.readToEnd()
        } body: { [configuration] origin in
            try await withProxy(to: origin, configuration: configuration, seen: seen) { proxy in
                var client = try await RawConnection.connect(to: proxy)
                try await client.write(request.replacing("PORT", with: "\(proxy)"))
                let head = try await client.readHead()
                await client.close()
                return head
            }
        }
        #expect(requests.withLock { $0 } == (answer.hasPrefix("HTTP/1.1 200 ") ? 1 : 0))
        return answer
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
        let seen = RecordedTraffic()
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
        let seen = RecordedTraffic()
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
