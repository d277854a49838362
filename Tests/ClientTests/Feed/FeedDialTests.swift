import Basics
import Testing

@testable import Client
@testable import Model
@testable import Profiles

@Suite("FeedMachine: dialing")
struct FeedDialTests {
    @Test(
        "a dial that lacks a value waits for it, and not for a time",
        arguments: [FeedOrder.valuesChanged, .token(generation: 2, usableUntil: nil)]
    )
    func missingValue(order: FeedOrder) {
        let capture = CaptureReference(name: "csrf", source: "cookie:csrf")
        let harness = FeedHarness()
        harness.token(1)
        harness.send(.failed(socket: 1, why: .missingCapture(capture)))
        #expect(harness.state == .stopped(why: .missingCapture(capture)))
        harness.advance(3600)
        #expect(harness.dials.count == 1)
        harness.send(.order(order))
        #expect(harness.dials.count == 2)
    }

    @Test("another value ends no other stop, and shortens no wait")
    func otherStop() {
        let harness = FeedHarness()
        harness.token(1)
        harness.send(.refused(socket: 1, status: 503, retryAfter: 60))
        harness.send(.order(.valuesChanged))
        #expect(harness.dials.count == 1)
        harness.advance(60)
        harness.send(.refused(socket: 2, status: 404, retryAfter: nil))
        harness.send(.order(.valuesChanged))
        #expect(harness.dials.count == 2)
    }

    @Test("a token is dialed with at once, and the socket that opens is the feed")
    func dials() {
        let harness = FeedHarness()
        #expect(harness.state == .idle)
        harness.token(1)
        #expect(harness.dials.map(\.generation) == [1])
        #expect(harness.state == .dialing(socket: 1, generation: 1))
        harness.send(.opened(socket: 1))
        #expect(harness.state == .open(socket: 1, generation: 1, since: .origin))
    }

    @Test("a token that is over is not dialed with; the next one is")
    func deadToken() {
        let harness = FeedHarness()
        harness.token(1, lives: 0)
        #expect(harness.dials.isEmpty)
        harness.token(2, lives: 60)
        #expect(harness.dials.map(\.generation) == [2])
    }

    @Test("a redial that comes when the token is over waits for the next token")
    func deadTokenLater() {
        let harness = FeedHarness()
        harness.token(1, lives: 1)
        harness.send(.refused(socket: 1, status: 503, retryAfter: 10))
        harness.advance(60)
        #expect(harness.dials.count == 1)
        harness.token(2, lives: 60)
        #expect(harness.dials.map(\.generation) == [1, 2])
    }

    @Test("the URL is reported by its redacted target")
    func target() {
        let harness = FeedHarness()
        harness.token(1)
        harness.send(.dialStarted(socket: 1, target: "/ws?token=‹5f3c91ab›"))
        let expected = FeedDialing(socket: 1, generation: 1, target: "/ws?token=‹5f3c91ab›")
        #expect(harness.events.contains { $0 as? FeedDialing == expected })
    }

    @Test("the feed switches to a token that arrives during the dial as soon as the socket is open")
    func tokenDuringDial() {
        let harness = FeedHarness()
        harness.token(1)
        harness.token(2)
        #expect(harness.dials.count == 1)
        harness.send(.opened(socket: 1))
        #expect(harness.dials.map(\.generation) == [1, 2])
        #expect(harness.state == .rotating(old: 1, new: 2, generation: 2))
    }

    @Test("what is not reached is dialed again after a backoff")
    func failed() {
        let harness = FeedHarness()
        harness.token(1)
        harness.send(.failed(socket: 1, why: .unreachable(detail: "refused")))
        guard case .backoff(1, _, .unreachable) = harness.state else {
            Issue.record("\(harness.state)")
            return
        }
        harness.advance(0.5)
        #expect(harness.dials.count == 2)
    }

    @Test("the backoff is full jitter below 0.5 s · 2^k and 20 s", arguments: 0..<10)
    func backoff(seed: UInt64) {
        let harness = FeedHarness(seed: seed)
        harness.token(1)
        var waits: [Double] = []
        for socket in 1...12 {
            harness.send(.failed(socket: socket, why: .unreachable(detail: "refused")))
            waits.append(harness.waitsFor ?? -1)
            harness.advance(20)
        }
        let limits = (0..<12).map { min(0.5 * Double(1 << $0), 20) }
        for (wait, limit) in zip(waits, limits) { #expect((0...limit).contains(wait)) }
        #expect(Set(waits).count == waits.count)
    }

    @Test("the backoff starts over after a socket that has brought a message")
    func carried() {
        let harness = FeedHarness()
        harness.token(1)
        for socket in 1...40 {
            harness.send(.opened(socket: socket))
            harness.message(Int64(socket), on: socket)
            harness.advance(1.5)
            harness.close(socket, code: 1011)
            #expect(harness.waitsFor == 1)
            harness.advance(1)
        }
    }

    @Test("a socket that has brought messages for some seconds is replaced at once")
    func used() {
        let harness = FeedHarness()
        harness.token(1)
        for socket in 1...40 {
            harness.send(.opened(socket: socket))
            harness.advance(5)
            harness.message(Int64(socket), on: socket)
            harness.close(socket, code: 1011)
            #expect(harness.waitsFor == 0)
            harness.advance(0)
            #expect(harness.dials.count == socket + 1)
        }
    }

    @Test("a socket that has brought nothing is not, however long it was open")
    func unused() {
        let waits = (0..<10).map { (seed: UInt64) in
            let harness = FeedHarness(seed: seed)
            harness.token(1)
            harness.send(.opened(socket: 1))
            harness.advance(10)
            harness.close(1, code: 1011)
            return harness.waitsFor ?? 0
        }
        #expect(waits.reduce(0, +) > 1)
    }

    @Test("a socket that brings only what came before does not start the backoff over")
    func repeats() {
        let harness = FeedHarness()
        harness.token(1)
        var longest = 0.0
        for socket in 1...40 {
            harness.send(.opened(socket: socket))
            harness.message(1, on: socket)
            harness.close(socket, code: 1011)
            longest = max(longest, harness.waitsFor ?? 0)
            harness.advance(20)
        }
        #expect(longest > 10)
        #expect(harness.duplicates == 39)
    }

    @Test("a feed that has stopped, or waits, is dialed at once if the user wants it")
    func dialNow() {
        let harness = FeedHarness()
        harness.token(1)
        harness.send(.refused(socket: 1, status: 404, retryAfter: nil))
        harness.send(.dialNow)
        #expect(harness.dials.count == 2)
        harness.send(.refused(socket: 2, status: 503, retryAfter: 600))
        harness.send(.dialNow)
        #expect(harness.dials.count == 3)
        harness.send(.opened(socket: 3))
        harness.send(.dialNow)
        #expect(harness.dials.count == 3)
        #expect(harness.state.name == "open")
    }

    @Test("the user does not dial without a token, nor after the end")
    func noDial() {
        let harness = FeedHarness()
        harness.send(.dialNow)
        harness.token(1)
        harness.send(.leave)
        harness.close(1, code: 1000, by: .us)
        harness.send(.dialNow)
        #expect(harness.dials.count == 1)
    }

    @Test(
        "the backoff starts over only after 30 s open without a message",
        arguments: [(29.0, 8.0), (30, 0.5)]
    )
    func stable(open: Double, most: Double) {
        let harness = FeedHarness()
        harness.token(1)
        for socket in 1...4 {
            harness.send(.failed(socket: socket, why: .unreachable(detail: "refused")))
            harness.advance(20)
        }
        harness.send(.opened(socket: 5))
        harness.advance(open)
        harness.close(5, code: 1006, by: .transport)
        guard case .backoff(let attempt, _, _) = harness.state else {
            Issue.record("\(harness.state)")
            return
        }
        #expect(attempt == (most == 0.5 ? 1 : 5))
        #expect((harness.waitsFor ?? 99) <= most)
    }

    @Test("upgrade 429 and 503: Retry-After, or backoff", arguments: [429, 503])
    func retryAfter(status: Int) {
        let harness = FeedHarness()
        harness.token(1)
        harness.send(.refused(socket: 1, status: status, retryAfter: 60))
        #expect(harness.waitsFor == 60)
        #expect(
            harness.events.contains { $0 as? FeedRefused == FeedRefused(socket: 1, status: status) }
        )
        harness.send(.refused(socket: 1, status: status, retryAfter: nil))
        harness.advance(59)
        #expect(harness.dials.count == 1)
        harness.advance(1)
        #expect(harness.dials.count == 2)
    }

    @Test("a rotation does not shorten the wait for Retry-After")
    func retryAfterAndRotation() {
        let harness = FeedHarness()
        harness.token(1)
        harness.send(.refused(socket: 1, status: 503, retryAfter: 60))
        harness.advance(10)
        harness.token(2)
        #expect(harness.dials.count == 1)
        harness.advance(50)
        #expect(harness.dials.map(\.generation) == [1, 2])
    }

    @Test(
        "upgrade 400, 404, 426 and redirects stop the feed",
        arguments: [400, 404, 426, 302, 307]
    )
    func stops(status: Int) {
        let harness = FeedHarness()
        harness.token(1)
        harness.send(.refused(socket: 1, status: status, retryAfter: nil))
        #expect(harness.state.name == "stopped")
        harness.token(2)
        harness.advance(3600)
        #expect(harness.dials.count == 1)
        #expect(harness.machine.nextDeadline == nil)
    }

    @Test("a new session dials a feed that was stopped")
    func newSession() {
        let harness = FeedHarness()
        harness.token(1)
        harness.send(.refused(socket: 1, status: 404, retryAfter: nil))
        harness.send(.order(.ended))
        #expect(harness.state == .idle)
        harness.token(1)
        #expect(harness.dials.count == 2)
    }

    @Test("an event of an older socket is ignored")
    func olderSocket() {
        let harness = FeedHarness()
        harness.token(1)
        harness.send(.failed(socket: 1, why: .unreachable(detail: "refused")))
        harness.advance(1)
        harness.send(.opened(socket: 2))
        let events = harness.events.count
        harness.close(1, code: 1006)
        harness.send(.failed(socket: 1, why: .unreachable(detail: "late")))
        harness.send(.refused(socket: 1, status: 403, retryAfter: nil))
        harness.send(.pong(socket: 1))
        harness.message(9, on: 1)
        #expect(harness.events.count == events)
        #expect(harness.state.name == "open")
        #expect(harness.rejections.isEmpty)
    }

    @Test("a socket that opens after it is no longer needed is closed")
    func unwanted() {
        let harness = FeedHarness()
        harness.token(1)
        harness.send(.order(.ended))
        harness.send(.opened(socket: 1))
        #expect(harness.closes.map(\.socket) == [1, 1])
        #expect(harness.state == .idle)
    }

    @Test("it resumes after the last message where the dialect can", arguments: [true, false])
    func since(asks: Bool) {
        let harness = FeedHarness.open(asksSince: asks)
        harness.message(41, on: 1)
        harness.message(42, on: 1)
        harness.advance(10)
        harness.close(1, code: 1006, by: .transport)
        harness.advance(1)
        #expect(harness.dials.map(\.since) == [nil, asks ? "42" : nil])
    }
}
