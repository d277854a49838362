import Basics
import Client
import Model
import Profiles
import Testing

@Suite("SessionSource, as a session store is one", .timeLimit(.minutes(20)))
struct SessionSourceTests {
    private static let feed = """
        [feed]
        path = "/ws"
        token_in = "query:token"
        """

    @Test("does what the user requests, and reports the result by events")
    func commands() async throws {
        let fixture = try StoreFixture()
        let source: any SessionSource = fixture.store
        #expect(source.id == SessionID("sketch"))
        try await fixture.run { events in
            _ = try #require(await events.next("tokensIssued"))
            await source.perform(.setPaused(.timer))
            #expect(
                await events.next("paused")?.kind as? RenewalPaused
                    == RenewalPaused(.timer, by: .user)
            )
            await source.perform(.setPaused(nil))
            _ = try #require(await events.next("resumed"))
            await source.perform(.renewNow)
            _ = try #require(await events.next("refreshSucceeded"))
            await source.perform(.send(.request))
            let record = try #require(await events.next("request")?.kind as? Exchange)
            #expect(record.why == .user)
            await source.perform(.logOut(.this))
            #expect(await events.next("signedOut")?.kind as? SignedOut == SignedOut(.user))
            #expect(await source.state == .signedOut(.user))
            await source.perform(.renewNow)
            #expect(
                await events.next("actionRejected")?.kind as? ActionRejected
                    == ActionRejected(.nothingToRenew)
            )
            await source.perform(.logIn)
            _ = try #require(await events.next("tokensIssued"))
            #expect(await source.state == .fresh)
        }
    }

    @Test("closes its feed when it leaves, and goes on with the session")
    func leaving() async throws {
        let fixture = try StoreFixture(feed: Self.feed)
        let source: any SessionSource = fixture.store
        try await fixture.run { events in
            _ = try #require(await events.next("feedOpened"))
            await source.leave()
            let closed = try #require(await events.next("feedClosed")).kind
            let feed = try #require(closed as? FeedClosed)
            #expect(feed.code == 1000 && feed.by == .us)
            #expect(await source.state == .fresh)
        }
    }

    @Test("ends every reader of its events once its run is cancelled")
    func ending() async throws {
        let fixture = try StoreFixture()
        let source: any SessionSource = fixture.store
        let readers = (0..<3).map { _ in source.events.events() }
        let run = Task { await source.run() }
        var iterator = readers[0].makeAsyncIterator()
        while let event = await iterator.next(), event.kind.name != "tokensIssued" {}
        run.cancel()
        await run.value
        for reader in readers { for await _ in reader {} }
        for await _ in source.events.events() { Issue.record("an event after the end") }
    }

    private struct Unexpected: Error {}
}
