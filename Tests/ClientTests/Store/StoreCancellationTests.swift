import Basics
import Client
import Model
import Observer
import Profiles
import Testing

@Suite("SessionStore: who gives up waiting", .timeLimit(.minutes(20)))
struct StoreCancellationTests {
    /// Brings the session to where its access token has ended and the renewal is not answered.
    private static func blocked(_ scene: StoreScene, _ events: EventReader) async throws {
        _ = try #require(await events.next("tokensIssued"))
        scene.gate.close("/refresh")
        let refreshAt = try await scene.deadline { $0 < .origin + .seconds(60) }
        scene.time.advance(to: refreshAt)
        _ = try #require(await events.next("refreshStarted"))
        let usableUntil = try await scene.deadline { $0 > refreshAt }
        scene.time.advance(to: usableUntil)
        while await scene.store.state != .blocked { await Task.yield() }
        _ = scene.log.take()
    }

    @Test("a caller that is cancelled gets no token, and the next one gets the one it waits for")
    func caller() async throws {
        let scene = try StoreScene()
        try await scene.run { events in
            try await Self.blocked(scene, events)
            let now = scene.time.now
            let first = Task { try await scene.store.freshToken(by: now + .seconds(5)) }
            #expect(try await scene.deadline { $0 > now } == now + .seconds(5))
            let second = Task { try await scene.store.freshToken(by: now + .seconds(9)) }
            first.cancel()
            await #expect(throws: WaitFailure.cancelled) { try await first.value }
            // The first one's deadline is nobody's any more.
            #expect(try await scene.deadline { $0 > now + .seconds(5) } == now + .seconds(9))
            scene.gate.open()
            #expect(try await second.value.generation == 2)
        }
    }

    @Test("a login that is given up while it waits for the lock holds up none after it")
    func waitingLogin() async throws {
        let scene = try StoreScene()
        try await scene.run { events in
            _ = try #require(await events.next("tokensIssued"))
            await scene.store.send(.logOut(.this))
            while await scene.store.state != .signedOut(.user) { await Task.yield() }
            await scene.store.flushWrites()
            scene.otherLock.isHeld = true
            _ = scene.log.take()
            await scene.store.send(.logIn)
            // It waits for 25 s.
            _ = try await scene.deadline { $0 == .origin + .seconds(25) }
            await scene.store.send(.logOut(.this))
            while await scene.store.state != .signedOut(.user) { await Task.yield() }
            scene.otherLock.isHeld = false
            await scene.store.send(.logIn)
            _ = try #require(await events.next("tokensIssued"))
            #expect(scene.time.now == .origin)
            #expect(scene.log.take().count { $0 == "lock" } == 2)
        }
    }

    @Test("a request whose caller is cancelled before there is a token is never sent")
    func waitingRequest() async throws {
        let scene = try StoreScene()
        try await scene.run { events in
            try await Self.blocked(scene, events)
            let now = scene.time.now
            let first = Task { await scene.store.sendRequest(why: .person) }
            _ = try await scene.deadline { $0 > now }
            let second = Task { await scene.store.sendRequest(why: .person) }
            first.cancel()
            #expect(await first.value == .noToken(.cancelled))
            scene.gate.open()
            #expect(await second.value == .accepted(status: 200))
            #expect(scene.log.take().count { $0 == "GET /me" } == 1)
        }
    }

    @Test("a request whose caller is cancelled on the way ends for that caller alone")
    func sentRequest() async throws {
        let scene = try StoreScene()
        try await scene.run { events in
            _ = try #require(await events.next("tokensIssued"))
            scene.gate.close("/me")
            let first = Task { await scene.store.sendRequest(why: .person) }
            let second = Task { await scene.store.sendRequest(why: .person) }
            var sent = 0
            while sent < 2 {
                sent += scene.log.take().count { $0 == "GET /me" }
                await Task.yield()
            }
            first.cancel()
            #expect(await first.value == .noToken(.cancelled))
            scene.gate.open()
            #expect(await second.value == .accepted(status: 200))
            // The answer that nobody waits for is in the log as any other.
            for _ in 0..<2 { _ = try #require(await events.next("request")) }
            #expect(await scene.store.state == .fresh)
        }
    }
}
