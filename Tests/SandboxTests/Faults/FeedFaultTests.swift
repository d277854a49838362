import Profiles
import Synchronization
import Testing

@testable import Basics
@testable import HTTP
@testable import Sandbox

@Suite("Sandbox: the feed under faults")
struct FeedFaultTests {
    /// A session with its feed's request, on a sandbox that is set as asked.
    private func withFeed(
        _ order: String,
        _ configuration: SandboxConfiguration = SandboxConfiguration(
            feed: FeedSettings(rate: 200, maximumLag: 1_000_000)
        ),
        timekeeper: any Timekeeper = LiveTimekeeper(),
        _ body: @escaping @Sendable (RunningSandbox, FeedRequest) async throws -> Void
    ) async throws {
        let dialect = try dialect("bitbasel")
        try await withSandbox(configuration, timekeeper: timekeeper) { sandbox in
            let tokens = try await sandbox.login(dialect)
            #expect(try await sandbox.order(order).status == 200)
            let request = try #require(dialect.feedRequest(tokens.access, since: nil))
            try await body(sandbox, request)
        }
    }

    @Test(
        "a good token is refused before the upgrade, and then accepted",
        arguments: [
            ("feed-refuse", 403), ("feed-refuse:status=401", 401), ("unauthorized", 401),
            ("server-error:feed:status=502", 502), ("rate-limit:feed:seconds=4", 429),
            ("not-found:feed", 404), ("html-200:feed", 200),
        ]
    )
    func refused(fault: String, status: Int) async throws {
        try await withFeed(#"{"once": "\#(fault)"}"#) { sandbox, request in
            let result = try await sandbox.dial(request, under: "/bitbasel")
            guard case .refused(status, let headers, _) = result else {
                throw Unexpected("\(result)")
            }
            #expect(headers.contains { $0.0.lowercased() == "date" })
            #expect(!headers.contains { $0.0 == "Retry-After" } || status == 429)
            let feed = try await sandbox.open(request, under: "/bitbasel")
            _ = try await feed.message()
            #expect(try await sandbox.state().faultsFired.values.reduce(0, +) == 1)
            await feed.connection.close()
        }
    }

    @Test("a dial is lost, and the next one is not")
    func lost() async throws {
        try await withFeed(#"{"once": "drop-request:feed"}"#) { sandbox, request in
            await #expect(throws: (any Error).self) {
                try await sandbox.dial(request, under: "/bitbasel")
            }
            let feed = try await sandbox.open(request, under: "/bitbasel")
            await feed.connection.close()
        }
    }

    @Test("a good token is let in and turned away", arguments: [1008, 4401] as [UInt16])
    func turnedAway(code: UInt16) async throws {
        try await withFeed(#"{"once": "feed-close-on-open:code=\#(code)"}"#) { sandbox, request in
            let feed = try await sandbox.open(request, under: "/bitbasel")
            #expect(try await feed.drain().code == code)
            #expect(feed.applied.isEmpty)
        }
    }

    @Test("an open feed is closed with any code", arguments: [1000, 1001, 1011, 3000, 4401, 4999])
    func closed(code: Int) async throws {
        try await withFeed(#"{"off": "all"}"#) { sandbox, request in
            let feed = try await sandbox.open(request, under: "/bitbasel")
            _ = try await feed.message()
            _ = try await sandbox.order(#"{"once": "feed-close:code=\#(code)"}"#)
            let report = try await feed.drain()
            #expect(Int(report.code) == code)
            #expect(report.initiator == .peer)
            let state = try await sandbox.state { $0.sockets[0].closedAt != nil }
            #expect(state.sockets[0].sent.numbers == feed.applied)
            #expect(state.sockets[0].closedBy == .server)
            #expect(state.faultsFired == ["feed-close": 1])
        }
    }

    @Test("an open feed is cut without a close frame")
    func cut() async throws {
        try await withFeed(#"{"once": "feed-close:code=1006"}"#) { sandbox, request in
            let feed = try await sandbox.open(request, under: "/bitbasel")
            let report = try await feed.drain()
            #expect(report.code == 1006)
            #expect(report.initiator == .transport)
            let state = try await sandbox.state { $0.sockets[0].closedAt != nil }
            #expect(state.sockets[0].closeCode == 1006)
        }
    }

    @Test("a silent feed sends nothing, answers no ping, and ends only with its client")
    func silent() async throws {
        try await withFeed(#"{"on": "feed-silent"}"#) { sandbox, request in
            let silent = try await sandbox.open(request, under: "/bitbasel")
            _ = try await sandbox.state {
                $0.faultsFired == ["feed-silent": 1] && $0.sockets.count == 1
            }
            _ = try await sandbox.order(#"{"off": "feed-silent"}"#)
            let speaking = try await sandbox.open(request, under: "/bitbasel")
            try await speaking.read(until: 100)
            let open = try await sandbox.state().sockets[0]
            #expect(open.closedAt == nil)
            #expect(open.sent.isEmpty)
            try await silent.connection.ping([1])
            // The peer does not answer the goodbye either.
            let connection = silent.connection
            async let closing = connection.close()
            let left = try await silent.rest()
            #expect(await closing.clean == false)
            #expect(left == ["closed 1006"])
            let state = try await sandbox.state { $0.sockets[0].closedAt != nil }
            #expect(state.sockets[0].closedBy != .server)
            await speaking.connection.close()
        }
    }

    @Test("a feed falls silent in the middle, and the sandbox ends nevertheless")
    func silentMidway() async throws {
        let feed = Held()
        try await withFeed(#"{"off": "all"}"#) { sandbox, request in
            let client = try await sandbox.open(request, under: "/bitbasel")
            try await client.read(until: 10)
            _ = try await sandbox.order(#"{"once": "feed-silent"}"#)
            _ = try await sandbox.state { $0.faultsFired == ["feed-silent": 1] }
            feed.hold(client.connection)
        }
        // The sandbox has returned, and took the transport with it.
        let report = try #require(await feed.connection?.end())
        #expect(report.code == 1006)
    }

    @Test("messages come twice, with the same words")
    func duplicates() async throws {
        try await withFeed(#"{"on": "feed-duplicates:next=5"}"#) { sandbox, request in
            let feed = try await sandbox.open(request, under: "/bitbasel")
            try await feed.read(until: 12)
            let first = feed.applied[0]
            let expected = (first..<first + 5).flatMap { [$0, $0] } + [first + 5, first + 6]
            #expect(feed.applied == expected)
            let state = try await sandbox.state()
            #expect(state.sockets[0].sent.count == 1)
            #expect(state.faultsFired == ["feed-duplicates": 5])
            await feed.connection.close()
        }
    }

    @Test("an open feed is closed with its token")
    func expiry() async throws {
        let timekeeper = VirtualTimekeeper()
        let configuration = SandboxConfiguration(accessLifetime: 60, feed: FeedSettings(rate: 1))
        try await withFeed(
            #"{"on": "feed-expiry:code=4001"}"#,
            configuration,
            timekeeper: timekeeper
        ) { sandbox, request in
            let feed = try await sandbox.open(request, under: "/bitbasel")
            await timekeeper.waitForSleepers(3)
            timekeeper.advance(by: .seconds(59))
            try await feed.read(until: 59)
            await timekeeper.waitForSleepers(3)
            timekeeper.advance(by: .seconds(2))
            #expect(try await feed.drain().code == 4001)
        }
    }

    @Test("a request that is no upgrade is not a feed's")
    func notAnUpgrade() async throws {
        try await withFeed(#"{"on": "feed-refuse"}"#) { sandbox, request in
            let response = try await sandbox.send(
                WireRequest(method: "GET", target: request.target),
                under: "/bitbasel"
            )
            #expect(response.status == 426)
            #expect(try await sandbox.state().faultsFired.isEmpty)
        }
    }
}

/// Takes a connection out of a sandbox's scope.
private final class Held: Sendable {
    private let state = Mutex<WebSocketConnection?>(nil)

    func hold(_ connection: WebSocketConnection) { state.withLock { $0 = connection } }
    var connection: WebSocketConnection? { state.withLock { $0 } }
}
