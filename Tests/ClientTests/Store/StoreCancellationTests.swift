import Model
import Observer
import Profiles
import Testing

@testable import Basics
@testable import Client

@Suite("SessionStore: who gives up waiting", .timeLimit(.minutes(20)))
struct StoreCancellationTests {
    /// Brings the session to where its access token has ended and the renewal is not answered.
    private static func blocked(_ viewModel: StoreScene, _ events: EventReader) async throws {
        _ = try #require(await events.next("tokensIssued"))
        viewModel.gate.close("/refresh")
        let refreshAt = try await viewModel.deadline { $0 < .origin + .seconds(60) }
        viewModel.time.advance(to: refreshAt)
        _ = try #require(await events.next("refreshStarted"))
        let usableUntil = try await viewModel.deadline { $0 > refreshAt }
        viewModel.time.advance(to: usableUntil)
        while await viewModel.store.state != .blocked { await Task.yield() }
        _ = viewModel.log.take()
    }

    @Test("a caller that is cancelled gets no token, and the next one gets the one it waits for")
    func caller() async throws {
        let viewModel = try StoreScene()
        try await viewModel.run { events in
            try await Self.blocked(viewModel, events)
            let now = viewModel.time.now
            let first = Task { try await viewModel.store.freshToken(by: now + .seconds(5)) }
            #expect(try await viewModel.deadline { $0 > now } == now + .seconds(5))
            let second = Task { try await viewModel.store.freshToken(by: now + .seconds(9)) }
            first.cancel()
            await #expect(throws: WaitFailure.cancelled) { try await first.value }
            // The first one's deadline is nobody's any more.
            #expect(try await viewModel.deadline { $0 > now + .seconds(5) } == now + .seconds(9))
            viewModel.gate.open()
            #expect(try await second.value.generation == 2)
        }
    }

    @Test("a login that is given up while it waits for the lock holds up none after it")
    func waitingLogin() async throws {
        let viewModel = try StoreScene()
        try await viewModel.run { events in
            _ = try #require(await events.next("tokensIssued"))
            await viewModel.store.send(.logOut(.this))
            while await viewModel.store.state != .signedOut(.user) { await Task.yield() }
            await viewModel.store.flushWrites()
            viewModel.otherLock.isHeld = true
            _ = viewModel.log.take()
            await viewModel.store.send(.logIn)
            // It waits for 25 s.
            _ = try await viewModel.deadline { $0 == .origin + .seconds(25) }
            await viewModel.store.send(.logOut(.this))
            while await viewModel.store.state != .signedOut(.user) { await Task.yield() }
            viewModel.otherLock.isHeld = false
            await viewModel.store.send(.logIn)
            _ = try #require(await events.next("tokensIssued"))
            #expect(viewModel.time.now == .origin)
            #expect(viewModel.log.take().count { $0 == "lock" } == 2)
        }
    }

    @Test("a request whose caller is cancelled before there is a token is never sent")
    func waitingRequest() async throws {
        let viewModel = try StoreScene()
        try await viewModel.run { events in
            try await Self.blocked(viewModel, events)
            let now = viewModel.time.now
            let first = Task { await viewModel.store.sendRequest(why: .user) }
            _ = try await viewModel.deadline { $0 > now }
            let second = Task { await viewModel.store.sendRequest(why: .user) }
            first.cancel()
            #expect(await first.value == .noToken(.cancelled))
            viewModel.gate.open()
            #expect(await second.value == .accepted(status: 200))
            #expect(viewModel.log.take().count { $0 == "GET /me" } == 1)
        }
    }

    @Test("a request whose caller is cancelled on the way ends for that caller alone")
    func sentRequest() async throws {
        let viewModel = try StoreScene()
        try await viewModel.run { events in
            _ = try #require(await events.next("tokensIssued"))
            viewModel.gate.close("/me")
            let first = Task { await viewModel.store.sendRequest(why: .user) }
            let second = Task { await viewModel.store.sendRequest(why: .user) }
            var sent = 0
            while sent < 2 {
                sent += viewModel.log.take().count { $0 == "GET /me" }
                await Task.yield()
            }
            first.cancel()
            #expect(await first.value == .noToken(.cancelled))
            viewModel.gate.open()
            #expect(await second.value == .accepted(status: 200))
            // The answer that nobody waits for is in the log as any other.
            for _ in 0..<2 { _ = try #require(await events.next("request")) }
            #expect(await viewModel.store.state == .fresh)
        }
    }
}
