import Lifecycle
import Testing
import Timekeeping

@Suite("FeedMachine: dialling")
struct FeedDialTests {
    @Test("a token is dialled with at once, and the socket that opens is the feed")
    func dials() {
        let scene = FeedScene()
        #expect(scene.state == .idle)
        scene.token(1)
        #expect(scene.dials.map(\.generation) == [1])
        #expect(scene.state == .dialing(socket: 1, generation: 1))
        scene.send(.opened(socket: 1))
        #expect(scene.state == .open(socket: 1, generation: 1, since: .origin))
    }

    @Test("a token that is over is not dialled with; the next one is")
    func deadToken() {
        let scene = FeedScene()
        scene.token(1, lives: 0)
        #expect(scene.dials.isEmpty)
        scene.token(2, lives: 60)
        #expect(scene.dials.map(\.generation) == [2])
    }

    @Test("a redial that comes when the token is over waits for the next token")
    func deadTokenLater() {
        let scene = FeedScene()
        scene.token(1, lives: 1)
        scene.send(.refused(socket: 1, status: 503, retryAfter: 10))
        scene.advance(60)
        #expect(scene.dials.count == 1)
        scene.token(2, lives: 60)
        #expect(scene.dials.map(\.generation) == [1, 2])
    }

    @Test("the URL is told by its redacted target")
    func target() {
        let scene = FeedScene()
        scene.token(1)
        scene.send(.dialStarted(socket: 1, target: "/ws?token=‹5f3c91ab›"))
        let expected = FeedEvent.dialing(socket: 1, generation: 1, target: "/ws?token=‹5f3c91ab›")
        #expect(scene.events.contains(expected))
    }

    @Test("a newer token that comes during the dial is gone over to as soon as it is open")
    func tokenDuringDial() {
        let scene = FeedScene()
        scene.token(1)
        scene.token(2)
        #expect(scene.dials.count == 1)
        scene.send(.opened(socket: 1))
        #expect(scene.dials.map(\.generation) == [1, 2])
        #expect(scene.state == .rotating(old: 1, new: 2, generation: 2))
    }

    @Test("what is not reached is dialled again after a backoff")
    func failed() {
        let scene = FeedScene()
        scene.token(1)
        scene.send(.failed(socket: 1, words: "refused"))
        guard case .backoff(1, _, "refused") = scene.state else {
            Issue.record("\(scene.state)")
            return
        }
        scene.advance(0.5)
        #expect(scene.dials.count == 2)
    }

    @Test("the backoff is full jitter below 0.5 s · 2^k and 20 s", arguments: 0..<10)
    func backoff(seed: UInt64) {
        let scene = FeedScene(seed: seed)
        scene.token(1)
        var waits: [Double] = []
        for socket in 1...12 {
            scene.send(.failed(socket: socket, words: "refused"))
            waits.append(scene.waitsFor ?? -1)
            scene.advance(20)
        }
        let limits = (0..<12).map { min(0.5 * Double(1 << $0), 20) }
        for (wait, limit) in zip(waits, limits) { #expect((0...limit).contains(wait)) }
        #expect(Set(waits).count == waits.count)
    }

    @Test("the backoff starts over only after 30 s open", arguments: [(29.0, 8.0), (30, 0.5)])
    func stable(open: Double, most: Double) {
        let scene = FeedScene()
        scene.token(1)
        for socket in 1...4 {
            scene.send(.failed(socket: socket, words: "refused"))
            scene.advance(20)
        }
        scene.send(.opened(socket: 5))
        scene.message(1, on: 5)
        scene.advance(open)
        scene.close(5, code: 1006, by: .transport)
        guard case .backoff(let attempt, _, _) = scene.state else {
            Issue.record("\(scene.state)")
            return
        }
        #expect(attempt == (most == 0.5 ? 1 : 5))
        #expect((scene.waitsFor ?? 99) <= most)
    }

    @Test("upgrade 429 and 503: Retry-After, or backoff", arguments: [429, 503])
    func retryAfter(status: Int) {
        let scene = FeedScene()
        scene.token(1)
        scene.send(.refused(socket: 1, status: status, retryAfter: 60))
        #expect(scene.waitsFor == 60)
        #expect(scene.events.contains(.refused(socket: 1, status: status)))
        scene.send(.refused(socket: 1, status: status, retryAfter: nil))
        scene.advance(59)
        #expect(scene.dials.count == 1)
        scene.advance(1)
        #expect(scene.dials.count == 2)
    }

    @Test("a rotation does not cut short what Retry-After asks for")
    func retryAfterAndRotation() {
        let scene = FeedScene()
        scene.token(1)
        scene.send(.refused(socket: 1, status: 503, retryAfter: 60))
        scene.advance(10)
        scene.token(2)
        #expect(scene.dials.count == 1)
        scene.advance(50)
        #expect(scene.dials.map(\.generation) == [1, 2])
    }

    @Test(
        "upgrade 400, 404, 426 and redirects stop the feed",
        arguments: [400, 404, 426, 302, 307]
    )
    func stops(status: Int) {
        let scene = FeedScene()
        scene.token(1)
        scene.send(.refused(socket: 1, status: status, retryAfter: nil))
        #expect(scene.state.name == "stopped")
        scene.token(2)
        scene.advance(3600)
        #expect(scene.dials.count == 1)
        #expect(scene.machine.nextDeadline == nil)
    }

    @Test("a new session dials a feed that was stopped")
    func newSession() {
        let scene = FeedScene()
        scene.token(1)
        scene.send(.refused(socket: 1, status: 404, retryAfter: nil))
        scene.send(.order(.ended))
        #expect(scene.state == .idle)
        scene.token(1)
        #expect(scene.dials.count == 2)
    }

    @Test("an event of an older socket is ignored")
    func olderSocket() {
        let scene = FeedScene()
        scene.token(1)
        scene.send(.failed(socket: 1, words: "refused"))
        scene.advance(1)
        scene.send(.opened(socket: 2))
        let events = scene.events.count
        scene.close(1, code: 1006)
        scene.send(.failed(socket: 1, words: "late"))
        scene.send(.refused(socket: 1, status: 403, retryAfter: nil))
        scene.send(.pong(socket: 1))
        scene.message(9, on: 1)
        #expect(scene.events.count == events)
        #expect(scene.state.name == "open")
        #expect(scene.rejections.isEmpty)
    }

    @Test("a socket that opens although nobody wants it any more is closed")
    func unwanted() {
        let scene = FeedScene()
        scene.token(1)
        scene.send(.order(.ended))
        scene.send(.opened(socket: 1))
        #expect(scene.closes.map(\.socket) == [1, 1])
        #expect(scene.state == .idle)
    }

    @Test("it resumes after the last message where the dialect can", arguments: [true, false])
    func since(asks: Bool) {
        let scene = FeedScene.open(asksSince: asks)
        scene.message(41, on: 1)
        scene.message(42, on: 1)
        scene.close(1, code: 1006, by: .transport)
        scene.advance(1)
        #expect(scene.dials.map(\.since) == [nil, asks ? "42" : nil])
    }
}
