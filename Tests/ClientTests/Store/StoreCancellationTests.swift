import Model
import Observer
import Profiles
import Testing

@testable import Basics
@testable import Client

@Suite("SessionStore: who gives up waiting", .timeLimit(.minutes(20)))
struct StoreCancellationTests {
    /// Brings the session to where its access token has ended and the renewal is not answered.
    private static func blocked(_ fixture: StoreFixture, _ events: EventReader) async throws {
        _ = try #require(await events.next("tokensIssued"))
        fixture.gate.close("/refresh")
        let refreshAt = try await fixture.deadline { $0 < .origin + .seconds(60) }
        fixture.time.advance(to: refreshAt)
        _ = try #require(await events.next("refreshStarted"))
        let usableUntil = try await fixture.deadline { $0 > refreshAt }
        fixture.time.advance(to: usableUntil)
        while await fixture.store.state != .blocked { await Task.yield() }
        _ = fixture.log.take()
    }

    @Test("a caller that is cancelled gets no token, and the next one gets the one it waits for")
    func caller() async throws {
        let fixture = try StoreFixture()
        try await fixture.run { events in
            try await Self.blocked(fixture, events)
            let now = fixture.time.now
            let first = Task { try await fixture.store.freshToken(by: now + .seconds(5)) }
            _ = try await fixture.deadline { $0 == now + .seconds(5) }
            let second = Task { try await fixture.store.freshToken(by: now + .seconds(9)) }
            first.cancel()
            await #expect(throws: WaitFailure.cancelled) { try await first.value }
            // The first one's deadline does not count any more.
            _ = try await fixture.deadline { $0 == now + .seconds(9) }
            fixture.gate.open()
            #expect(try await second.value.generation == 2)
        }
    }

    @Test("a login that is given up while it waits for the lock holds up none after it")
    func waitingLogin() async throws {
        let fixture = try StoreFixture()
        try await fixture.run { events in
            _ = try #require(await events.next("tokensIssued"))
            await fixture.store.send(.logOut(.this))
            while await fixture.store.state != .signedOut(.user) { await Task.yield() }
            await fixture.store.flushWrites()
            fixture.otherLock.isHeld = true
            _ = fixture.log.take()
            await fixture.store.send(.logIn)
            // It waits for 25 s.
            _ = try await fixture.deadline { $0 == .origin + .seconds(25) }
            await fixture.store.send(.logOut(.this))
            while await fixture.store.state != .signedOut(.user) { await Task.yield() }
            fixture.otherLock.isHeld = false
            await fixture.store.send(.logIn)
            _ = try #require(await events.next("tokensIssued"))
            #expect(fixture.time.now == .origin)
            #expect(fixture.log.take().count { $0 == "lock" } == 2)
        }
    }

    @Test("a request whose caller is cancelled before there is a token is never sent")
    func waitingRequest() async throws {
        let fixture = try StoreFixture()
        try await fixture.run { events in
            try await Self.blocked(fixture, events)
            let now = fixture.time.now
            let first = Task { await fixture.store.sendRequest(why: .user) }
            _ = try await fixture.deadline { $0 > now }
            let second = Task { await fixture.store.sendRequest(why: .user) }
            first.cancel()
            #expect(await first.value == .noToken(.cancelled))
            fixture.gate.open()
            #expect(await second.value == .accepted(status: 200))
            #expect(fixture.log.take().count { $0 == "GET /me" } == 1)
        }
    }

    @Test("a request whose caller is cancelled on the way ends for that caller alone")
    func sentRequest() async throws {
        let fixture = try StoreFixture()
        try await fixture.run { events in
            _ = try #require(await events.next("tokensIssued"))
            fixture.gate.close("/me")
            let first = Task { await fixture.store.sendRequest(why: .user) }
            let second = Task { await fixture.store.sendRequest(why: .user) }
            var sent = 0
            while sent < 2 {
                sent += fixture.log.take().count { $0 == "GET /me" }
                await Task.yield()
            }
            first.cancel()
            #expect(await first.value == .noToken(.cancelled))
            fixture.gate.open()
            #expect(await second.value == .accepted(status: 200))
            // The answer that no caller waits for is in the log as any other.
            for _ in 0..<2 { _ = try #require(await events.next("request")) }
            #expect(await fixture.store.state == .fresh)
        }
    }
}
