import NIOCore
import NIOHTTP2
import Synchronization
import TestSupport
import Testing

@testable import Observer
@testable import Proxy

@Suite("Proxy: streams of HTTP/2 that are not read", .timeLimit(.minutes(20)))
struct UnreadStreamTests {
    private static func request(_ path: String) -> [(String, String)] {
        [(":method", "GET"), (":scheme", "http"), (":authority", "a:1"), (":path", path)]
    }

    @Test("streams that an app does not read hold up their backend, and no other stream")
    func bounded() async throws {
        let (count, part) = (60, 4_096)
        let text = String(repeating: "x", count: part)
        // As much as the proxy would take for all of them if nothing held the backend up.
        let size = 256 << 10
        let flowing = 4 << 20
        let sent = Mutex([String: Int]())
        try await withHTTP2Origin { stream in
            let path = try #require(try await stream.head().first { $0.hasPrefix(":path: ") })
            try await stream.write([(":status", "200")])
            for _ in 0..<(path == ":path: /flowing" ? flowing : size) / part {
                try await stream.write(text)
                sent.withLock { $0[path, default: 0] += part }
            }
            try await stream.write("", ends: true)
        } body: { port in
            try await withProxy(to: port) { proxy in
                let client = try await HTTP2Client.connect(to: proxy)
                // Nothing is sent to the app before it asks for it, stream by stream.
                try await client.write(
                    .settings(.settings([HTTP2Setting(parameter: .initialWindowSize, value: 0)]))
                )
                var unread: [HTTP2Stream] = []
                for number in 0..<count {
                    var stream = try await client.stream()
                    try await stream.write(Self.request("/\(number)"), ends: true)
                    _ = try await stream.head()
                    unread.append(stream)
                }
                var other = try await client.stream()
                try await other.write(Self.request("/flowing"), ends: true)
                _ = try await other.head()
                try await other.mayReceive(flowing)
                #expect(try await other.rest().body.utf8.count == flowing)
                let held = try await eventually("as much as the least windows let through") {
                    let held = sent.withLock { sent in
                        sent.filter { $0.key != ":path: /flowing" }.values.reduce(0, +)
                    }
                    return held >= count * StreamWindow.least / 2 ? held : nil
                }
                let limit = count * HTTP2Limits.streamMemory + HTTP2Limits.connectionBudget
                #expect(held <= limit, "\(held) bytes")
                // What waited comes, and is whole.
                for place in unread.indices {
                    try await unread[place].mayReceive(size)
                    #expect(try await unread[place].rest().body.utf8.count == size)
                }
                await client.close()
            }
        }
    }

    @Test("a body that a backend does not read holds up its app, and comes whole in the end")
    func uploads() async throws {
        let (size, part) = (4 << 20, 16_384)
        let isRead = Mutex(false)
        let sent = Mutex(0)
        try await withHTTP2Origin { stream in
            _ = try await stream.head()
            try await eventually("the time to read") { isRead.withLock(\.self) }
            let count = try await stream.rest().body.utf8.count
            try await stream.write([(":status", "200"), ("x-count", "\(count)")], ends: true)
        } body: { port in
            try await withProxy(to: port) { proxy in
                let client = try await HTTP2Client.connect(to: proxy)
                var stream = try await client.stream()
                try await stream.write(
                    [
                        (":method", "POST"), (":scheme", "http"), (":authority", "a:1"),
                        (":path", "/"),
                    ]
                )
                let data = IOData.byteBuffer(ByteBuffer(repeating: 0x78, count: part))
                for number in 1...size / part {
                    let isLast = number == size / part
                    let payload = HTTP2Stream.Payload.data(.init(data: data, endStream: isLast))
                    stream.channel.writeAndFlush(payload).whenSuccess {
                        sent.withLock { $0 += part }
                    }
                }
                try await eventually("the first of it") { sent.withLock { $0 } >= part }
                #expect(sent.withLock { $0 } < size)
                isRead.withLock { $0 = true }
                #expect(try await stream.head() == [":status: 200", "x-count: \(size)"])
                await client.close()
            }
        }
    }

    @Test("interim heads that an app does not read end their stream, and do not gather")
    func interimHeads() async throws {
        let count = 4_000
        let written = Mutex(0)
        let value = String(repeating: "x", count: 4_000)
        try await withHTTP2Origin { stream in
            _ = try await stream.head()
            for _ in 0..<count {
                try await stream.write([(":status", "103"), ("x", value)])
                written.withLock { $0 += 1 }
            }
        } body: { port in
            try await withProxy(to: port) { proxy in
                let client = try await RawConnection.connect(to: proxy)
                let request: [UInt8] = [0x82, 0x86, 0x84, 0x41, 1, UInt8(ascii: "a")]
                try await client.write(
                    Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]
                        + [0, 0, UInt8(request.count), 1, 5, 0, 0, 0, 1] + request
                )
                try await eventually("the end of the stream to the backend") {
                    written.withLock { $0 } > 0
                }
                await client.close()
            }
        }
        #expect(written.withLock { $0 } < count)
    }

    @Test("a stream gets more once it has taken half of its window, and much more if there is room")
    func growth() {
        let budget = WindowBudget(limit: StreamWindow.largest)
        var one = StreamWindow()
        one.take(StreamWindow.least / 2 - 1)
        #expect(one.grant(within: budget) == nil)
        one.take(1)
        let growth = StreamWindow.largest - StreamWindow.least
        #expect(one.grant(within: budget) == StreamWindow.least / 2 + growth)
        #expect(one.grant(within: budget) == nil)
        // There is no room for a second one, which goes on with the least.
        var two = StreamWindow()
        two.take(StreamWindow.least)
        #expect(two.grant(within: budget) == StreamWindow.least)
        one.close(within: budget)
        two.take(StreamWindow.least)
        #expect(two.grant(within: budget) == StreamWindow.least + growth)
        two.close(within: budget)
        #expect(budget.used == 0)
    }

    @Test("the streams of one connection share a part of what there is for all")
    func shares() {
        let all = WindowBudget(limit: 100)
        let one = WindowBudget(limit: 60, within: all)
        let two = WindowBudget(limit: 60, within: all)
        #expect(one.take(60))
        #expect(!one.take(1))
        #expect(!two.take(41))
        #expect(two.take(40))
        one.giveBack(60)
        #expect(all.used == 40)
        #expect(two.take(20))
        #expect(!two.take(1))
    }

    @Test("connections beyond those that there is room for get fewer streams each")
    func streams() {
        let budget = WindowBudget(limit: HTTP2Limits.budget)
        var numbers: [Int] = []
        for _ in 0..<100 {
            let streams = HTTP2Limits.streams(within: budget)
            budget.reserve(streams * HTTP2Limits.streamMemory)
            numbers.append(streams)
        }
        #expect(numbers.first == 100)
        #expect(numbers.last == 8)
        #expect(numbers == numbers.sorted(by: >))
    }
}

extension HTTP2Stream {
    /// Lets the peer send this much in addition.
    fileprivate func mayReceive(_ count: Int) async throws {
        try await channel.writeAndFlush(Payload.windowUpdate(windowSizeIncrement: count)).get()
    }
}
