import Client
import Model
import Testing

@testable import Basics
@testable import Platform
@testable import Profiles

@Suite("Feed transport: event streams", .timeLimit(.minutes(20)))
struct EventStreamTests {
    private static let request = FeedRequest(
        kind: .eventStream,
        target: "/events?token=x",
        headers: [WireHeader("Accept", "text/event-stream"), WireHeader("Last-Event-ID", "41")],
        shownTarget: "/events"
    )

    private static let head = """
        HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\
        Transfer-Encoding: chunked\r\n\r\n
        """

    private static func chunk(_ text: String) -> ScriptedServer.Step {
        .send("\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n")
    }

    @Test("what the server sends arrives in order, and the end of the response is the end")
    func open() async throws {
        let script: [ScriptedServer.Step] = [
            .readRequest, .send(Self.head), Self.chunk("retry: 250\nid: 42\nevent: added\nda"),
            Self.chunk("ta: {\"a\":1}\n\n: alive\n\n"), Self.chunk("id: 43\n\ndata: x\n\n"),
            .send("0\r\n\r\n"), .hold,
        ]
        try await dial([script]) { server, outcome in
            let feed = try #require(outcome.connection, "\(outcome.failure ?? "")")
            var events: [FeedConnectionEvent] = []
            while true {
                let event = await feed.nextEvent()
                events.append(event)
                if case .closed = event { break }
            }
            let end = FeedConnectionEvent.closed(code: 1005, by: .peer, reason: "")
            #expect(
                events == [
                    .reconnectionTime(250), .event(id: "42", type: "added", data: #"{"a":1}"#),
                    .keepAlive, .position("43"), .event(id: nil, type: nil, data: "x"), end,
                ]
            )
            #expect(await feed.nextEvent() == end, "the end is final")
            let sent = try #require(server.requests.first)
            #expect(sent.hasPrefix("GET /base/events?token=x HTTP/1.1\r\n"))
            for header in ["Accept: text/event-stream", "Last-Event-ID: 41"] {
                #expect(sent.contains("\(header)\r\n"))
            }
        }
    }

    @Test(
        "any other answer is a refusal",
        arguments: [
            ("204 No Content", 204, nil), ("401 Unauthorized", 401, nil),
            ("403 Forbidden\r\nContent-Length: 2", 403, nil),
            ("429 Too Many Requests\r\nRetry-After: 7\r\nContent-Length: 2", 429, .seconds(7)),
            ("503 Service Unavailable\r\nContent-Length: 2", 503, nil),
            ("302 Found\r\nLocation: /elsewhere\r\nContent-Length: 2", 302, nil),
            ("200 OK\r\nContent-Type: text/html\r\nContent-Length: 2", 200, nil),
            ("200 OK\r\nContent-Length: 2", 200, nil),
            ("500 No\r\nContent-Type: text/event-stream\r\nContent-Length: 2", 500, nil),
        ] as [(String, Int, RetryAfter?)]
    )
    func refused(answer: String, status: Int, retryAfter: RetryAfter?) async throws {
        let body = answer.contains("Content-Length") ? "no" : ""
        let end = status == 401 ? "\r\nContent-Length: 0" : ""
        let script: [ScriptedServer.Step] = [
            .readRequest, .send("HTTP/1.1 \(answer)\(end)\r\n\r\n\(body)"), .hold,
        ]
        try await dial([script]) { _, outcome in
            #expect(outcome.refusal?.status == status, "\(outcome.failure ?? "")")
            #expect(outcome.refusal?.retryAfter == retryAfter)
            #expect(outcome.refusal?.body == Array(body.utf8))
        }
    }

    @Test(
        "a connection that is cut is told apart from a stream that ends",
        arguments: [true, false]
    )
    func cut(reset: Bool) async throws {
        let script: [ScriptedServer.Step] =
            [.readRequest, .send(Self.head), Self.chunk("data: x\n\n")] + (reset ? [.reset] : [])
        try await dial([script]) { _, outcome in
            let feed = try #require(outcome.connection, "\(outcome.failure ?? "")")
            var last = await feed.nextEvent()
            if last == .event(id: nil, type: nil, data: "x") { last = await feed.nextEvent() }
            #expect(last == .closed(code: 1006, by: .transport, reason: ""))
        }
    }

    @Test("an event over the limit ends the stream")
    func tooLarge() async throws {
        let piece = String(repeating: "x", count: 1 << 16)
        let script: [ScriptedServer.Step] =
            [.readRequest, .send(Self.head), Self.chunk("data: x\n\ndata: ")]
            + Array(repeating: Self.chunk(piece), count: 17) + [.hold]
        try await dial([script]) { _, outcome in
            let feed = try #require(outcome.connection, "\(outcome.failure ?? "")")
            #expect(await feed.nextEvent() == .event(id: nil, type: nil, data: "x"))
            #expect(await feed.nextEvent() == .closed(code: 1009, by: .us, reason: ""))
        }
    }

    @Test("a close ends the connection, and a reader that waits gets the end")
    func close() async throws {
        let script: [ScriptedServer.Step] = [.readRequest, .send(Self.head), .hold]
        try await dial([script]) { _, outcome in
            let feed = try #require(outcome.connection, "\(outcome.failure ?? "")")
            async let event = feed.nextEvent()
            await feed.close(code: 1000, reason: "")
            #expect(await event == .closed(code: 1000, by: .us, reason: ""))
        }
    }

    @Test("all that a fast server sends reaches a slow reader")
    func backpressure() async throws {
        let block = (0..<1000).map { "data: \($0)\n\n" }.joined()
        let script: [ScriptedServer.Step] =
            [.readRequest, .send(Self.head)] + Array(repeating: Self.chunk(block), count: 10)
            + [.send("0\r\n\r\n"), .hold]
        try await dial([script]) { _, outcome in
            let feed = try #require(outcome.connection, "\(outcome.failure ?? "")")
            for number in 0..<10_000 {
                let expected = FeedConnectionEvent.event(
                    id: nil,
                    type: nil,
                    data: "\(number % 1000)"
                )
                guard await feed.nextEvent() == expected else {
                    Issue.record("event \(number) is missing")
                    return
                }
            }
            #expect(await feed.nextEvent() == .closed(code: 1005, by: .peer, reason: ""))
        }
    }

    @Test("an answer that never comes ends with the deadline")
    func neverAnswered() async throws {
        try await ScriptedServer.run([[.readRequest, .hold]]) { server in
            let clock = VirtualTimekeeper()
            try await withTestNetwork(timekeeper: clock) { network in
                let origin = try BackendOrigin(parsing: "http://127.0.0.1:\(server.port)")
                let transport = try network.feedTransport(to: origin)
                let deadline = clock.now + .seconds(600)
                async let dialing = transport.dial(Self.request, deadline: deadline)
                await server.waitForRequests(1)
                await clock.waitForSleepers(1)
                clock.advance(by: .seconds(602))
                #expect(await dialing.failure == "no answer within 600 s")
            }
        }
    }

    private func dial(
        _ scripts: [[ScriptedServer.Step]],
        _ body: (ScriptedServer, FeedDialOutcome) async throws -> Void
    ) async throws {
        try await ScriptedServer.run(scripts) { server in
            try await withTestNetwork { network in
                let origin = try BackendOrigin(parsing: "http://127.0.0.1:\(server.port)/base")
                let transport = try network.feedTransport(to: origin)
                let deadline = liveTime.now + .seconds(60)
                try await body(server, await transport.dial(Self.request, deadline: deadline))
            }
        }
    }
}
