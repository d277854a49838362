import Basics
import Client
import FeedTestSupport
import Profiles
import Sandbox
import Testing

@testable import HTTP
@testable import Model

/// The client's reaction to a server that treats its sockets in a way of its own.
@Suite("A watched feed: servers", .timeLimit(.minutes(20)))
struct FeedServerTests {
    @Test("a server that is gone, while its transport lives, is left, and another socket opened")
    func halfOpen() async throws {
        let first = Once()
        try await watching { connection in
            if await first.take() { connection.freeze() }
            _ = await connection.end()
        } _: { store in
            let opened = try await store.feedEvent { $0.isOpened(socket: 1) }
            let closed = try await store.feedEvent { event in
                (event as? FeedClosed).map { $0.socket == 1 && $0.by == .us } ?? false
            }
            // Twice what it takes, with the time that the server has to answer the close.
            #expect(closed.seconds(since: opened) < 64)
            try await store.feedEvent { $0.isOpened(socket: 2) }
        }
    }

    @Test("a server that says nothing, but answers pings, is not left")
    func quiet() async throws {
        try await watching { connection in
            for await _ in connection.events {}
        } _: { store in
            // At 1, 20 and 40 s, beyond the 30 s after which one that is gone is left.
            for _ in 1...3 {
                try await store.feedEvent { event in
                    if event is FeedClosed { Issue.record("it was left") }
                    return if case 1? = (event as? FeedPinged)?.socket { true } else { false }
                }
            }
        }
    }

    @Test(
        "a server that allows one socket, and closes one of two with 4409, gets one at a time",
        arguments: OneSocketServer.Choice.allCases
    )
    func oneSocket(closes: OneSocketServer.Choice) async throws {
        let server = OneSocketServer(closes: closes)
        try await watching { connection in
            await server.serve(connection)
        } _: { store in
            try await store.feedEvent { $0.isOpen(generation: 1) }
            for generation in 2...4 {
                await store.session.perform(.renewNow)
                try await store.feedEvent { $0.isOpen(generation: generation) }
            }
            #expect(await server.closed == 1)
        }
    }

    @Test("a server that goes on sending after the logout raises an alarm, once")
    func aliveAfterLogout() async throws {
        try await watching { connection in
            await connection.sendForever()
        } _: { store in
            try await store.feedEvent { $0 is FeedMessageReceived }
            await store.session.perform(.logOut(.this))
            try await store.feedEvent {
                $0 as? FeedAliveAfterLogout == FeedAliveAfterLogout(socket: 1)
            }
            await store.session.perform(.logIn)
            try await store.feedEvent { event in
                if event is FeedAliveAfterLogout { Issue.record("another alarm") }
                return event.isOpened(socket: 2)
            }
        }
    }

    /// Runs a session whose feed is another server than the sandbox.
    private func watching(
        serve: @escaping @Sendable (WebSocketConnection) async -> Void,
        _ body: @escaping @Sendable (WatchedStore) async throws -> Void
    ) async throws {
        let dialect = try #require(Dialect.builtIn(named: "bitbasel"))
        let configuration = SandboxConfiguration(accessLifetime: 600, refreshLifetime: 6000)
        try await withSandbox(configuration) { sandbox in
            try await FeedServer.run(serve: serve) { server in
                try await withStore(dialect, on: sandbox, feedPort: server.port) {
                    store,
                    events in
                    try await body(WatchedStore(store, events))
                }
            }
        }
    }
}

/// A session, with the events of its feed.
private final class WatchedStore {
    let session: SessionStore
    private var events: EventStream.Iterator

    init(_ session: SessionStore, _ events: EventStream) {
        self.session = session
        self.events = events.makeAsyncIterator()
    }

    /// Reads on to the first event that matches, and returns its time.
    @discardableResult
    func feedEvent(where matches: (any FeedEvent) -> Bool) async throws -> Instant {
        while let event = await events.next() {
            if let feed = event.kind as? any FeedEvent, matches(feed) { return event.moment.now }
        }
        throw Unexpected("the run has ended")
    }
}

extension FeedEvent {
    fileprivate func isOpened(socket: Int) -> Bool {
        (self as? FeedOpened)?.socket == socket
    }

    fileprivate func isOpen(generation: Int) -> Bool {
        guard case .open(_, generation, _)? = (self as? FeedStateChanged)?.state else {
            return false
        }
        return true
    }
}

/// Something that happens to one of many only.
private actor Once {
    private var isTaken = false

    func take() -> Bool {
        defer { isTaken = true }
        return !isTaken
    }
}

/// A server that closes one of two sockets that are open at the same time.
actor OneSocketServer {
    enum Choice: Sendable, CaseIterable {
        case newer
        case older
    }

    private let closes: Choice
    private var open: (number: Int, connection: WebSocketConnection)?
    private var lastNumber = 0
    /// The number of sockets that it has closed.
    private(set) var closed = 0

    init(closes: Choice) {
        self.closes = closes
    }

    func serve(_ connection: WebSocketConnection) async {
        lastNumber += 1
        let number = lastNumber
        if let other = open {
            closed += 1
            let extra = closes == .newer ? connection : other.connection
            if closes == .older { open = (number, connection) }
            await extra.close(code: 4409, reason: "one socket only")
            if closes == .newer { return }
        } else {
            open = (number, connection)
        }
        for await _ in connection.events {}
        if open?.number == number { open = nil }
    }
}
