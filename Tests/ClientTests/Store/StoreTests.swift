import Observer
import Profiles
import Testing

@testable import Basics
@testable import Client
@testable import Model

@Suite("SessionStore", .timeLimit(.minutes(20)))
struct StoreTests {
    private static let feed = """
        [feed]
        path = "/ws"
        token_in = "query:token"
        """

    @Test("the feed waits for a reader that must lose nothing, and brings it everything")
    func backPressure() async throws {
        let fixture = try StoreFixture(feed: Self.feed)
        let count = 3 * EventHub.capacity
        fixture.feed.bring(count)
        var reader = fixture.store.events.events(isLossless: true).makeAsyncIterator()
        try await fixture.run { _ in
            while !fixture.store.events.isFull { await Task.yield() }
            for _ in 0..<1000 { await Task.yield() }
            #expect(fixture.feed.read < EventHub.capacity + EventHub.batchLimit)
            var messages = 0
            while messages < count, let event = await reader.next() {
                if event.kind is FeedMessageReceived { messages += 1 }
            }
            #expect(messages == count)
        }
    }

    @Test("a renewal's effects are run in the order in which they were decided")
    func order() async throws {
        let fixture = try StoreFixture()
        try await fixture.run { events in
            _ = try #require(await events.next("tokensIssued"))
            await fixture.store.flushWrites()
            _ = fixture.log.take()
            await fixture.store.send(.refreshNow)
            _ = try #require(await events.next("refreshSucceeded"))
            await fixture.store.flushWrites()
            // The next login must find the lock free.
            var calls = fixture.log.take()
            while !calls.contains("unlock") {
                await Task.yield()
                calls += fixture.log.take()
            }
            #expect(
                calls == ["lock", "load", "commit journal", "POST /refresh", "commit", "unlock"]
            )
        }
    }

    @Test("an exchange's event has what its answer shows, and what only its session knows")
    func exchanges() async throws {
        let fixture = try StoreFixture()
        try await fixture.run { events in
            func next() async throws -> Exchange {
                let event = try #require(await events.next("request"))
                return try #require(event.kind as? Exchange)
            }
            let login = try await next()
            #expect(login.evidence?.rule == .success)
            var expected = Exchange(
                id: 1,
                purpose: .login,
                method: "POST",
                target: "/login",
                result: .answered(status: 200),
                seconds: 0,
                generation: 0,
                why: .login
            )
            expected.timing = RequestTiming()
            expected.evidence = login.evidence
            #expect(login == expected)
            _ = try #require(await events.next("tokensIssued"))
            await fixture.store.send(.refreshNow)
            let refresh = try await next()
            expected.id = 2
            expected.purpose = .refresh
            expected.target = "/refresh"
            expected.generation = 1
            expected.fingerprint = refresh.fingerprint
            expected.tokenAge = 0
            expected.why = .refresh(.user)
            expected.flight = 1
            expected.evidence = refresh.evidence
            #expect(refresh == expected && refresh.fingerprint != nil)
        }
    }

    @Test("the timer sleeps until the machine's deadline, and until another one once that moves")
    func timer() async throws {
        let fixture = try StoreFixture()
        try await fixture.run { events in
            _ = try #require(await events.next("tokensIssued"))
            let refreshAt = try await fixture.deadline { $0 < .origin + .seconds(60) }
            fixture.time.advance(to: refreshAt)
            _ = try #require(await events.next("refreshSucceeded"))
            let next = try await fixture.deadline { $0 > refreshAt }
            #expect(next < refreshAt + .seconds(60))
            await fixture.store.send(.setPaused(.timer))
            fixture.time.advance(to: next)
            let usableUntil = try await fixture.deadline { $0 > next }
            #expect(usableUntil > next)
            #expect(!events.names.contains("refreshFailed"))
        }
    }

    @Test("an open feed is told a new token with its quotes escaped")
    func feedSwitch() async throws {
        let fixture = try StoreFixture(
            feed: Self.feed + """

                switch = "message"
                switch_message = '{"auth": "{access}"}'
                """
        )
        try await fixture.run { events in
            _ = try #require(await events.next("feedOpened"))
            await fixture.store.send(.refreshNow)
            let text = try #require(await fixture.feed.nextText())
            #expect(text == #"{"auth": "token\"2"}"#)
        }
    }

    @Test("a run that is cancelled ends its events, closes its feed and releases who waits")
    func shutdown() async throws {
        let fixture = try StoreFixture(feed: Self.feed)
        try await fixture.run { events in
            _ = try #require(await events.next("feedOpened"))
        }
        #expect(await fixture.store.sendRequest(why: .user) == .noToken(.cancelled))
        await fixture.store.flushWrites()
        for await _ in fixture.store.events.events() { Issue.record("an event after the end") }
    }
}
