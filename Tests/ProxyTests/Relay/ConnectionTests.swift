import Synchronization
import TestSupport
import Testing

@testable import Proxy

@Suite("Proxy: connections", .timeLimit(.minutes(20)))
struct ConnectionTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private static func get(_ path: String) -> String {
        "GET /\(path) HTTP/1.1\r\nHost: a\r\n\r\n"
    }

    @Test("one connection of an app is one to the backend, for all its requests")
    func keepAlive() async throws {
        let connections = Mutex(0)
        try await withOrigin { connection in
            connections.withLock { $0 += 1 }
            while true {
                _ = try await connection.readHead()
                try await connection.write(Self.ok)
            }
        } body: { origin in
            try await withProxy(to: origin) { proxy in
                var client = try await RawConnection.connect(to: proxy)
                #expect(connections.withLock { $0 } == 0)
                for number in 1...3 {
                    try await client.write(Self.get("\(number)"))
                    #expect(try await client.readAnswer() == Self.ok)
                }
                await client.close()
            }
        }
        #expect(connections.withLock { $0 } == 1)
    }

    @Test("of requests that come at once, the next is sent when the last answer is out")
    func pipelined() async throws {
        let seen = RecordedTraffic()
        try await withOrigin { connection in
            for path in ["/1", "/2", "/3"] {
                let head = try await connection.readHead()
                #expect(head.hasPrefix("GET \(path) "))
                let count = seen.words.count { $0.contains("GET") }
                #expect(count == Int(path.dropFirst()))
                try await connection.write(Self.ok)
            }
            _ = await connection.readToEnd()
        } body: { origin in
            try await withProxy(to: origin, seen: seen) { proxy in
                var client = try await RawConnection.connect(to: proxy)
                try await client.write(Self.get("1") + Self.get("2") + Self.get("3"))
                for _ in 1...3 { #expect(try await client.readAnswer() == Self.ok) }
                await client.close()
            }
        }
    }

    @Test("requests that come at once with the end of the connection are all answered")
    func pipelinedAndFinished() async throws {
        try await withOrigin { connection in
            for _ in 1...2 {
                _ = try await connection.readHead()
                try await connection.write(Self.ok)
            }
            _ = await connection.readToEnd()
        } body: { origin in
            try await withProxy(to: origin) { proxy in
                var client = try await RawConnection.connect(to: proxy)
                try await client.write(Self.get("1") + Self.get("2"))
                try await client.finish()
                let received = await client.readToEnd()
                #expect(received.text == Self.ok + Self.ok)
                #expect(received.end == .finished)
                await client.close()
            }
        }
    }

    @Test(
        "an app that goes away ends its connection to the backend in the same way",
        arguments: [RawConnection.End.finished, .reset]
    )
    func goneApp(end: RawConnection.End) async throws {
        let seen = RecordedTraffic()
        let (ends, ended) = AsyncStream.makeStream(of: RawConnection.End.self)
        try await withOrigin { connection in
            _ = try await connection.readHead()
            ended.yield(await connection.readToEnd().end)
        } body: { origin in
            try await withProxy(to: origin, seen: seen) { proxy in
                let client = try await RawConnection.connect(to: proxy)
                try await client.write(Self.get("slow"))
                _ = try await seen.words(2)
                if end == .reset { try await client.reset() } else { await client.close() }
                #expect(await ends.first { _ in true } == end)
                if end == .reset {
                    let words = try await seen.words(3)
                    #expect(words == ["1 GET /slow", "1 sent 0", "1 abandoned"])
                }
            }
        }
    }

    @Test("a backend that closes an idle connection closes that of the app")
    func idleClose() async throws {
        try await withOrigin { connection in
            _ = try await connection.readHead()
            try await connection.write(Self.ok)
        } body: { origin in
            try await withProxy(to: origin) { proxy in
                var client = try await RawConnection.connect(to: proxy)
                try await client.write(Self.get(""))
                let received = await client.readToEnd()
                #expect(received.text == Self.ok)
                #expect(received.end == .finished)
                await client.close()
            }
        }
    }

    @Test("a request that meets the end of an idle connection is reset, and not sent again")
    func lateRequest() async throws {
        let seen = RecordedTraffic()
        let heads = Mutex(0)
        try await withOrigin { connection in
            _ = try await connection.readHead()
            heads.withLock { $0 += 1 }
            try await connection.write(Self.ok)
        } body: { origin in
            try await withProxy(to: origin, seen: seen) { proxy in
                var client = try await RawConnection.connect(to: proxy)
                try await client.write(Self.get("1"))
                _ = try await client.readAnswer()
                let first = await client.readToEnd()
                #expect(first.end == .finished)
                try await client.write(Self.get("2"))
                let words = try await seen.words(7)
                #expect(
                    words.suffix(2) == [
                        "2 GET /2", "2 not sent: the backend had closed the connection",
                    ]
                )
                await client.close()
            }
        }
        #expect(heads.withLock { $0 } == 1)
    }

    @Test("an answer may come, and end the connection, before the request is complete")
    func earlyAnswer() async throws {
        let answer = "HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno"
        try await withOrigin { connection in
            _ = try await connection.readHead()
            try await connection.write(answer)
            try await connection.finish()
            _ = await connection.readToEnd()
        } body: { origin in
            try await withProxy(to: origin) { proxy in
                var client = try await RawConnection.connect(to: proxy)
                try await client.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc")
                let received = await client.readToEnd()
                #expect(received.text == answer)
                #expect(received.end == .finished)
                await client.close()
            }
        }
    }

    @Test("bytes that answer no request reset the connection")
    func unsolicited() async throws {
        try await withOrigin { connection in
            _ = try await connection.readHead()
            try await connection.write(Self.ok + Self.ok)
            _ = await connection.readToEnd()
        } body: { origin in
            try await withProxy(to: origin) { proxy in
                var client = try await RawConnection.connect(to: proxy)
                try await client.write(Self.get("1"))
                let received = await client.readToEnd()
                #expect(received.text == Self.ok)
                #expect(received.end == .reset)
                await client.close()
            }
        }
    }

    @Test("a backend that never answers delays no other connection")
    func silence() async throws {
        try await withOrigin { connection in
            while true {
                let head = try await connection.readHead()
                // Until the app leaves.
                guard !head.hasPrefix("GET /silent ") else {
                    _ = await connection.readToEnd()
                    return
                }
                try await connection.write(Self.ok)
            }
        } body: { origin in
            try await withProxy(to: origin) { proxy in
                var waiting: [RawConnection] = []
                for _ in 1...50 {
                    let silent = try await RawConnection.connect(to: proxy)
                    try await silent.write(Self.get("silent"))
                    waiting.append(silent)
                }
                var other = try await RawConnection.connect(to: proxy)
                for number in 1...20 {
                    try await other.write(Self.get("\(number)"))
                    #expect(try await other.readAnswer() == Self.ok)
                }
                await other.close()
                for silent in waiting { await silent.close() }
            }
        }
    }

    @Test("a client that never reads holds up its own backend only")
    func backPressure() async throws {
        let size = 96 << 20
        let part = Array(repeating: UInt8(0x61), count: 1 << 20)
        let written = Mutex(0)
        try await withOrigin { connection in
            while true {
                let head = try await connection.readHead()
                guard head.hasPrefix("GET /big ") else {
                    try await connection.write(Self.ok)
                    continue
                }
                try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
                for _ in 0..<(size >> 20) {
                    try await connection.write(part)
                    written.withLock { $0 += part.count }
                }
            }
        } body: { origin in
            try await withProxy(to: origin) { proxy in
                var slow = try await RawConnection.connect(to: proxy)
                try await slow.write(Self.get("big"))
                var before = -1
                try await eventually("the backend is held up") {
                    let now = written.withLock { $0 }
                    defer { before = now }
                    return now > 0 && now == before
                }
                #expect(written.withLock { $0 } < 64 << 20)
                var other = try await RawConnection.connect(to: proxy)
                for number in 1...20 {
                    try await other.write(Self.get("\(number)"))
                    #expect(try await other.readAnswer() == Self.ok)
                }
                await other.close()
                #expect(written.withLock { $0 } < 64 << 20)
                _ = try await slow.readHead()
                for _ in 0..<(size >> 20) {
                    #expect(try await slow.read(part.count) == part)
                }
                await slow.close()
            }
        }
    }
}
