import FoundationEssentials
import Testing

@testable import Backend
@testable import Basics
@testable import HTTP
@testable import Profiles
@testable import Sandbox

@Suite("Sandbox: the feed")
struct FeedTests {
    @Test("opens with a live token for every dialect", arguments: Dialect.builtIn().map(\.name))
    func opens(name: String) async throws {
        let dialect = try dialect(name)
        let configuration = SandboxConfiguration(
            feed: FeedSettings(rate: 200, maximumLag: 1_000_000)
        )
        try await withSandbox(configuration) { sandbox in
            let tokens = try await sandbox.login(dialect)
            let feed = try await sandbox.open(
                dialect.feedRequest(tokens.access, since: nil),
                under: "/\(name)"
            )
            let message = try await feed.message()
            let reading = dialect.readFeedMessage(message.serialized)
            #expect(reading.seq == feed.applied.first)
            #expect(reading.id == "123-\(feed.applied[0])")
            #expect(reading.type != nil)
            try await feed.read(until: 20)
            #expect(feed.applied == Array(feed.applied[0]..<feed.applied[0] + 20))
            await feed.connection.close()
        }
    }

    @Test(
        "is refused with 403 before it is accepted, without a token, with a wrong or an expired one"
    )
    func refused() async throws {
        let dialect = try dialect("bitbasel")
        let timekeeper = VirtualTimekeeper()
        let configuration = SandboxConfiguration(accessLifetime: 60)
        try await withSandbox(configuration, timekeeper: timekeeper) { sandbox in
            let tokens = try await sandbox.login(dialect)
            timekeeper.advance(by: .seconds(60))
            let wrong = AccessToken(Secret("wrong"))
            let nothing = FeedRequest(target: "/ws/feed", shownTarget: "/ws/feed")
            let requests = [
                dialect.feedRequest(tokens.access, since: nil),
                dialect.feedRequest(wrong, since: nil), nothing,
            ]
            for request in requests {
                let result = try await sandbox.dial(request, under: "/bitbasel")
                guard case .refused(let status, let headers, let body) = result else {
                    throw Unexpected("the feed opened")
                }
                #expect(status == 403)
                #expect(headers.contains { $0.0.lowercased() == "date" })
                #expect(JSONValue(parsing: body)?.value(at: "detail")?.stringValue != nil)
            }
            let counters = try await sandbox.state().backend.counters["bitbasel"]
            #expect(counters?.feedsRefused == ["expired": 1, "invalid": 1, "missing": 1])
            #expect(counters?.feedsOpened == 0)
        }
    }

    @Test("may be set to accept a bad token and close", arguments: [1008, 4401] as [UInt16])
    func acceptedThenClosed(code: UInt16) async throws {
        let dialect = try dialect("bitbasel")
        let settings = FeedSettings(refusal: .close(code: code))
        try await withSandbox(SandboxConfiguration(feed: settings)) { sandbox in
            let wrong = AccessToken(Secret("wrong"))
            let feed = try await sandbox.open(
                dialect.feedRequest(wrong, since: nil),
                under: "/bitbasel"
            )
            let report = try await feed.drain()
            #expect(report.code == code)
            #expect(feed.applied.isEmpty)
        }
    }

    @Test(
        "a request for it that is no upgrade is told so",
        arguments: [
            [WireHeader](),
            [WireHeader("Upgrade", "h2c"), WireHeader("Connection", "Upgrade")],
            [
                WireHeader("Upgrade", "websocket"), WireHeader("Connection", "Upgrade"),
                WireHeader("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="),
                WireHeader("Sec-WebSocket-Version", "12"),
            ],
        ]
    )
    func notAnUpgrade(headers: [WireHeader]) async throws {
        let dialect = try dialect("bitbasel")
        try await withSandbox { sandbox in
            let tokens = try await sandbox.login(dialect)
            let feed = try #require(dialect.feedRequest(tokens.access, since: nil))
            // A connection of its own: an upgrade is asked for with a connection's first request.
            let request = WireRequest(
                method: "GET",
                target: feed.target,
                headers: headers + [WireHeader("Connection", "close")]
            )
            let response = try await sandbox.send(request, under: "/bitbasel")
            #expect(response.status == 426)
            #expect(response.header("Sec-WebSocket-Version") == "13")
        }
    }

    @Test("a message has the same number and the same words on all of a user's sockets")
    func sameOnAll() async throws {
        let dialect = try dialect("bitbasel")
        let timekeeper = VirtualTimekeeper()
        try await withSandbox(timekeeper: timekeeper) { sandbox in
            let first = try await sandbox.login(dialect)
            let second = try await sandbox.login(dialect)
            let one = try await sandbox.open(
                dialect.feedRequest(first.access, since: nil),
                under: "/bitbasel"
            )
            _ = try await sandbox.state { $0.sockets.count == 1 }
            timekeeper.advance(by: .seconds(1))
            let other = try await sandbox.open(
                dialect.feedRequest(second.access, since: nil),
                under: "/bitbasel"
            )
            _ = try await sandbox.state { $0.sockets.count == 2 }
            try await one.read(until: 10)
            #expect(one.applied == Array(1...10))
            timekeeper.advance(by: .seconds(1))
            for seq in 11...20 as ClosedRange<Int64> {
                let message = try await one.message()
                #expect(try await other.message() == message)
                #expect(message.value(at: "seq") == .integer(seq))
            }
            let state = try await sandbox.state()
            #expect(state.feeds.map(\.latest) == [20])
            #expect(state.sockets.map(\.sent.numbers) == [one.applied, other.applied])
            await one.connection.close()
            await other.connection.close()
        }
    }

    @Test("different dialects have feeds of their own")
    func apart() async throws {
        let timekeeper = VirtualTimekeeper()
        try await withSandbox(timekeeper: timekeeper) { sandbox in
            for (index, name) in ["bitbasel", "voltyks"].enumerated() {
                let dialect = try dialect(name)
                let tokens = try await sandbox.login(dialect)
                let feed = try await sandbox.open(
                    dialect.feedRequest(tokens.access, since: nil),
                    under: "/\(name)"
                )
                _ = try await sandbox.state { $0.feeds.count == index + 1 }
                timekeeper.advance(by: .seconds(1))
                _ = try await feed.message()
                #expect(feed.applied == [1])
                await feed.connection.close()
            }
        }
    }

    @Test("since repeats what a client missed")
    func since() async throws {
        let dialect = try dialect("voltyks")
        let timekeeper = VirtualTimekeeper()
        try await withSandbox(timekeeper: timekeeper) { sandbox in
            let tokens = try await sandbox.login(dialect)
            let first = try await sandbox.open(
                dialect.feedRequest(tokens.access, since: nil),
                under: "/voltyks"
            )
            _ = try await sandbox.state { $0.sockets.count == 1 }
            timekeeper.advance(by: .seconds(1))
            try await first.read(until: 10)
            await first.connection.close()
            timekeeper.advance(by: .seconds(3))
            let second = try await sandbox.open(
                dialect.feedRequest(tokens.access, since: "10"),
                under: "/voltyks"
            )
            try await second.read(until: 30)
            #expect(second.applied == Array(11...40))
            await second.connection.close()
        }
    }

    @Test("what a client applied is what was sent, after it has read to the end")
    func exact() async throws {
        let dialect = try dialect("bitbasel")
        let configuration = SandboxConfiguration(
            feed: FeedSettings(rate: 200, maximumLag: 1_000_000)
        )
        try await withSandbox(configuration) { sandbox in
            let tokens = try await sandbox.login(dialect)
            let feed = try await sandbox.open(
                dialect.feedRequest(tokens.access, since: nil),
                under: "/bitbasel"
            )
            try await feed.read(until: 100)
            let connection = feed.connection
            async let closing = connection.close(code: 1000)
            let report = try await feed.drain()
            _ = await closing
            #expect(report.clean)
            let state = try await sandbox.state { $0.sockets[0].closedAt != nil }
            let socket = state.sockets[0]
            #expect(socket.sent.numbers == feed.applied)
            #expect(socket.sent.count == 1)
            #expect(socket.closedBy == .client)
            #expect(socket.closeCode == 1000)
            #expect(socket.generation == 1)
        }
    }

    @Test("an open socket outlives its token, unless it is set not to")
    func expiry() async throws {
        let dialect = try dialect("bitbasel")
        for expiry in [FeedSettings.Expiry.ignore, .close(code: 4401)] {
            let timekeeper = VirtualTimekeeper()
            let configuration = SandboxConfiguration(
                accessLifetime: 60,
                feed: FeedSettings(rate: 1, expiry: expiry)
            )
            try await withSandbox(configuration, timekeeper: timekeeper) { sandbox in
                let tokens = try await sandbox.login(dialect)
                let feed = try await sandbox.open(
                    dialect.feedRequest(tokens.access, since: nil),
                    under: "/bitbasel"
                )
                await timekeeper.waitForSleepers(3)
                timekeeper.advance(by: .seconds(61))
                switch expiry {
                case .ignore:
                    try await feed.read(until: 61)
                    await feed.connection.close()
                case .close(let code):
                    #expect(try await feed.drain().code == code)
                    let state = try await sandbox.state { $0.sockets[0].closedAt != nil }
                    #expect(state.sockets[0].closedBy == .server)
                    #expect(state.sockets[0].closeCode == code)
                }
            }
        }
    }

    @Test("a logout closes the sockets of that session, and no other")
    func logout() async throws {
        let dialect = try dialect("melchat")
        try await withSandbox(
            SandboxConfiguration(feed: FeedSettings(rate: 100, maximumLag: 1_000_000))
        ) { sandbox in
            let ending = try await sandbox.login(dialect)
            let living = try await sandbox.login(dialect)
            // The server lists a socket after the client has its answer: one at a time keeps the order.
            var feeds: [FeedClient] = []
            for tokens in [ending, living] {
                feeds.append(
                    try await sandbox.open(
                        dialect.feedRequest(tokens.access, since: nil),
                        under: "/melchat"
                    )
                )
                let count = feeds.count
                _ = try await sandbox.state { $0.sockets.count == count }
            }
            let logout = dialect.logoutRequest(.this, refresh: ending.refresh, access: nil)
            _ = try await sandbox.send(try #require(logout), under: "/melchat")
            #expect(try await feeds[0].drain().code == 4401)
            try await feeds[1].read(until: 20)
            let state = try await sandbox.state { $0.sockets[0].closedAt != nil }
            #expect(state.sockets[0].closeCode == 4401)
            #expect(state.sockets[1].closedAt == nil)
            let session = try #require(state.backend.sessions.last?.session)
            #expect(sandbox.server.revoke(session: session))
            #expect(try await feeds[1].drain().code == 4401)
        }
    }

    @Test("a client that does not read is put off")
    func lag() async throws {
        let dialect = try dialect("bitbasel")
        let timekeeper = VirtualTimekeeper()
        let settings = FeedSettings(rate: 10_000, maximumLag: 2000)
        try await withSandbox(
            SandboxConfiguration(feed: settings),
            timekeeper: timekeeper
        ) { sandbox in
            let tokens = try await sandbox.login(dialect)
            let feed = try await sandbox.open(
                dialect.feedRequest(tokens.access, since: nil),
                under: "/bitbasel"
            )
            await timekeeper.waitForSleepers(3)
            let state = try await sandbox.state { state in
                timekeeper.advance(by: .seconds(1))
                return state.sockets[0].closedAt != nil
            }
            #expect(state.sockets[0].closeCode == 1013)
            #expect(state.sockets[0].closedBy == .server)
            feed.connection.drop()
        }
    }

    @Test("a client that reads is not put off although it is behind whenever one looks")
    func stalls() async throws {
        let dialect = try dialect("bitbasel")
        let timekeeper = VirtualTimekeeper()
        let settings = FeedSettings(rate: 1000, maximumLag: 10)
        try await withSandbox(
            SandboxConfiguration(feed: settings),
            timekeeper: timekeeper
        ) { sandbox in
            let tokens = try await sandbox.login(dialect)
            let feed = try await sandbox.open(
                dialect.feedRequest(tokens.access, since: nil),
                under: "/bitbasel"
            )
            for stall in [1, 1, 1, 5, 5, 5] {
                await timekeeper.waitForSleepers(3)
                timekeeper.advance(by: .seconds(stall))
                try await feed.read(until: feed.applied.count + stall * 1000)
            }
            #expect(feed.applied == Array(1...18_000))
            await feed.connection.close()
        }
    }

    @Test("a client that reads is not put off when much becomes due at once")
    func jump() async throws {
        let dialect = try dialect("bitbasel")
        let timekeeper = VirtualTimekeeper()
        let settings = FeedSettings(rate: 10, maximumLag: 10)
        try await withSandbox(
            SandboxConfiguration(feed: settings),
            timekeeper: timekeeper
        ) { sandbox in
            let tokens = try await sandbox.login(dialect)
            let feed = try await sandbox.open(
                dialect.feedRequest(tokens.access, since: nil),
                under: "/bitbasel"
            )
            for _ in 1...3 {
                for seconds in [100, 1] {
                    await timekeeper.waitForSleepers(3)
                    timekeeper.advance(by: .seconds(seconds))
                    try await feed.read(until: feed.applied.count + seconds * 10)
                }
            }
            #expect(feed.applied == Array(1...3030))
            await feed.connection.close()
        }
    }
}
