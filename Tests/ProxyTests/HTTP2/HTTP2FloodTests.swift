import NIOCore
import NIOHPACK
import NIOHTTP2
import TestSupport
import Testing

@testable import Observer
@testable import Proxy

@Suite("Proxy: floods and odd frames of HTTP/2", .timeLimit(.minutes(20)))
struct HTTP2FloodTests {
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(4, 0, 0)

    /// A frame of a type, with flags and a payload, on a stream.
    private static func frame(
        _ type: UInt8,
        _ flags: UInt8,
        _ stream: UInt8,
        _ payload: [UInt8] = []
    ) -> [UInt8] {
        let size = payload.count
        return [UInt8(size >> 16), UInt8(size >> 8 & 0xFF), UInt8(size & 0xFF), type, flags]
            + [0, 0, 0, stream] + payload
    }

    private static func windowUpdate(_ stream: UInt8, _ increment: UInt8) -> [UInt8] {
        frame(8, 0, stream, [0, 0, 0, increment])
    }

    /// `:method: GET`, `:scheme: http`, `:path: /` and `:authority: a`, as HPACK has them.
    private static let request: [UInt8] = [0x82, 0x86, 0x84, 0x41, 1, UInt8(ascii: "a")]

    private static func repeated(_ count: Int, _ frame: (UInt8) -> [UInt8]) -> [UInt8] {
        (0..<count).flatMap { frame(UInt8($0 * 2 % 250 + 1)) }
    }

    private static let floods: [(String, [UInt8])] = [
        (
            "continuations",
            frame(1, 0, 1, request)
                + repeated(4_000) { _ in frame(9, 0, 1, [0, 1, 0x61, 1, 0x62]) }
        ),
        (
            "a header bomb",
            // A long field, and then the same from the table, by one byte each.
            frame(
                1,
                4,
                1,
                request + [0x40, 1, 0x61, 0x7F, 0xA1, 0x1E]
                    + [UInt8](repeating: 0x62, count: 4_000)
                    + [UInt8](repeating: 0xBE, count: 10_000)
            )
        ),
        ("window updates", repeated(25_000) { _ in windowUpdate(0, 1) }),
        (
            "window updates of a stream",
            frame(1, 4, 1, request) + repeated(25_000) { _ in windowUpdate(1, 1) }
        ),
        ("frames of an unknown type", repeated(25_000) { _ in frame(0x42, 0, 0) }),
        (
            "long frames of an unknown type",
            repeated(40) { _ in frame(0x42, 0, 0, [UInt8](repeating: 0, count: 16_000)) }
        ),
        (
            "settings that change the windows of all streams",
            // The initial size of windows, 2 000 times in each frame.
            repeated(40) { _ in
                frame(4, 0, 0, (0..<2_000).flatMap { [0, 4, 0, 0, 0xFF, UInt8($0 % 2)] })
            }
        ),
        ("goodbyes", repeated(25_000) { _ in frame(7, 0, 0, [UInt8](repeating: 0, count: 8)) }),
        ("empty data", frame(1, 4, 1, request) + repeated(4_000) { _ in frame(0, 0, 1) }),
        ("a frame that is too large", [0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 1]),
        ("data on no stream", frame(0, 0, 7, [1, 2, 3])),
    ]

    @Test(
        "a flood ends its connection and is told, and another connection goes on",
        arguments: floods.map(\.0)
    )
    func flood(name: String) async throws {
        let bytes = try #require(Self.floods.first { $0.0 == name }).1
        let seen = RecordedTraffic()
        try await withHTTP2Origin { stream in
            if try await stream.head().contains(":path: /ok") {
                try await stream.write([(":status", "204")], ends: true)
            }
        } body: { port in
            try await withProxy(to: port, seen: seen) { proxy in
                var attacker = try await RawConnection.connect(to: proxy)
                try? await attacker.write(Self.preface + bytes)
                _ = await attacker.readToEnd()
                #expect(seen.words.contains("0 unreadable brokenHTTP2"), "\(seen.words)")
                try await Self.getAnswer(from: proxy)
                await attacker.close()
            }
        }
    }

    /// Gets an answer over a connection of its own.
    private static func getAnswer(from proxy: Int) async throws {
        let client = try await HTTP2Client.connect(to: proxy)
        var stream = try await client.stream()
        try await stream.write(
            [(":method", "GET"), (":scheme", "http"), (":authority", "a"), (":path", "/ok")],
            ends: true
        )
        #expect(try await stream.head() == [":status: 204"])
        await client.close()
    }

    /// SETTINGS and PING.
    private static let answered = [frame(4, 0, 0), frame(6, 0, 0, [UInt8](repeating: 0, count: 8))]

    @Test(
        "a flood of frames that are answered holds up no other connection",
        arguments: answered
    )
    func answeredFrames(frame: [UInt8]) async throws {
        try await withHTTP2Origin { stream in
            _ = try await stream.head()
            try await stream.write([(":status", "204")], ends: true)
        } body: { port in
            try await withProxy(to: port) { proxy in
                let attacker = try await RawConnection.connect(to: proxy)
                // A connection that has ended by then takes no more.
                try? await attacker.write(Self.preface + Self.repeated(40_000) { _ in frame })
                try await Self.getAnswer(from: proxy)
                await attacker.close()
            }
        }
    }

    @Test(
        "thousands of PING or SETTINGS, as gRPC for Go sends with its answers, end no connection",
        arguments: answered
    )
    func pings(frame: [UInt8]) async throws {
        let seen = RecordedTraffic()
        try await withHTTP2Origin { stream in
            _ = try await stream.head()
            try await stream.write([(":status", "204")], ends: true)
        } body: { port in
            try await withProxy(to: port, seen: seen) { proxy in
                var client = try await RawConnection.connect(to: proxy)
                let frames = Self.repeated(4_000) { _ in frame }
                try await client.write(Self.preface + frames + Self.frame(1, 5, 1, Self.request))
                var type: UInt8 = 0
                while type != 1 {
                    let head = try await client.read(9)
                    type = head[3]
                    _ = try await client.read(Int(head[1]) << 8 | Int(head[2]))
                }
                #expect(!seen.words.contains("0 unreadable brokenHTTP2"), "\(seen.words)")
                await client.close()
            }
        }
    }

    @Test("an app may give back byte by byte what it was sent")
    func windowUpdates() async throws {
        let (size, seen) = (12_000, RecordedTraffic())
        try await withHTTP2Origin { stream in
            _ = try await stream.head()
            try await stream.write([(":status", "200")])
            try await stream.write(String(repeating: "x", count: size), ends: true)
        } body: { port in
            try await withProxy(to: port, seen: seen) { proxy in
                var client = try await RawConnection.connect(to: proxy)
                try await client.write(Self.preface)
                for id in stride(from: UInt8(1), through: 5, by: 2) {
                    try await client.write(Self.frame(1, 5, id, Self.request))
                    var count = 0
                    while count < size {
                        let head = try await client.read(9)
                        let length = Int(head[1]) << 8 | Int(head[2])
                        _ = try await client.read(length)
                        if head[3] == 0 { count += length }
                    }
                    for stream in [0, id] {
                        let frames = Self.repeated(size) { _ in Self.windowUpdate(stream, 1) }
                        try await client.write(frames)
                    }
                }
                try await eventually("the last answer") { seen.words.last == "3 delivered" }
                #expect(!seen.words.contains("0 unreadable brokenHTTP2"), "\(seen.words)")
                await client.close()
            }
        }
    }

    @Test("a few frames without content in a long answer end nothing")
    func emptyParts() async throws {
        let seen = RecordedTraffic()
        try await withHTTP2Origin { stream in
            _ = try await stream.head()
            try await stream.write([(":status", "200")])
            for _ in 0..<20 {
                try await stream.write("")
                try await stream.write("x")
            }
            try await stream.write("", ends: true)
        } body: { port in
            try await withProxy(to: port, seen: seen) { proxy in
                let client = try await HTTP2Client.connect(to: proxy)
                var stream = try await client.stream()
                try await stream.write(
                    [(":method", "GET"), (":scheme", "http"), (":authority", "a"), (":path", "/")],
                    ends: true
                )
                #expect(try await stream.head() == [":status: 200"])
                let rest = try await stream.rest()
                #expect(rest.body == String(repeating: "x", count: 20))
                #expect(rest.end == .finished([]))
                await client.close()
            }
        }
    }

    @Test("a body that looks like the end of a connection passes as it is")
    func goAwayAsBody() async throws {
        let body = "\0\0\u{8}\u{7}\0\0\0\0\0\0\0\0abcdn"
        let seen = RecordedTraffic()
        try await withHTTP2Origin { stream in
            _ = try await stream.head()
            let (sent, _) = try await stream.rest()
            try await stream.write([(":status", "200")])
            try await stream.write(sent, ends: true)
        } body: { port in
            try await withProxy(to: port, seen: seen) { proxy in
                let client = try await HTTP2Client.connect(to: proxy)
                var stream = try await client.stream()
                try await stream.write(
                    [(":method", "POST"), (":scheme", "http"), (":authority", "a"), (":path", "/")]
                )
                try await stream.write(body, ends: true)
                #expect(try await stream.head() == [":status: 200"])
                #expect(try await stream.rest().body == body)
                await client.close()
            }
        }
    }

    @Test("a backend that floods ends its own connection, and the app gets an answer")
    func backend() async throws {
        let flood = Self.frame(4, 0, 0) + Self.repeated(25_000) { _ in Self.windowUpdate(0, 1) }
        try await withOrigin { origin in
            _ = try await origin.read(24)
            try await origin.write(flood)
            _ = await origin.readToEnd()
        } body: { port in
            try await withProxy(to: port) { proxy in
                let client = try await HTTP2Client.connect(to: proxy)
                var stream = try await client.stream()
                try await stream.write(
                    [(":method", "GET"), (":scheme", "http"), (":authority", "a"), (":path", "/")],
                    ends: true
                )
                #expect(try await stream.head().first == ":status: 502")
                await client.close()
            }
        }
    }

    @Test("the end of a connection that floods does not deny the requests that were relayed")
    func lastStream() async throws {
        let seen = RecordedTraffic()
        try await withHTTP2Origin { stream in
            _ = try await stream.head()
        } body: { port in
            try await withProxy(to: port, seen: seen) { proxy in
                var attacker = try await RawConnection.connect(to: proxy)
                try await attacker.write(Self.preface + Self.frame(1, 4, 1, Self.request))
                try await eventually("the request") {
                    seen.words.contains { $0.hasSuffix(" GET /") }
                }
                try? await attacker.write(Self.repeated(4_000) { _ in Self.frame(0, 0, 1) })
                let bytes = await attacker.readToEnd().bytes
                // GOAWAY, whose last stream is the first.
                let goAway: [UInt8] = [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 1]
                let names = bytes.indices.contains { bytes[$0...].starts(with: goAway) }
                #expect(names, "\(bytes)")
                await attacker.close()
            }
        }
    }

    @Test(
        "a stream that is reset before its request has come is told, and one with a request is not"
    )
    func resetAtOnce() async throws {
        let seen = RecordedTraffic()
        try await withHTTP2Origin { stream in
            _ = try await stream.head()
        } body: { port in
            try await withProxy(to: port, seen: seen) { proxy in
                let client = try await RawConnection.connect(to: proxy)
                var bytes = Self.preface
                for number in 0..<5 {
                    for var frame in [
                        Self.frame(1, 5, 0, Self.request), Self.frame(3, 0, 0, [0, 0, 0, 8]),
                    ] {
                        frame[8] = UInt8(number * 2 + 1)
                        bytes += frame
                    }
                }
                try await client.write(bytes)
                try await eventually("each of the streams") {
                    seen.words.count {
                        $0.hasSuffix(" GET /") || $0 == "0 unreadable resetStreams"
                    } == 5
                }
                await client.close()
            }
        }
    }

    @Test("streams that are reset at once end their connection after a thousand of them")
    func rapidReset() async throws {
        let seen = RecordedTraffic()
        try await withHTTP2Origin { stream in
            _ = try await stream.head()
        } body: { port in
            try await withProxy(to: port, seen: seen) { proxy in
                var attacker = try await RawConnection.connect(to: proxy)
                var bytes = Self.preface
                for number in 0..<3_000 {
                    let id = number * 2 + 1
                    for var frame in [
                        Self.frame(1, 5, 0, Self.request), Self.frame(3, 0, 0, [0, 0, 0, 8]),
                    ] {
                        (frame[7], frame[8]) = (UInt8(id >> 8), UInt8(id & 0xFF))
                        bytes += frame
                    }
                }
                try? await attacker.write(bytes)
                _ = await attacker.readToEnd()
                #expect(seen.words.contains("0 unreadable brokenHTTP2"))
                await attacker.close()
            }
        }
        let requests = seen.words.count { $0.hasSuffix(" GET /") }
        #expect(requests < 1_500, "\(requests)")
    }

    @Test(
        "pseudo-header fields that no first line has end their stream alone",
        arguments: [
            [("x", "y"), (":method", "GET"), (":scheme", "http"), (":path", "/")],
            [(":method", "GET"), (":scheme", "http")],
            [(":method", "GET"), (":method", "GET"), (":scheme", "http"), (":path", "/")],
            [(":method", "GET"), (":scheme", "http"), (":path", "")],
            [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":status", "-1")],
            [(":method", "CONNECT"), (":authority", "a:1")],
            [(":method", ""), (":scheme", ""), (":path", "/")],
            [(":method", "GET"), (":scheme", "http"), (":path", "/"), ("Upper", "x")],
            [(":method", "G E"), (":scheme", "http"), (":path", "/"), (":authority", "a")],
            [(":method", "GET"), (":scheme", "http"), (":path", "/ x"), (":authority", "a")],
            [(":method", "GET"), (":scheme", "http"), (":path", "/"), ("a", "b\r\nc: d")],
            [(":method", "GET"), (":scheme", "http"), (":path", "/"), ("connection", "x")],
            [(":method", "GET"), (":scheme", "http"), (":path", "/"), ("transfer-encoding", "x")],
        ]
    )
    func pseudoFields(fields: [(String, String)]) async throws {
        let seen = RecordedTraffic()
        try await withHTTP2Origin { stream in
            _ = try await stream.head()
            try await stream.write([(":status", "204")], ends: true)
        } body: { port in
            try await withProxy(to: port, seen: seen) { proxy in
                var client = try await RawConnection.connect(to: proxy)
                var block: [UInt8] = []
                for (name, value) in fields {
                    block += [0, UInt8(name.utf8.count)] + Array(name.utf8)
                    block += [UInt8(value.utf8.count)] + Array(value.utf8)
                }
                try await client.write(Self.preface + Self.frame(1, 5, 1, block))
                // Another stream of the connection, whose answer has a head and an end.
                try await client.write(Self.frame(1, 5, 3, Self.request))
                var frames = ByteBuffer()
                while true {
                    frames.writeBytes(try await client.read(1))
                    if Array(frames.readableBytesView).suffix(5) == [0, 0, 0, 3, 0x89] { break }
                }
                await client.close()
            }
        }
        #expect(!seen.words.contains("1 GET "), "\(seen.words)")
        #expect(seen.words.count { $0 == "0 unreadable malformed" } == 1, "\(seen.words)")
    }
}
