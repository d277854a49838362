import Testing

@testable import Proxy

/// An app that ends its connection at each byte of a request.
@Suite("Proxy: broken requests", .timeLimit(.minutes(20)))
struct BrokenRequestTests {
    private static let requests = [
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nabcdef",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    ]

    @Test(
        "a request that ends early ends for the backend as it would without the proxy",
        arguments: requests,
        [RawConnection.End.finished, .reset]
    )
    func ends(request: String, end: RawConnection.End) async throws {
        let bytes = Array(request.utf8)
        let head = try #require(request.firstRange(of: "\r\n\r\n"))
        let headLength = request[..<head.upperBound].utf8.count
        let (heads, arrived) = AsyncStream<Void>.makeStream()
        let (ends, ended) = AsyncStream<RawConnection.Received>.makeStream()
        try await withOrigin { connection in
            _ = try await connection.readHead()
            arrived.yield()
            ended.yield(await connection.readToEnd())
        } body: { origin in
            try await withProxy(to: origin) { proxy in
                var waiting = heads.makeAsyncIterator()
                var seen = ends.makeAsyncIterator()
                // Part of a head is not passed on: nothing of it is seen below.
                for count in 1..<headLength {
                    let client = try await RawConnection.connect(to: proxy)
                    try await client.write(Array(bytes.prefix(count)))
                    try await Self.end(client, end)
                    await client.close()
                }
                for count in headLength..<bytes.count {
                    var received: [RawConnection.Received] = []
                    for port in [origin, proxy] {
                        let client = try await RawConnection.connect(to: port)
                        try await client.write(Array(bytes.prefix(count)))
                        await waiting.next()
                        try await Self.end(client, end)
                        received.append(try #require(await seen.next()))
                        await client.close()
                    }
                    #expect(received[1].end == received[0].end, "\(count) bytes")
                    let sent = bytes[headLength..<count]
                    #expect(sent.starts(with: received[1].bytes), "\(count) bytes")
                    if end == .finished {
                        #expect(received[1].bytes == received[0].bytes, "\(count) bytes")
                    }
                }
            }
        }
    }

    private static func end(_ client: RawConnection, _ end: RawConnection.End) async throws {
        switch end {
        case .finished: try await client.finish()
        case .reset: try await client.reset()
        }
    }
}
