import Basics
import Client
import HTTP
import Model
import Profiles
import Testing

@testable import Platform
@testable import Sandbox

@Suite("Sandbox: the feed as an event stream", .timeLimit(.minutes(20)))
struct EventStreamTests {
    private static func configuration() -> SandboxConfiguration {
        SandboxConfiguration(feed: FeedSettings(rate: 200, maximumLag: 1_000_000))
    }

    /// Dials a stream of a new session.
    private func withStream(
        _ order: String? = nil,
        since: String? = nil,
        configuration: SandboxConfiguration = Self.configuration(),
        _ body: @escaping @Sendable (RunningSandbox, FeedDialOutcome) async throws -> Void
    ) async throws {
        let dialect = try dialect("voltyks")
        try await withSandbox(configuration) { sandbox in
            let tokens = try await sandbox.login(dialect)
            if let order { #expect(try await sandbox.order(order).status == 200) }
            let streaming = dialect.withSandboxStream()
            let request = try #require(streaming.feedRequest(tokens.access, since: since))
            let time = LiveTimekeeper()
            let configuration = NetworkConfiguration(
                timekeeper: time,
                random: { .random(in: .min ... .max) }
            )
            try await withNetwork(configuration) { network in
                let base = "http://127.0.0.1:\(sandbox.port)/voltyks"
                let transport = try network.feedTransport(to: try BackendOrigin(parsing: base))
                try await body(
                    sandbox,
                    await transport.dial(request, deadline: time.now + .seconds(60))
                )
            }
        }
    }

    private func connection(_ outcome: FeedDialOutcome) throws -> any FeedConnection {
        guard case .opened(let connection) = outcome else { throw Unexpected("\(outcome)") }
        return connection
    }

    /// The number of the next message; comments may come before it.
    private func nextNumber(on stream: any FeedConnection) async throws -> Int64 {
        while true {
            let event = await stream.nextEvent()
            if case .keepAlive = event { continue }
            guard let number = seq(event) else { throw Unexpected("\(event)") }
            return number
        }
    }

    private func seq(_ event: FeedConnectionEvent) -> Int64? {
        guard case .event(let id?, let type?, let data) = event, !type.isEmpty,
            let number = JSONValue(parsing: Array(data.utf8))?.value(at: "seq")?.numberValue,
            id.hasSuffix("-\(Int64(number))")
        else { return nil }
        return Int64(number)
    }

    @Test("its events are the messages of the feed, in order, and a close by the client ends it")
    func events() async throws {
        try await withStream { sandbox, outcome in
            let stream = try connection(outcome)
            for number in 1...50 { #expect(try await nextNumber(on: stream) == Int64(number)) }
            #expect(try await sandbox.state().sockets.map(\.closedAt) == [nil])
            await stream.close(code: 1000, reason: "")
            let state = try await sandbox.state { $0.sockets.allSatisfy { $0.closedAt != nil } }
            #expect(state.sockets.map(\.closedBy) == [.transport])
        }
    }

    @Test("it outlives the time that the sandbox gives a client to receive a response")
    func lasting() async throws {
        var limited = Self.configuration()
        limited.limits = ConnectionLimits(answer: 1)
        try await withStream(configuration: limited) { _, outcome in
            let stream = try connection(outcome)
            for number in 1...600 { try #require(await nextNumber(on: stream) == Int64(number)) }
            await stream.close(code: 1000, reason: "")
        }
    }

    @Test("it begins after the id of the last event", arguments: [("1-0", 1), ("7-5", 6)])
    func resumed(id: String, first: Int64) async throws {
        let dialect = try dialect("voltyks")
        try await withSandbox(Self.configuration()) { sandbox in
            let tokens = try await sandbox.login(dialect)
            let socket = try await sandbox.open(
                dialect.withSandboxFeed().feedRequest(tokens.access, since: nil),
                under: "/voltyks"
            )
            try await socket.read(until: 20)
            let request = try #require(
                dialect.withSandboxStream().feedRequest(tokens.access, since: id)
            )
            let time = LiveTimekeeper()
            let configuration = NetworkConfiguration(
                timekeeper: time,
                random: { .random(in: .min ... .max) }
            )
            try await withNetwork(configuration) { network in
                let base = "http://127.0.0.1:\(sandbox.port)/voltyks"
                let transport = try network.feedTransport(to: try BackendOrigin(parsing: base))
                let stream = try connection(
                    await transport.dial(request, deadline: time.now + .seconds(60))
                )
                #expect(try await nextNumber(on: stream) == first)
                await stream.close(code: 1000, reason: "")
            }
            await socket.connection.close()
        }
    }

    @Test(
        "a fault refuses it as it refuses an upgrade",
        arguments: [
            ("feed-refuse", 403), ("feed-refuse:status=401", 401), ("rate-limit:feed", 429),
            ("server-error:feed:status=503", 503),
        ]
    )
    func refused(fault: String, status: Int) async throws {
        try await withStream(#"{"once": "\#(fault)"}"#) { _, outcome in
            guard case .refused(let response) = outcome else { throw Unexpected("\(outcome)") }
            #expect(response.status == status)
        }
    }

    @Test(
        "a fault closes it: with the end of the response, or of the connection",
        arguments: [
            ("feed-close:code=1011", FeedConnectionEvent.closed(code: 1005, by: .peer, reason: "")),
            ("feed-close:code=1006", .closed(code: 1006, by: .transport, reason: "")),
            ("feed-close-on-open", .closed(code: 1005, by: .peer, reason: "")),
        ]
    )
    func closed(fault: String, end: FeedConnectionEvent) async throws {
        try await withStream(#"{"once": "\#(fault)"}"#) { _, outcome in
            let stream = try connection(outcome)
            #expect(await stream.nextEvent() == end)
        }
    }

    @Test("a token that is not valid is refused with 403")
    func invalid() async throws {
        try await withSandbox { sandbox in
            let request = WireRequest(
                method: "GET",
                target: "/voltyks/events?token=nonsense",
                headers: [WireHeader("Accept", "text/event-stream")]
            )
            let response = try await sandbox.send(request)
            #expect(response.status == 403)
        }
    }

    @Test("a silent one stays open, and the state says so until the client leaves")
    func silent() async throws {
        try await withStream(#"{"once": "feed-silent"}"#) { sandbox, outcome in
            let stream = try connection(outcome)
            // The head of the response precedes the entry in the state.
            let open = try await sandbox.state { $0.sockets.count == 1 }
            #expect(open.sockets[0].closedAt == nil)
            await stream.close(code: 1000, reason: "")
            #expect(await stream.nextEvent() == .closed(code: 1000, by: .us, reason: ""))
            let state = try await sandbox.state { $0.sockets.allSatisfy { $0.closedAt != nil } }
            #expect(state.sockets.map(\.closedBy) == [.transport])
        }
    }
}
