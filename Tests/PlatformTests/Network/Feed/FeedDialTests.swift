import Client
import FeedTestSupport
import HTTP
import Model
import NIOHTTP1
import Synchronization
import Testing

@testable import Basics
@testable import Platform
@testable import Profiles

@Suite("Feed transport: dialing", .timeLimit(.minutes(20)))
struct FeedDialTests {
    @Test("an open feed brings what the server sends")
    func open() async throws {
        try await FeedServer.run { connection in
            try? await connection.send(text: #"{"id":"1"}"#)
            await connection.close(code: 4001, reason: "expired")
        } _: { server in
            try await dial(port: server.port, FeedRequest(target: "/ws?t=x", shownTarget: "/ws")) {
                outcome in
                let feed = try #require(outcome.connection)
                #expect(await feed.nextEvent() == .text(#"{"id":"1"}"#))
                let end = FeedConnectionEvent.closed(code: 4001, by: .peer, reason: "expired")
                #expect(await feed.nextEvent() == end)
                #expect(await feed.nextEvent() == end, "the end is final")
            }
        }
    }

    @Test("the upgrade goes out as it was written, and what is said follows it")
    func verbatim() async throws {
        let request = FeedRequest(
            target: "/ws/feed?token=a%2Fb",
            headers: [WireHeader("Authorization", "Bearer acc3ss-s3cr3t")],
            subprotocols: ["v1.feed", "acc3ss-s3cr3t"],
            shownTarget: "/ws/feed?token={token}"
        )
        let first = Mutex<WebSocketEvent?>(nil)
        try await FeedServer.run(subprotocol: "v1.feed") { connection in
            var events = connection.events.makeAsyncIterator()
            let event = await events.next()
            first.withLock { $0 = event }
            await connection.close()
        } _: { server in
            try await dial(port: server.port, prefix: "/base", request) { outcome in
                let feed = try #require(outcome.connection)
                await feed.send(text: #"{"type":"auth"}"#)
                _ = await feed.nextEvent()
            }
            let head = try #require(server.upgrades.first)
            #expect(head.uri == "/base/ws/feed?token=a%2Fb")
            #expect(head.headers["Authorization"] == ["Bearer acc3ss-s3cr3t"])
            #expect(head.headers["Host"] == ["127.0.0.1:\(server.port)"])
            #expect(head.headers["User-Agent"] == ["authtop"])
            #expect(head.headers["Sec-WebSocket-Protocol"] == ["v1.feed, acc3ss-s3cr3t"])
        }
        #expect(first.withLock { $0 } == .text(#"{"type":"auth"}"#))
    }

    @Test(
        "a refused upgrade tells its status, and when to come back",
        arguments: [
            ("403 Forbidden\r\nRetry-After: 7", 403, .seconds(7)),
            ("401 Unauthorized", 401, nil),
            ("503 Service Unavailable\r\nRetry-After: soon", 503, nil),
            ("301 Moved Permanently\r\nLocation: /elsewhere", 301, nil),
            ("302 Found\r\nLocation: /elsewhere", 302, nil),
            ("307 Temporary Redirect\r\nLocation: /ws/", 307, nil),
            ("308 Permanent Redirect\r\nLocation: /ws/", 308, nil),
            ("200 OK", 200, nil),
        ] as [(String, Int, RetryAfter?)]
    )
    func refused(answer: String, status: Int, retryAfter: RetryAfter?) async throws {
        let script: [ScriptedServer.Step] = [
            .readRequest, .send("HTTP/1.1 \(answer)\r\nContent-Length: 2\r\n\r\nno"), .hold,
        ]
        try await ScriptedServer.run([script]) { server in
            try await dial(port: server.port, .plain) { outcome in
                #expect(outcome.refusal?.status == status, "\(outcome.failure ?? "")")
                #expect(outcome.refusal?.retryAfter == retryAfter)
            }
            #expect(server.connections == 1, "a redirect is not followed")
        }
    }

    @Test("a refusal whose body never ends is a refusal all the same")
    func endlessRefusal() async throws {
        let answer = "HTTP/1.1 403 Forbidden\r\n\r\nno"
        try await ScriptedServer.run([[.readRequest, .send(answer), .hold]]) { server in
            // On a busy machine the answer itself may take longer than the first limit.
            var status: Int?
            for limit in [1, 4, 16] where status == nil {
                try await dial(port: server.port, .plain, within: .seconds(limit)) { outcome in
                    status = outcome.refusal?.status
                }
            }
            #expect(status == 403)
        }
    }

    @Test("a refused connection fails in words")
    func noServer() async throws {
        let port = 1  // a port that was given back may be another test's already
        try await dial(port: port, .plain) { outcome in
            #expect(outcome.failure == "connection refused by 127.0.0.1:\(port)")
        }
        try await dial(host: "app.localhost", port: port, .plain) { outcome in
            #expect(outcome.failure == "connection refused by app.localhost:\(port)")
        }
    }

    @Test("a connection that ends before the answer fails in words", arguments: [false, true])
    func endsEarly(reset: Bool) async throws {
        try await ScriptedServer.run([[.readRequest] + (reset ? [.reset] : [])]) { server in
            try await dial(port: server.port, .plain) { outcome in
                #expect(outcome.failure?.hasSuffix("before an answer came") == true)
            }
        }
    }

    @Test(
        "what a proxy does instead of opening a tunnel is told in words",
        arguments: [
            (
                [.send("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n")],
                "PROXY wants a user and a password"
            ),
            (
                [.send("HTTP/1.1 502 No\r\nContent-Length: 0\r\n\r\n")],
                "PROXY does not connect to PEER"
            ),
            ([.send("SSH-2.0-OpenSSH_9.2\r\n"), .hold], "PROXY does not answer in HTTP"),
            ([.send("HTTP/1.1 2\r\n\r\n"), .hold], "PROXY does not answer in HTTP"),
            ([.send("HTTP/1.1 20")], "connection closed before an answer came"),
            ([], "connection closed before an answer came"),
            ([.reset], "connection reset by PROXY before an answer came"),
        ] as [([ScriptedServer.Step], String)]
    )
    func proxy(steps: [ScriptedServer.Step], message: String) async throws {
        try await ScriptedServer.run([[.readRequest] + steps]) { server in
            let proxy = "127.0.0.1:\(server.port)"
            let settings = try ProxySettings(variables: ["HTTPS_PROXY": "http://\(proxy)"])
            try await withTestNetwork(proxies: settings) { network in
                let origin = try BackendOrigin(parsing: "https://far.example")
                let transport = try network.feedTransport(to: origin)
                let outcome = await transport.dial(.plain, deadline: liveTime.now + .seconds(30))
                let expected = message.replacing("PROXY", with: "the proxy \(proxy) (HTTPS_PROXY)")
                    .replacing("PEER", with: "far.example:443")
                #expect(outcome.failure?.hasPrefix(expected) == true, "\(outcome.failure ?? "")")
            }
        }
    }

    @Test("a proxy that refuses the connection, or never answers, is named, or the deadline is")
    func absentProxy() async throws {
        try await ScriptedServer.run([[.readRequest, .hold]]) { server in
            let refused = "connection refused by the proxy 127.0.0.1:1 (HTTPS_PROXY)"
            for (port, limit, message) in [
                (1, 30, refused), (server.port, 2, "no answer within 2 s"),
            ] {
                let settings = try ProxySettings(
                    variables: ["HTTPS_PROXY": "http://127.0.0.1:\(port)"]
                )
                try await withTestNetwork(proxies: settings) { network in
                    let origin = try BackendOrigin(parsing: "https://far.example")
                    let transport = try network.feedTransport(to: origin)
                    let deadline = liveTime.now + .seconds(limit)
                    let outcome = await transport.dial(.plain, deadline: deadline)
                    #expect(outcome.failure == message)
                }
            }
        }
    }

    @Test("an upgrade that is never answered ends with the deadline")
    func neverAnswered() async throws {
        let clock = VirtualTimekeeper()
        try await ScriptedServer.run([[.readRequest, .hold]]) { server in
            try await withTestNetwork(timekeeper: clock) { network in
                let origin = try BackendOrigin(parsing: "http://127.0.0.1:\(server.port)")
                let transport = try network.feedTransport(to: origin)
                async let dialing = transport.dial(.plain, deadline: clock.now + .seconds(600))
                await server.waitForRequests(1)
                await clock.waitForSleepers(1)
                clock.advance(by: .seconds(602))
                #expect(await dialing.failure == "no answer within 600 s")
            }
        }
    }

    @Test("a cancelled dial leaves no connection behind")
    func cancelled() async throws {
        try await ScriptedServer.run([[.readRequest, .hold]]) { server in
            try await withTestNetwork { network in
                let origin = try BackendOrigin(parsing: "http://127.0.0.1:\(server.port)")
                let transport = try network.feedTransport(to: origin)
                let dialing = Task {
                    await transport.dial(.plain, deadline: liveTime.now + .seconds(30))
                }
                await server.waitForRequests(1)
                dialing.cancel()
                #expect(await dialing.value.failure == "given up before an answer came")
            }
        }
    }

    @Test(
        "what cannot go out as it is written does not go out, and no value is quoted",
        arguments: [
            FeedRequest(target: "/a b?t=s3cr3t", shownTarget: ""),
            FeedRequest(target: "ws?t=s3cr3t", shownTarget: ""),
            FeedRequest(target: "/#s3cr3t", shownTarget: ""),
            FeedRequest(target: "/", headers: [WireHeader("X", "s3cr3t\r\nY: z")], shownTarget: ""),
            FeedRequest(target: "/", headers: [WireHeader("X s3cr3t", "z")], shownTarget: ""),
            FeedRequest(target: "/", subprotocols: ["s3cr3t, v2"], shownTarget: ""),
            FeedRequest(
                target: "/",
                headers: [WireHeader("Authorization", "s3cr3t"), WireHeader("authorization", "b")],
                shownTarget: ""
            ),
        ]
    )
    func unfit(request: FeedRequest) async throws {
        try await ScriptedServer.run([[.readRequest]]) { server in
            try await dial(port: server.port, request) { outcome in
                #expect(outcome.failure?.hasPrefix("not sent: ") == true)
                #expect(outcome.failure?.contains("s3cr3t, v2") == false)
            }
            #expect(server.connections == 0)
        }
    }

    @Test("the feed has the trust of the token requests")
    func tls() async throws {
        try await CertificateAuthority.with { authority in
            let trust = try TrustRoots(caFile: authority.caFile)
            try await FeedServer.run(tls: authority.server) { connection in
                await connection.close(code: 1001)
            } _: { server in
                for (trust, opens) in [(trust, true), (.system, false)] {
                    try await withTestNetwork(trust: trust) { network in
                        let origin = try BackendOrigin(parsing: "https://127.0.0.1:\(server.port)")
                        let transport = try network.feedTransport(to: origin)
                        let deadline = liveTime.now + .seconds(30)
                        let outcome = await transport.dial(.plain, deadline: deadline)
                        let isUntrusted = outcome.failure?.hasPrefix("certificate not trusted: ")
                        #expect((outcome.connection != nil) == opens)
                        #expect(isUntrusted == (opens ? nil : true), "\(outcome.failure ?? "")")
                        await outcome.connection?.close(code: 1000, reason: "")
                    }
                }
            }
        }
    }

    /// Dials once, with a deadline that few tests are meant to reach.
    private func dial(
        host: String = "127.0.0.1",
        port: Int,
        prefix: String = "",
        _ request: FeedRequest,
        within limit: Duration = .seconds(30),
        _ body: (FeedDialOutcome) async throws -> Void
    ) async throws {
        try await withTestNetwork { network in
            let origin = try BackendOrigin(parsing: "http://\(host):\(port)\(prefix)")
            let transport = try network.feedTransport(to: origin)
            try await body(await transport.dial(request, deadline: liveTime.now + limit))
        }
    }
}
