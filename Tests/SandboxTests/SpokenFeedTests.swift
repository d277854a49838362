import Basics
import HTTP
import Testing

@testable import Backend
@testable import Client
@testable import Model
@testable import Profiles
@testable import Sandbox

@Suite("SpokenFeed: the server's side")
struct SpokenFeedTests {
    /// What the client says, and what the server does then; its token is accepted, or refused as
    /// `refusal` says.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let spoken: SpokenProtocol
        var refusal: String?
        let said: [String]
        /// The last action, and whether messages flow then.
        let last: SpokenFeed.Action?
        var isSubscribed = false
    }

    private static let join =
        #"{"topic":"room:1","event":"phx_join","payload":{"access_token":"t"},"ref":"1"}"#

    private static let cases = [
        Case(
            testDescription: "GraphQL: a token",
            spoken: .graphQL,
            said: [#"{"type":"connection_init","payload":{"Authorization":"Bearer t"}}"#],
            last: .send(#"{"type":"connection_ack"}"#)
        ),
        Case(
            testDescription: "GraphQL: a token that is refused",
            spoken: .graphQL,
            refusal: "no",
            said: [#"{"type":"connection_init","payload":{"Authorization":"Bearer t"}}"#],
            last: .close(FeedClose(code: 4403, reason: "Forbidden"))
        ),
        Case(
            testDescription: "GraphQL: a subscription before the token",
            spoken: .graphQL,
            said: [#"{"id":"1","type":"subscribe"}"#],
            last: .close(FeedClose(code: 4401, reason: "Unauthorized"))
        ),
        Case(
            testDescription: "GraphQL: two tokens",
            spoken: .graphQL,
            said: [#"{"type":"connection_init"}"#, #"{"type":"connection_init"}"#],
            last: .close(FeedClose(code: 4429, reason: "Too many initialisation requests"))
        ),
        Case(
            testDescription: "GraphQL: a ping",
            spoken: .graphQL,
            said: [#"{"type":"ping"}"#],
            last: .send(#"{"type":"pong"}"#)
        ),
        Case(
            testDescription: "GraphQL: a subscription",
            spoken: .graphQL,
            said: [#"{"type":"connection_init"}"#, #"{"id":"1","type":"subscribe"}"#],
            last: nil,
            isSubscribed: true
        ),
        Case(
            testDescription: "Home Assistant: a token that is refused",
            spoken: .homeAssistant,
            refusal: "no",
            said: [#"{"type":"auth","access_token":"t"}"#],
            last: .close(FeedClose(code: 1000, reason: ""))
        ),
        Case(
            testDescription: "Home Assistant: a command before the token",
            spoken: .homeAssistant,
            said: [#"{"id":1,"type":"ping"}"#],
            last: .close(FeedClose(code: 1000, reason: ""))
        ),
        Case(
            testDescription: "Home Assistant: a subscription",
            spoken: .homeAssistant,
            said: [#"{"type":"auth","access_token":"t"}"#, #"{"id":1,"type":"subscribe_events"}"#],
            last: .send(#"{"id":1,"result":null,"success":true,"type":"result"}"#),
            isSubscribed: true
        ),
        Case(
            testDescription: "Home Assistant: an id that is used again",
            spoken: .homeAssistant,
            said: [
                #"{"type":"auth","access_token":"t"}"#, #"{"id":2,"type":"ping"}"#,
                #"{"id":2,"type":"ping"}"#,
            ],
            last: .send(
                #"{"error":{"code":"id_reuse"},"id":2,"success":false,"type":"result"}"#
            )
        ),
        Case(
            testDescription: "Phoenix: a token",
            spoken: .phoenix,
            said: [join],
            last: .send(
                #"{"event":"phx_reply","payload":{"response":{},"status":"ok"},"#
                    + #""ref":"1","topic":"room:1"}"#
            ),
            isSubscribed: true
        ),
        Case(
            testDescription: "Phoenix: a token that is refused",
            spoken: .phoenix,
            refusal: "no",
            said: [join],
            last: .send(
                #"{"event":"phx_reply","payload":{"response":{"reason":"no"},"status":"error"},"#
                    + #""ref":"1","topic":"room:1"}"#
            )
        ),
        Case(
            testDescription: "Phoenix: a heartbeat",
            spoken: .phoenix,
            said: [#"{"topic":"phoenix","event":"heartbeat","payload":{},"ref":"7"}"#],
            last: .send(
                #"{"event":"phx_reply","payload":{"response":{},"status":"ok"},"#
                    + #""ref":"7","topic":"phoenix"}"#
            )
        ),
        Case(
            testDescription: "what is no JSON",
            spoken: .phoenix,
            said: ["hello"],
            last: .close(FeedClose(code: 4400, reason: "Invalid message"))
        ),
    ]

    @Test("answers what the client says", arguments: cases)
    func answers(to example: Case) {
        var feed = SpokenFeed(example.spoken)
        var last: SpokenFeed.Action?
        for text in example.said {
            last = nil
            for action in feed.heard(text) {
                if case .judge = action {
                    last = feed.judged(example.refusal).last
                } else {
                    last = action
                }
            }
        }
        #expect(last == example.last)
        #expect(feed.isSubscribed == example.isSubscribed)
    }

    @Test("takes the token of a renewal, and ends the channel if it is refused")
    func renewal() {
        var feed = SpokenFeed(.phoenix)
        _ = feed.heard(Self.join)
        _ = feed.judged(nil)
        let told = #"{"topic":"room:1","event":"access_token","payload":{"access_token":"u"}}"#
        #expect(feed.heard(told) == [.judge(AccessToken(Secret("u")))])
        #expect(feed.judged(nil).isEmpty)
        #expect(feed.isSubscribed)
        _ = feed.heard(told)
        #expect(feed.judged("Token has expired").count == 2)
        #expect(!feed.isSubscribed)
    }
}

/// A watched feed of each protocol that the sandbox speaks, over real sockets.
@Suite("A watched feed that talks", .timeLimit(.minutes(20)))
struct TalkingFeedTests {
    private static let feeds: [SpokenProtocol: String] = [
        .graphQL: """
        kind = "graphql-transport-ws"
        path = "/graphql"
        seq = "payload.data.seq"
        [[feed.say]]
        after = "acknowledged"
        text = '{"id":"1","type":"subscribe","payload":{"query":"{ all }"}}'
        """,
        .homeAssistant: """
        kind = "home-assistant"
        seq = "event.data.seq"
        """,
        .phoenix: """
        kind = "phoenix"
        values.topic = "room:lobby"
        seq = "payload.seq"
        """,
    ]

    @Test(
        "moves to each new token, and loses no message",
        arguments: [(.graphQL, 4), (.homeAssistant, 4), (.phoenix, 21)] as [(SpokenProtocol, Int)]
    )
    func rotations(of spoken: SpokenProtocol, to last: Int) async throws {
        try await watching(spoken) { sandbox, store in
            let events = store.events.events()
            for generation in 2...last {
                await store.perform(.renewNow)
                try await Self.first(in: events) { event in
                    guard case .open(_, generation, _)? = (event as? FeedStateChanged)?.state
                    else { return false }
                    return true
                }
            }
            let state = try await sandbox.state { state in
                state.sockets.contains { $0.generation == last && $0.closedAt == nil }
            }
            if spoken == .phoenix { #expect(state.sockets.count == 1) }
            #expect(state.backend.counters["voltyks"]?.logins == 1)
        }
    }

    @Test(
        "is renewed for once if its token is refused on the socket",
        arguments: SpokenProtocol.allCases
    )
    func refused(of spoken: SpokenProtocol) async throws {
        try await watching(spoken) { sandbox, store in
            let events = store.events.events()
            for fault in ["feed-refuse", "feed-close:code=1006"] {
                #expect(try await sandbox.order(#"{"once": "\#(fault)"}"#).status == 200)
            }
            try await Self.first(in: events) { ($0 as? FeedOpened)?.generation == 2 }
            let counters = try await sandbox.state().backend.counters["voltyks"]
            #expect(counters?.refreshes == 1)
            #expect(counters?.logins == 1)
        }
    }

    @Test("is dialed again if a heartbeat is not answered, and says so")
    func silent() async throws {
        let lines = """
            kind = "phoenix"
            values.topic = "room:lobby"
            [[feed.say]]
            every = "1s"
            text = '{"topic":"phoenix","event":"heartbeat","payload":{},"ref":"{n}"}'
            answer = "heartbeat"
            within = "2s"
            """
        try await watching(.phoenix, lines: lines) { sandbox, store in
            let events = store.events.events()
            #expect(try await sandbox.order(#"{"once": "feed-silent"}"#).status == 200)
            try await Self.first(in: events) { event in
                (event as? FeedFailed)?.why == .unanswered(expectation: "heartbeat", seconds: 2)
            }
            try await Self.first(in: events) { $0 is FeedOpened }
            #expect(try await sandbox.state().backend.counters["voltyks"]?.refreshes == 0)
        }
    }

    @Test("shows no token that is sent in a message")
    func secrets() async throws {
        try await watching(.homeAssistant) { sandbox, store in
            let events = store.events.events()
            await store.perform(.renewNow)
            var shown = ""
            try await Self.first(in: events) { event in
                shown += String(describing: event)
                return (event as? FeedOpened)?.generation == 2
            }
            let held = try await store.freshToken(by: LiveTimekeeper().now + .seconds(60))
            #expect(!shown.contains(held.token.secret.reveal()))
        }
    }

    // MARK: - Watching

    private func watching(
        _ spoken: SpokenProtocol,
        lines: String? = nil,
        _ body: @escaping @Sendable (RunningSandbox, SessionStore) async throws -> Void
    ) async throws {
        let feed = try #require(lines ?? Self.feeds[spoken])
        let source = ProfileSource(
            name: "talking",
            text: "extends = \"voltyks\"\n[feed]\n\(feed)",
            file: "talking.toml"
        )
        let dialect = try Profile(source, known: ["voltyks"]) { ProfileSource.builtIn($0) }.dialect
        let configuration = SandboxConfiguration(
            accessLifetime: 600,
            refreshLifetime: 6000,
            feed: FeedSettings(rate: 20, maximumLag: 1_000_000)
        )
        try await withSandbox(configuration) { sandbox in
            try await withStore(dialect, on: sandbox) { store, _ in
                _ = try await sandbox.state { state in
                    state.sockets.contains { ($0.sent.last?.last ?? 0) > 2 }
                }
                try await body(sandbox, store)
            }
        }
    }

    private static func first(
        in events: EventStream,
        where matches: (any FeedEvent) -> Bool
    ) async throws {
        for await event in events {
            guard let feed = event.kind as? any FeedEvent else { continue }
            if let missing = feed as? FeedMessagesMissing {
                Issue.record("messages are missing: \(missing)")
            }
            if let switched = feed as? FeedSwitched { #expect(switched.gap == 0) }
            if matches(feed) { return }
        }
        throw Unexpected("the run has ended")
    }
}
