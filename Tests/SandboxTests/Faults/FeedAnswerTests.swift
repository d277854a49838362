import Basics
import Profiles
import Testing

@testable import Backend
@testable import Client
@testable import Model
@testable import Sandbox

/// The client's reaction to each way in which a server ends or refuses a feed, over real sockets.
@Suite("A watched feed: closes and refusals", .timeLimit(.minutes(20)))
struct FeedAnswerTests {
    /// The consequence, while the session lives on.
    enum Outcome: Sendable {
        /// Another socket with the same token.
        case reopens
        /// A wait of this many seconds or more.
        case waits(atLeast: Double)
        /// A renewal, and a socket with the new token.
        case renews
        case stops
    }

    private static let closes: [(codes: [Int], outcome: Outcome)] = [
        ([1000, 1001, 1006, 1011, 1012, 1014, 4000, 4999], .reopens),
        ([1013, 4429], .waits(atLeast: 5)),
        ([1008, 3000, 3003, 4001, 4003, 4401, 4403], .renews),
        ([1002, 1003, 1007, 1009, 1010, 4400, 4406], .stops),
    ]

    @Test(
        "a close is followed by what its code means",
        arguments: closes.flatMap { row in row.codes.map { ($0, row.outcome) } }
    )
    func closed(code: Int, outcome: Outcome) async throws {
        try await expect(outcome, after: ["feed-close:code=\(code)"])
    }

    @Test(
        "a refused upgrade is followed by what its status means",
        arguments: [
            ("feed-refuse:status=401", .renews), ("feed-refuse:status=403", .renews),
            ("feed-close-on-open:code=1008", .renews), ("unauthorized:feed", .renews),
            ("feed-refuse:status=400", .stops), ("not-found:feed", .stops),
            ("feed-refuse:status=405", .stops), ("feed-refuse:status=426", .stops),
            ("feed-refuse:status=301", .stops), ("feed-refuse:status=302", .stops),
            ("feed-refuse:status=303", .stops), ("feed-refuse:status=307", .stops),
            ("feed-refuse:status=308", .stops),
            ("feed-refuse:status=503", .reopens), ("feed-refuse:status=500", .reopens),
            ("drop-request:feed", .reopens), ("rate-limit:feed:seconds=7", .waits(atLeast: 7)),
        ] as [(String, Outcome)]
    )
    func refused(fault: String, outcome: Outcome) async throws {
        try await expect(outcome, after: [fault, "feed-close"])
    }

    @Test("a server that allows one socket gets one at a time from then on")
    func oneSocket() async throws {
        try await watching(rate: 0) { sandbox, store in
            let events = store.events.events()
            var most = 0
            // The client knows such a server by a close that comes soon after a rotation, which a busy
            // machine may delay.
            for rotation in 0..<10 where most != 1 {
                let order = #"{"once": "feed-close:code=4409"}"#
                #expect(try await sandbox.order(order).status == 200)
                await store.perform(.renewNow)
                try await Self.first(in: events) { event in
                    (event as? FeedClosed).map { $0.code == 4409 && $0.by == .peer } ?? false
                }
                var open = 1
                most = 1
                func record(_ event: any FeedEvent) {
                    if event is FeedOpened { open += 1 }
                    if event is FeedClosed { open -= 1 }
                    most = max(most, open)
                }
                try await Self.first(in: events) { event in
                    record(event)
                    return event.isOpened(generation: 2 * rotation + 2)
                }
                await store.perform(.renewNow)
                try await Self.first(in: events) { event in
                    record(event)
                    return event.isOpened(generation: 2 * rotation + 3)
                }
            }
            #expect(most == 1)
        }
    }

    @Test("a refusal that ends the dialing is shown with its status", arguments: [302, 404, 426])
    func shownStatus(status: Int) async throws {
        try await watching { sandbox, store in
            let events = store.events.events()
            for fault in ["feed-refuse:status=\(status)", "feed-close"] {
                #expect(try await sandbox.order(#"{"once": "\#(fault)"}"#).status == 200)
            }
            try await Self.first(in: events) { event in
                if case status? = (event as? FeedRefused)?.status { true } else { false }
            }
            try await Self.first(in: events) { event in
                (event as? FeedStateChanged)?.state
                    == .stopped(why: .upgradeRefused(status: status))
            }
        }
    }

    // MARK: - Watching

    private func expect(_ outcome: Outcome, after faults: [String]) async throws {
        try await watching { sandbox, store in
            let events = store.events.events()
            for fault in faults {
                #expect(try await sandbox.order(#"{"once": "\#(fault)"}"#).status == 200)
            }
            switch outcome {
            case .reopens:
                try await Self.first(in: events) { $0.isOpened(generation: 1) }
            case .renews:
                try await Self.first(in: events) { $0.isOpened(generation: 2) }
            case .stops:
                try await Self.first(in: events) { event in
                    if case .stopped? = (event as? FeedStateChanged)?.state { true } else { false }
                }
            case .waits(let seconds):
                try await Self.first(in: events) { event, now in
                    guard case .backoff(_, let nextAt, _)? = (event as? FeedStateChanged)?.state
                    else {
                        return false
                    }
                    return nextAt.seconds(since: now) >= seconds
                }
            }
            let counters = try await sandbox.state().backend.counters["bitbasel"]
            let isRenewed = if case .renews = outcome { true } else { false }
            #expect(counters?.refreshes == (isRenewed ? 1 : 0))
            #expect(counters?.logins == 1)
            #expect(await store.sendRequest(why: .user) == .accepted(status: 200))
        }
    }

    /// Runs a session whose feed is open.
    private func watching(
        rate: Double = 50,
        _ body: @escaping @Sendable (RunningSandbox, SessionStore) async throws -> Void
    ) async throws {
        let dialect = try #require(Dialect.builtIn(named: "bitbasel"))
        let configuration = SandboxConfiguration(
            accessLifetime: 600,
            refreshLifetime: 6000,
            feed: FeedSettings(rate: rate, maximumLag: 1_000_000)
        )
        try await withSandbox(configuration) { sandbox in
            try await withStore(dialect, on: sandbox) {
                store,
                _ in
                _ = try await sandbox.state { state in
                    state.sockets.contains { rate == 0 || ($0.sent.last?.last ?? 0) > 2 }
                }
                try await body(sandbox, store)
            }
        }
    }

    /// Reads the events of the feed up to the first that matches.
    private static func first(
        in events: EventStream,
        where matches: (any FeedEvent, Instant) -> Bool
    ) async throws {
        for await event in events {
            guard let feed = event.kind as? any FeedEvent else { continue }
            if matches(feed, event.moment.now) { return }
        }
        throw Unexpected("the run has ended")
    }

    private static func first(
        in events: EventStream,
        where matches: (any FeedEvent) -> Bool
    ) async throws {
        try await first(in: events) { event, _ in matches(event) }
    }
}

extension FeedEvent {
    fileprivate func isOpened(generation: Int) -> Bool {
        (self as? FeedOpened)?.generation == generation
    }
}
