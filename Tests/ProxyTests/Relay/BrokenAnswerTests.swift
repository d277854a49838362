import Testing

@testable import Proxy

/// A backend that ends its connection at each byte of an answer.
@Suite("Proxy: broken answers", .timeLimit(.minutes(20)))
struct BrokenAnswerTests {
    private static let answers = [
        "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabcdef",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\nabc",
    ]

    @Test(
        "an answer that ends early ends for the app as it would without the proxy",
        arguments: answers,
        [RawConnection.End.finished, .reset]
    )
    func ends(answer: String, end: RawConnection.End) async throws {
        let bytes = Array(answer.utf8)
        let head = try #require(answer.firstRange(of: "\r\n\r\n"))
        let headLength = answer[..<head.upperBound].utf8.count
        try await withOrigin { connection in
            let count = try #require(
                Int(try await connection.readHead().split(separator: " ")[1].dropFirst())
            )
            try await connection.write(Array(bytes.prefix(count)))
            if end == .reset { try await connection.reset() }
        } body: { origin in
            try await withProxy(to: origin) { proxy in
                for count in 1...bytes.count {
                    let direct = try await Self.ask(origin, for: count)
                    let proxied = try await Self.ask(proxy, for: count)
                    #expect(direct.bytes == Array(bytes.prefix(count)))
                    #expect(proxied.end == direct.end, "\(count) bytes")
                    // Part of a head is of no use.
                    #expect(
                        proxied.bytes == (count < headLength ? [] : direct.bytes),
                        "\(count) bytes: \(proxied.text)"
                    )
                }
                let none = try await Self.ask(proxy, for: 0)
                #expect(none.text.hasPrefix("HTTP/1.1 502 "))
                #expect(none.text.contains("\r\nAuthtop-Error: authtop: connection "))
            }
        }
    }

    private static func ask(_ port: Int, for count: Int) async throws -> RawConnection.Received {
        var client = try await RawConnection.connect(to: port)
        try await client.write("GET /\(count) HTTP/1.1\r\nHost: a\r\n\r\n")
        let received = await client.readToEnd()
        await client.close()
        return received
    }
}
