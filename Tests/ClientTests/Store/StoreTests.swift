import Basics
import Client
import Model
import Observer
import Testing

@Suite("SessionStore", .timeLimit(.minutes(20)))
struct StoreTests {
    private static let feed = """
        [feed]
        path = "/ws"
        token_in = "query:token"
        """

    @Test("the feed waits for a reader that must lose nothing, and brings it everything")
    func backPressure() async throws {
        let scene = try StoreScene(feed: Self.feed)
        let count = 3 * EventHub.capacity
        scene.feed.bring(count)
        var reader = scene.store.events.events(isLossless: true).makeAsyncIterator()
        try await scene.run { _ in
            while !scene.store.events.isFull { await Task.yield() }
            for _ in 0..<1000 { await Task.yield() }
            #expect(scene.feed.read < EventHub.capacity + EventHub.batchLimit)
            var messages = 0
            while messages < count, let event = await reader.next() {
                if case .feed(.message) = event.kind { messages += 1 }
            }
            #expect(messages == count)
        }
    }

    @Test("a renewal's effects are run in the order in which they were decided")
    func order() async throws {
        let scene = try StoreScene()
        try await scene.run { events in
            _ = try #require(await events.next("tokensIssued"))
            await scene.store.flushWrites()
            _ = scene.log.take()
            await scene.store.send(.refreshNow)
            _ = try #require(await events.next("refreshSucceeded"))
            await scene.store.flushWrites()
            // Whoever logs in next must find the lock free.
            var calls = scene.log.take()
            while !calls.contains("unlock") {
                await Task.yield()
                calls += scene.log.take()
            }
            #expect(
                calls == ["lock", "load", "commit journal", "POST /refresh", "commit", "unlock"]
            )
        }
    }

    @Test("the timer sleeps until the machine's deadline, and until another one once that moves")
    func timer() async throws {
        let scene = try StoreScene()
        try await scene.run { events in
            _ = try #require(await events.next("tokensIssued"))
            let refreshAt = try await scene.deadline { $0 < .origin + .seconds(60) }
            scene.time.advance(to: refreshAt)
            _ = try #require(await events.next("refreshSucceeded"))
            let next = try await scene.deadline { $0 > refreshAt }
            #expect(next < refreshAt + .seconds(60))
            await scene.store.send(.setPaused(.timer))
            scene.time.advance(to: next)
            let usableUntil = try await scene.deadline { $0 > next }
            #expect(usableUntil > next)
            #expect(!events.names.contains("refreshFailed"))
        }
    }

    @Test("an open feed is told a new token with its quotes escaped")
    func feedSwitch() async throws {
        let scene = try StoreScene(
            feed: Self.feed + """

                switch = "message"
                switch_message = '{"auth": "{access}"}'
                """
        )
        try await scene.run { events in
            _ = try #require(await events.next("feedOpened"))
            await scene.store.send(.refreshNow)
            let text = try #require(await scene.feed.nextText())
            #expect(text == #"{"auth": "token\"2"}"#)
        }
    }

    @Test("a run that is cancelled ends its events, closes its feed and releases who waits")
    func shutdown() async throws {
        let scene = try StoreScene(feed: Self.feed)
        try await scene.run { events in
            _ = try #require(await events.next("feedOpened"))
        }
        #expect(await scene.store.sendRequest(why: .person) == .noToken(.cancelled))
        await scene.store.flushWrites()
        for await _ in scene.store.events.events() { Issue.record("an event after the end") }
    }
}
