import Basics
import NIOCore
import NIOHPACK
import NIOHTTP2
import Platform
import Profiles
import Synchronization
import TestSupport
import Testing

@testable import Observer
@testable import Proxy

@Suite("Proxy: streams of HTTP/2", .timeLimit(.minutes(20)))
struct HTTP2RelayTests {
    private static func request(
        _ path: String,
        method: String = "GET",
        _ fields: [(String, String)] = []
    ) -> [(String, String)] {
        [(":method", method), (":scheme", "http"), (":authority", "a:1"), (":path", path)] + fields
    }

    /// Runs a client over HTTP/2, the proxy, and a server.
    private static func withRelay(
        seen: RecordedTraffic = RecordedTraffic(),
        injector: any FaultInjector = NoFaults(),
        configuration: ProxyConfiguration? = nil,
        serve: @escaping @Sendable (inout HTTP2Stream) async throws -> Void,
        _ body: (HTTP2Client) async throws -> Void
    ) async throws {
        try await withHTTP2Origin(serve: serve) { port in
            try await withProxy(
                to: port,
                configuration: configuration,
                seen: seen,
                injector: injector
            ) {
                proxy in
                let client = try await HTTP2Client.connect(to: proxy)
                try await body(client)
                await client.close()
            }
        }
    }

    @Test("a stream is an exchange: heads, bodies and trailers pass as they are, and are observed")
    func exchange() async throws {
        let seen = RecordedTraffic()
        try await Self.withRelay(seen: seen) { stream in
            let head = try await stream.head()
            let (body, end) = try await stream.rest()
            let fields: [(String, String)] = [
                (":status", "200"), ("x-b", "1"), ("x-a", "2"), ("x-b", "3"),
            ]
            try await stream.write(fields)
            try await stream.write("\(head) \(body) \(end)")
            try await stream.write([("grpc-status", "16")], ends: true)
        } _: { client in
            var stream = try await client.stream()
            let fields = [("z", "1"), ("te", "trailers"), ("y", "2"), ("z", "3")]
            try await stream.write(Self.request("/login", method: "POST", fields))
            try await stream.write("sec")
            try await stream.write("ret")
            try await stream.write([("checksum", "7")], ends: true)
            #expect(
                try await stream.head() == [":status: 200", "x-b: 1", "x-a: 2", "x-b: 3"]
            )
            let (body, end) = try await stream.rest()
            let arrived = [
                ":method: POST", ":scheme: http", ":authority: a:1", ":path: /login", "z: 1",
                "te: trailers", "y: 2", "z: 3",
            ]
            #expect(body == "\(arrived) secret finished([\"checksum: 7\"])")
            #expect(end == .finished(["grpc-status: 16"]))
        }
        let words = try await eventually("the end") {
            seen.words.last == "1 delivered" ? seen.words : nil
        }
        #expect(words.first == "1 POST /login")
        #expect(words.contains("1 sent 6"))
        #expect(words.suffix(3).first == "1 trailers grpc-status: 16", "\(words)")
        #expect(words.last == "1 delivered", "\(words)")
    }

    @Test(
        "a stream that ends with its head, or with its last bytes, ends so at the other side",
        arguments: ["", "bytes"]
    )
    func end(body: String) async throws {
        try await Self.withRelay { stream in
            guard case .headers(let head)? = try await stream.next(), head.endStream else { return }
            let fields = [(":status", "200"), ("grpc-status", "7")]
            try await stream.write(fields, ends: body.isEmpty)
            if !body.isEmpty { try await stream.write(body, ends: true) }
        } _: { client in
            var stream = try await client.stream()
            try await stream.write(Self.request("/"), ends: true)
            guard case .headers(let head)? = try await stream.next() else {
                Issue.record("no head")
                return
            }
            #expect(head.endStream == body.isEmpty)
            #expect(head.headers.first(name: "grpc-status") == "7")
            guard !body.isEmpty else { return }
            guard case .data(let data)? = try await stream.next() else {
                Issue.record("no bytes")
                return
            }
            #expect(data.endStream)
        }
    }

    @Test("interim answers, HEAD and answers without a body pass")
    func bodyless() async throws {
        try await Self.withRelay { stream in
            let head = try await stream.head()
            if head.contains(":method: HEAD") {
                return try await stream.write(
                    [(":status", "200"), ("content-length", "9")],
                    ends: true
                )
            }
            try await stream.write([(":status", "103"), ("link", "</a>")])
            try await stream.write([(":status", "204")], ends: true)
        } _: { client in
            var one = try await client.stream()
            try await one.write(Self.request("/", method: "HEAD"), ends: true)
            #expect(try await one.head() == [":status: 200", "content-length: 9"])
            var two = try await client.stream()
            try await two.write(Self.request("/"), ends: true)
            #expect(try await two.head() == [":status: 103", "link: </a>"])
            #expect(try await two.head() == [":status: 204"])
        }
    }

    @Test("both sides send at the same time, and one stream does not wait for another")
    func concurrency() async throws {
        try await Self.withRelay { stream in
            let head = try await stream.head()
            guard head.contains(":path: /talk") else { return }
            try await stream.write([(":status", "200")])
            for _ in 1...3 {
                let text = try await stream.body(1)
                try await stream.write(text + "!")
            }
            try await stream.write([("grpc-status", "0")], ends: true)
        } _: { client in
            let silent = try await client.stream()
            try await silent.write(Self.request("/silent"), ends: true)
            var talk = try await client.stream()
            try await talk.write(Self.request("/talk", method: "POST"))
            _ = try await talk.head()
            for text in ["a", "b", "c"] {
                try await talk.write(text, ends: text == "c")
                #expect(try await talk.body(2) == text + "!")
            }
            #expect(try await talk.rest().end == .finished(["grpc-status: 0"]))
        }
    }

    @Test(
        "a reset by the backend passes with its code, before an answer and inside one",
        arguments: [HTTP2ErrorCode.refusedStream, .cancel, .enhanceYourCalm],
        [true, false]
    )
    func resetByBackend(code: HTTP2ErrorCode, begins: Bool) async throws {
        let seen = RecordedTraffic()
        try await Self.withRelay(seen: seen) { stream in
            _ = try await stream.head()
            if begins {
                try await stream.write([(":status", "200")])
                try await stream.write("part")
            }
            try await stream.reset(code)
        } _: { client in
            var stream = try await client.stream()
            try await stream.write(Self.request("/"), ends: true)
            if begins { _ = try await stream.body(4) }
            #expect(try await stream.rest().end == .reset(code))
            try await eventually("a failure") {
                seen.words.contains { $0.hasPrefix("1 unanswered") }
            }
        }
    }

    @Test("a reset by the app passes with its code, and the connection goes on")
    func resetByApp() async throws {
        let ends = Mutex<[HTTP2Stream.End]>([])
        let seen = RecordedTraffic()
        try await Self.withRelay(seen: seen) { stream in
            if try await stream.head().contains(":path: /ok") {
                return try await stream.write([(":status", "204")], ends: true)
            }
            try await stream.write([(":status", "200")])
            let end = try await stream.rest().end
            ends.withLock { $0.append(end) }
        } _: { client in
            var stream = try await client.stream()
            try await stream.write(Self.request("/", method: "POST"))
            _ = try await stream.head()
            try await stream.reset(.cancel)
            try await eventually("the reset") { ends.withLock { $0 == [.reset(.cancel)] } }
            var other = try await client.stream()
            try await other.write(Self.request("/ok"), ends: true)
            #expect(try await other.head() == [":status: 204"])
        }
        #expect(seen.words.contains("1 abandoned"))
    }

    @Test(
        "an app that ends its stream when it has as many bytes as the answer states has the answer",
        arguments: [HTTP2ErrorCode.noError, .streamClosed, .cancel]
    )
    func endedByLength(code: HTTP2ErrorCode) async throws {
        let seen = RecordedTraffic()
        try await Self.withRelay(seen: seen) { stream in
            _ = try await stream.head()
            try await stream.write([(":status", "200"), ("content-length", "2")])
            try await stream.write("ok")
            _ = try await stream.rest()
        } _: { client in
            var stream = try await client.stream()
            try await stream.write(Self.request("/"), ends: true)
            _ = try await stream.head()
            #expect(try await stream.body(2) == "ok")
            try await stream.reset(code)
            try await eventually("its end", evidence: { seen.words.joined(separator: "\n") }) {
                seen.words.contains("1 answered 2")
            }
        }
        // A reset for another reason may overtake bytes that the app has not read.
        let ends = code == .cancel ? ["1 delivered", "1 not delivered"] : ["1 delivered"]
        #expect(seen.words.suffix(ends.count) == ends[...])
    }

    @Test("answers to an app that resets its connection right after them may not have been read")
    func resetConnection() async throws {
        let seen = RecordedTraffic()
        var configuration = ProxyConfiguration()
        configuration.resetWindow = .minutes(10)
        try await Self.withRelay(seen: seen, configuration: configuration) { stream in
            _ = try await stream.head()
            try await stream.write([(":status", "204")], ends: true)
        } _: { client in
            for _ in 1...2 {
                let stream = try await client.stream()
                try await stream.write(Self.request("/"), ends: true)
            }
            try await eventually("both answers") {
                seen.words.filter { $0.hasSuffix(" delivered") }.count == 2
            }
            try await client.reset()
            try await eventually("the doubt", evidence: { seen.words.joined(separator: "\n") }) {
                seen.words.contains("1 not delivered") && seen.words.contains("2 not delivered")
            }
        }
    }

    @Test("a body waits for a slow reader, and is whole")
    func slowReader() async throws {
        let (parts, size) = (256, 65_536)
        let written = Mutex(0)
        try await Self.withRelay { stream in
            _ = try await stream.head()
            try await stream.write([(":status", "200")])
            let part = String(repeating: "x", count: size)
            for _ in 0..<parts {
                try await stream.write(part)
                written.withLock { $0 += size }
            }
            try await stream.write("", ends: true)
        } _: { client in
            var stream = try await client.stream()
            try await stream.write(Self.request("/"), ends: true)
            _ = try await stream.head()
            // The other stream gets through although this one is full.
            var other = try await client.stream()
            try await other.write(Self.request("/"), ends: true)
            #expect(try await other.body(parts * size).utf8.count == parts * size)
            #expect(written.withLock { $0 } < (parts + parts / 8) * size)
            #expect(try await stream.rest().body.utf8.count == parts * size)
        }
    }

    @Test("the backend's GOAWAY passes, and the connection ends once its streams have")
    func goAway() async throws {
        try await Self.withRelay { stream in
            _ = try await stream.head()
            let goAway = HTTP2Frame.FramePayload.goAway(
                lastStreamID: 1,
                errorCode: .enhanceYourCalm,
                opaqueData: nil
            )
            try await stream.channel.parent?
                .writeAndFlush(HTTP2Frame(streamID: .rootStream, payload: goAway)).get()
            _ = try await stream.rest()
            try await stream.write([(":status", "204")], ends: true)
        } _: { client in
            var stream = try await client.stream()
            try await stream.write(Self.request("/", method: "POST"))
            #expect(await client.goAway() == .enhanceYourCalm)
            try await stream.write("", ends: true)
            #expect(try await stream.head() == [":status: 204"])
            try await client.channel.closeFuture.get()
        }
    }

    @Test("a backend that does not speak HTTP/2 is told of, and the app gets an answer")
    func noHTTP2() async throws {
        let seen = RecordedTraffic()
        try await withOrigin { connection in
            _ = try await connection.read(24)
            try await connection.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            // To close with bytes that were not read is to reset, which may overtake the answer.
            _ = await connection.readToEnd()
        } body: { port in
            try await withProxy(to: port, seen: seen) { proxy in
                let client = try await HTTP2Client.connect(to: proxy)
                var stream = try await client.stream()
                try await stream.write(Self.request("/"), ends: true)
                #expect(try await stream.head().first == ":status: 502")
                #expect(try await stream.rest().body.contains("does not speak HTTP/2"))
                await client.close()
            }
        }
        #expect(seen.words.contains("0 unreadable http2"), "\(seen.words)")
    }

    @Test(
        "a request that breaks HTTP, or names another server, is refused alone",
        arguments: [
            ([(":path", "x")], 421), ([(":authority", "evil")], 421),
            ([("host", "other")], 400), ([(":authority", "")], 400),
        ]
    )
    func refused(changed: [(String, String)], status: Int) async throws {
        try await Self.withRelay { stream in
            _ = try await stream.head()
            try await stream.write([(":status", "204")], ends: true)
        } _: { client in
            var fields = Self.request("/")
            for (name, value) in changed {
                fields.removeAll { $0.0 == name }
                fields.insert((name, value), at: name.hasPrefix(":") ? 0 : fields.endIndex)
            }
            var stream = try await client.stream()
            stream.send(fields, ends: true)
            #expect(try await stream.head().first == ":status: \(status)")
            var other = try await client.stream()
            try await other.write(Self.request("/"), ends: true)
            #expect(try await other.head() == [":status: 204"])
        }
    }
}
