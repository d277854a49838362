import Basics
import Client
import FeedTestSupport
import Model
import Testing

@testable import HTTP
@testable import Platform

@Suite("Feed connection: what arrives and what is sent", .timeLimit(.minutes(20)))
struct FeedConnectionTests {
    @Test("binary messages come as text, and no two of them alike unless their bytes are")
    func binary() async throws {
        try await feed { connection in
            try? await connection.send(binary: Array("grüß".utf8))
            try? await connection.send(binary: [0xFF, 0x00, 0x1B])
            await connection.close()
        } _: { feed in
            #expect(await feed.nextEvent() == .text("grüß"))
            #expect(await feed.nextEvent() == .text("binary, 3 bytes: ff001b"))
        }
    }

    @Test("a message of 1 MiB arrives, a larger one ends the connection with 1009")
    func tooBig() async throws {
        let whole = String(repeating: "x", count: 1 << 20)
        try await feed { connection in
            try? await connection.send(text: whole)
            try? await connection.send(text: whole + "x")
            for await _ in connection.events {}
        } _: { feed in
            #expect(await feed.nextEvent() == .text(whole))
            guard case .closed(let code, let closer, _) = await feed.nextEvent() else {
                Issue.record("still open")
                return
            }
            #expect(code == 1009)
            #expect(closer == .us)
        }
    }

    @Test("a pong answers a ping, and the server's own pings are no events")
    func ping() async throws {
        try await feed { connection in
            try? await connection.ping([1])
            for await _ in connection.events {}
        } _: { feed in
            await feed.ping()
            #expect(await feed.nextEvent() == .pong)
        }
    }

    @Test("what we send arrives, and our close carries its code and reason")
    func sendAndClose() async throws {
        let (seen, sees) = AsyncStream.makeStream(of: WebSocketEvent.self)
        try await feed { connection in
            for await event in connection.events { sees.yield(event) }
            sees.finish()
        } _: { feed in
            await feed.send(text: "hello")
            await feed.close(code: 1000, reason: "rotated")
            guard case .closed(_, let closer, _) = await feed.nextEvent() else {
                Issue.record("still open")
                return
            }
            #expect(closer == .us)
            await feed.send(text: "after the end")
            await feed.ping()
            let events = await seen.reduce(into: []) { $0.append($1) }
            #expect(events.first == .text("hello"))
            guard case .closed(let report)? = events.last else {
                Issue.record("the server saw no close")
                return
            }
            #expect(report.code == 1000)
            #expect(report.reason == "rotated")
            #expect(events.count == 2)
        }
    }

    @Test("a transport that just ends is 1006")
    func dropped() async throws {
        try await feed { connection in
            connection.drop()
        } _: { feed in
            guard case .closed(let code, let closer, _) = await feed.nextEvent() else {
                Issue.record("still open")
                return
            }
            #expect(code == 1006)
            #expect(closer == .transport)
        }
    }

    @Test("a cancelled reader is let go, and another may go on")
    func cancelledReader() async throws {
        try await feed { connection in
            var events = connection.events.makeAsyncIterator()
            _ = await events.next()
            try? await connection.send(text: "later")
            for await _ in connection.events {}
        } _: { feed in
            let reading = Task { await feed.nextEvent() }
            reading.cancel()
            guard case .closed(1006, .us, _) = await reading.value else {
                Issue.record("it was not let go")
                return
            }
            await feed.send(text: "go")
            #expect(await feed.nextEvent() == .text("later"))
        }
    }

    /// One feed, between a server and a client.
    private func feed(
        serve: @escaping @Sendable (WebSocketConnection) async -> Void,
        _ body: @Sendable (any FeedConnection) async throws -> Void
    ) async throws {
        try await FeedServer.run(serve: serve) { server in
            try await withTestNetwork { network in
                let origin = try BackendOrigin(parsing: "http://127.0.0.1:\(server.port)")
                let transport = try network.feedTransport(to: origin)
                let outcome = await transport.dial(.plain, deadline: liveTime.now + .seconds(30))
                let connection = try #require(outcome.connection)
                try await body(connection)
                await connection.close(code: 1000, reason: "")
            }
        }
    }
}
