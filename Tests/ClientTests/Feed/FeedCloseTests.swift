import Basics
import Testing

@testable import Client
@testable import Model

@Suite("FeedMachine: closes and silence")
struct FeedCloseTests {
    @Test(
        "closed for no reason of ours: dialed again after a backoff",
        arguments: [1000, 1001, 1005, 1006, 1011, 1012, 1014, 4000, 4999]
    )
    func backoff(code: Int) {
        let harness = FeedHarness.open()
        harness.advance(10)
        harness.close(1, code: code)
        #expect(harness.state.name == "backoff")
        harness.advance(0.5)
        #expect(harness.dials.count == 2)
    }

    @Test("closed with a request for patience: 5 s or more", arguments: [1013, 4429])
    func timeout(code: Int) {
        let harness = FeedHarness.open()
        harness.token(2)
        harness.send(.failed(socket: 2, why: .unreachable(detail: "refused")))
        harness.close(1, code: code)
        harness.advance(4.9)
        #expect(harness.dials.count == 2)
        harness.advance(0.2)
        #expect(harness.dials.count == 3)
    }

    @Test(
        "closed for a mistake of ours: stopped",
        arguments: [1002, 1003, 1007, 1009, 1010, 4400, 4406]
    )
    func stops(code: Int) {
        let harness = FeedHarness.open()
        harness.close(1, code: code)
        guard case .stopped(let why) = harness.state else {
            Issue.record("\(harness.state)")
            return
        }
        #expect(why == .closed(code: code))
        harness.advance(3600)
        #expect(harness.dials.count == 1)
    }

    @Test(
        "closed by this client for what the server sent: dialed again after a backoff",
        arguments: [1002, 1003, 1007, 1009]
    )
    func unreadable(code: Int) {
        let harness = FeedHarness.open()
        harness.advance(10)
        harness.close(1, code: code, by: .us)
        #expect(harness.state.name == "backoff")
        harness.advance(0.5)
        #expect(harness.dials.count == 2)
    }

    @Test(
        "a message that fails each socket which asks for it is not asked for a third time",
        arguments: [1007, 1009]
    )
    func unreadableHistory(code: Int) {
        let harness = FeedHarness.open(asksSince: true)
        harness.message(41, on: 1)
        harness.close(1, code: code, by: .us)
        harness.advance(1)
        harness.send(.opened(socket: 2))
        harness.close(2, code: code, by: .us)
        harness.advance(2)
        harness.send(.opened(socket: 3))
        harness.message(43, on: 3)
        harness.advance(10)
        harness.close(3, code: 1006, by: .transport)
        harness.advance(2)
        #expect(harness.dials.map(\.since) == [nil, "41", nil, "43"])
        #expect(harness.applied == ["41", "43"])
        #expect(harness.switches.map(\.gap) == [1])
    }

    @Test("a switch that stops the feed lets the old socket serve, and says so when that ends")
    func stopsDuringSwitch() {
        let harness = FeedHarness.open()
        harness.token(2)
        harness.send(.refused(socket: 2, status: 404, retryAfter: nil))
        #expect(harness.state.name == "open")
        harness.close(1, code: 1001)
        #expect(harness.state.name == "stopped")
        #expect(harness.machine.nextDeadline == nil)
    }

    @Test("a socket is pinged 1 s after it opened, and every 20 s")
    func ping() {
        let harness = FeedHarness.open()
        harness.advance(0.9)
        #expect(harness.pings.isEmpty)
        harness.advance(0.1)
        #expect(harness.pings == [1])
        harness.advance(0.25)
        harness.send(.pong(socket: 1))
        #expect(
            harness.events.contains {
                $0 as? FeedPinged == FeedPinged(socket: 1, roundTrip: .milliseconds(250))
            }
        )
        harness.advance(18.7)
        #expect(harness.pings == [1])
        harness.advance(0.1)
        #expect(harness.pings == [1, 1])
        harness.send(.pong(socket: 1))
        harness.advance(19.9)
        #expect(harness.pings == [1, 1])
        harness.advance(0.1)
        #expect(harness.pings == [1, 1, 1])
        #expect(harness.closes.isEmpty)
    }

    @Test("a busy socket's round trip is measured too, though frames arrive before the pong")
    func busyPing() {
        let harness = FeedHarness.open()
        harness.advance(1)
        harness.message(1, on: 1)
        harness.advance(0.25)
        harness.message(2, on: 1)
        harness.send(.pong(socket: 1))
        #expect(
            harness.events.contains {
                $0 as? FeedPinged == FeedPinged(socket: 1, roundTrip: .milliseconds(250))
            }
        )
    }

    @Test("a pong that was not requested measures nothing")
    func strayPong() {
        let harness = FeedHarness.open()
        harness.advance(1)
        harness.send(.pong(socket: 1))
        harness.send(.pong(socket: 1))
        let pings = harness.events.count { $0 is FeedPinged }
        #expect(pings == 1)
    }

    @Test("any frame answers a ping")
    func anyFrame() {
        let harness = FeedHarness.open()
        harness.advance(29)
        harness.message(1, on: 1)
        harness.advance(10)
        #expect(harness.closes.isEmpty)
    }

    @Test("nothing within 30 s: the socket is dead, and the feed dialed again", arguments: [0, 13])
    func halfOpen(lastInbound: Double) {
        let harness = FeedHarness.open()
        harness.advance(lastInbound)
        harness.message(1, on: 1)
        harness.advance(29.9 - lastInbound)
        #expect(harness.closes.isEmpty)
        harness.advance(0.2)
        #expect(harness.closes.map(\.code) == [1001])
        harness.close(1, code: 1001, by: .us)
        harness.advance(0.5)
        #expect(harness.dials.count == 2)
    }

    @Test("silence of the application is no fault, as long as pongs come")
    func quiet() {
        let harness = FeedHarness.open()
        harness.advance(1)
        harness.send(.pong(socket: 1))
        for _ in 0..<100 {
            harness.advance(20)
            harness.send(.pong(socket: 1))
        }
        #expect(harness.pings.count == 101)
        #expect(harness.closes.isEmpty)
    }

    @Test("after wake a ping at once, and 3 s for its answer")
    func wake() {
        let harness = FeedHarness.open()
        harness.advance(5)
        harness.send(.woke)
        #expect(harness.pings == [1, 1])
        harness.advance(2.9)
        #expect(harness.closes.isEmpty)
        harness.advance(0.1)
        #expect(harness.closes.map(\.code) == [1001])
    }

    @Test("after wake and a pong the usual patience is back")
    func wakeAnswered() {
        let harness = FeedHarness.open()
        harness.send(.woke)
        harness.send(.pong(socket: 1))
        harness.advance(29.9)
        #expect(harness.pings.count == 2)
        #expect(harness.closes.isEmpty)
    }

    @Test("logout closes with 1000 and forgets the token")
    func logout() {
        let harness = FeedHarness.open()
        harness.token(2)
        harness.send(.opened(socket: 2))
        harness.send(.order(.ended))
        #expect(harness.closes.map(\.socket) == [1, 2])
        #expect(harness.closes.allSatisfy { $0.code == 1000 })
        #expect(harness.ended == [1, 2])
        #expect(harness.state == .idle)
        harness.advance(3600)
        #expect(harness.dials.count == 2)
    }

    @Test("a logout during a switch tells the end of both sockets, and of one that was closing")
    func logoutDuringSwitch() {
        let harness = FeedHarness.open()
        harness.message(1, on: 1)
        harness.token(2)
        harness.send(.opened(socket: 2))
        harness.message(2, on: 2)
        harness.message(1, on: 2)
        harness.message(2, on: 1)
        #expect(harness.closes.map(\.socket) == [1])
        harness.send(.order(.ended))
        #expect(harness.ended.sorted() == [1, 2])
    }

    @Test("a replaced socket that does not answer our close is told of when it ends")
    func silentRetired() {
        let harness = FeedHarness.open()
        harness.token(2)
        harness.send(.opened(socket: 2))
        harness.advance(6)
        #expect(harness.switches.count == 1)
        #expect(harness.ended.isEmpty)
        harness.close(1, code: 1006, by: .us)
        #expect(harness.ended == [1])
        #expect(harness.state.name == "open")
    }

    @Test("a message in transit at the logout is no alarm; one that arrives 1 s later is, once")
    func alarm() {
        let harness = FeedHarness.open()
        harness.send(.order(.ended))
        harness.advance(1)
        harness.message(1, on: 1)
        #expect(harness.alarms.isEmpty)
        harness.advance(0.1)
        harness.message(2, on: 1)
        harness.message(3, on: 1)
        #expect(harness.alarms == [1])
        #expect(harness.applied.isEmpty)
    }

    @Test("what arrived while no socket was read is no alarm when it is read after the logout")
    func alarmAfterHold() {
        let harness = FeedHarness.open()
        harness.send(.held(true))
        harness.send(.order(.ended))
        harness.advance(60)
        harness.send(.held(false))
        harness.message(1, on: 1)
        #expect(harness.alarms.isEmpty)
        harness.advance(1.1)
        harness.message(2, on: 1)
        #expect(harness.alarms == [1])
    }

    @Test("a socket of the last session that still receives in the next one is an alarm too")
    func alarmInNextSession() {
        let harness = FeedHarness.open()
        harness.send(.order(.ended))
        harness.advance(1)
        harness.token(1)
        harness.send(.opened(socket: 2))
        harness.advance(5)
        harness.message(7, on: 1)
        harness.message(1, on: 2)
        #expect(harness.alarms == [1])
        #expect(harness.applied == ["1"])
    }

    @Test("a feed that is left asks for no renewal, whatever its socket ends with")
    func leftAndRefused() {
        let harness = FeedHarness.open()
        harness.send(.leave)
        harness.close(1, code: 4401)
        #expect(harness.rejections.isEmpty)
        #expect(harness.state == .idle)
        #expect(harness.machine.nextDeadline == nil)
    }

    @Test("leaving closes with 1000 and applies what still arrives")
    func leave() {
        let harness = FeedHarness.open()
        harness.message(1, on: 1)
        harness.token(2)
        harness.send(.opened(socket: 2))
        harness.send(.leave)
        #expect(harness.closes.map(\.socket) == [1, 2])
        harness.message(2, on: 1)
        harness.message(3, on: 2)
        harness.message(3, on: 1)
        harness.advance(10)
        harness.close(1, code: 1000, by: .us)
        harness.close(2, code: 1000, by: .us)
        #expect(harness.applied == ["1", "2", "3"])
        #expect(harness.dials.count == 2)
        #expect(harness.machine.nextDeadline == nil)
        #expect(harness.alarms.isEmpty)
    }
}
