import Basics
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import Proxy

/// Apps and backends that end their connections at any time.
@Suite("Proxy: random connections", .timeLimit(.minutes(20)))
struct RandomConnectionTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test("leave no connection behind, and every exchange has one end")
    func ends() async throws {
        let open = Mutex(0)
        let seen = RecordedTraffic()
        var configuration = ProxyConfiguration()
        // A doubt is not an end.
        configuration.resetWindow = .zero
        try await withOrigin { connection in
            open.withLock { $0 += 1 }
            defer { open.withLock { $0 -= 1 } }
            while true {
                let path = try await connection.readHead().split(separator: " ")[1]
                switch path {
                case "/ok": try await connection.write(Self.ok)
                case "/half": try await connection.write(String(Self.ok.dropLast()))
                case "/head": try await connection.write(String(Self.ok.prefix(20)))
                case "/close": return
                case "/last":
                    try await connection.write(Self.ok)
                    return
                case "/reset": return try await connection.reset()
                default: _ = await connection.readToEnd()
                }
            }
        } body: { origin in
            try await withProxy(to: origin, configuration: configuration, seen: seen) { proxy in
                try await withThrowingDiscardingTaskGroup { group in
                    for seed in 1...120 {
                        group.addTask { try await Self.client(of: proxy, seed: UInt64(seed)) }
                    }
                }
                try await eventually("no connection", evidence: { "\(open.withLock { $0 })" }) {
                    open.withLock { $0 } == 0
                }
                var last = try await RawConnection.connect(to: proxy)
                try await last.write("GET /ok HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try await last.readAnswer() == Self.ok)
                await last.close()
            }
        }
        let ends = seen.words.filter { word in
            ["delivered", "not delivered", "abandoned"].contains { word.hasSuffix($0) }
                || word.contains(" unanswered: ") || word.contains(" not sent: ")
        }
        let ended = ends.map { $0.prefix { $0 != " " } }
        #expect(Set(ended).count == ended.count)
        #expect(ended.count == seen.words.count { $0.contains("GET ") })
    }

    /// Sends requests at once, and ends the connection in one of four ways.
    private static func client(of proxy: Int, seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        // The step that leaves an answer open comes last, as it would hold up the others.
        let lasts = ["ok", "half", "head", "close", "last", "reset", "silence"]
        let count = Int.random(in: 0...3, using: &random)
        let last = lasts[Int.random(in: 0..<lasts.count, using: &random)]
        let paths = Array(repeating: "ok", count: count) + [last]
        var text = paths.map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined()
        text.removeLast(Int.random(in: 0...1, using: &random) * 7)
        var client = try await RawConnection.connect(to: proxy)
        // The proxy may have ended the connection by then.
        try? await client.write(text)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: try await client.reset()
        case 1:
            try? await client.finish()
            _ = await client.readToEnd()
        case 2 where count > 0: _ = try? await client.readHead()
        default: break
        }
        await client.close()
    }
}
