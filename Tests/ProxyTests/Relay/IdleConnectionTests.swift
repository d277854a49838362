import TestSupport
import Testing

@testable import Proxy

@Suite("Proxy: connections without a request", .timeLimit(.minutes(20)))
struct IdleConnectionTests {
    private static func withImpatientProxy(
        seen: RecordedTraffic = RecordedTraffic(),
        serve: @escaping @Sendable (inout RawConnection) async throws -> Void,
        _ body: (Int) async throws -> Void
    ) async throws {
        var configuration = ProxyConfiguration()
        configuration.keepsHost = true
        configuration.idleLimits.head = 1
        configuration.idleLimits.idle = 5
        try await withOrigin(serve: serve) { origin in
            try await withProxy(to: origin, configuration: configuration, seen: seen, body)
        }
    }

    private static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test(
        "half a head is answered with 408, and told",
        arguments: ["G", "GET / HTTP/1.1\r\nHost: a\r\n"]
    )
    func halfHead(text: String) async throws {
        let seen = RecordedTraffic()
        try await Self.withImpatientProxy(seen: seen) { _ in
        } _: { proxy in
            var client = try await RawConnection.connect(to: proxy, writing: text)
            let received = await client.readToEnd()
            #expect(received.text.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
            #expect(seen.words.contains("0 unreadable slow"), "\(seen.words)")
            await client.close()
        }
    }

    @Test("a connection without a byte is closed, before its first request and after one")
    func idle() async throws {
        let seen = RecordedTraffic()
        try await Self.withImpatientProxy(seen: seen) { backend in
            _ = try await backend.readHead()
            try await backend.write(Self.answer)
            _ = await backend.readToEnd()
        } _: { proxy in
            var unused = try await RawConnection.connect(to: proxy)
            #expect(await unused.readToEnd().bytes == [])
            var used = try await RawConnection.connect(to: proxy, writing: Self.request)
            #expect(try await used.readAnswer().hasSuffix("ok"))
            #expect(await used.readToEnd().bytes == [])
            await unused.close()
            await used.close()
        }
        #expect(!seen.words.contains("0 unreadable slow"), "\(seen.words)")
    }

    @Test("an answer may take as long as the backend likes")
    func slowAnswer() async throws {
        let (release, releaser) = AsyncStream.makeStream(of: Void.self)
        try await Self.withImpatientProxy { backend in
            _ = try await backend.readHead()
            for await _ in release { break }
            try await backend.write(Self.answer)
        } _: { proxy in
            var client = try await RawConnection.connect(to: proxy, writing: Self.request)
            // Longer than either limit, as another connection shows.
            var unused = try await RawConnection.connect(to: proxy)
            _ = await unused.readToEnd()
            await unused.close()
            releaser.finish()
            #expect(try await client.readAnswer().hasSuffix("ok"))
            await client.close()
        }
    }
}
