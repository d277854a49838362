import Lifecycle
import Testing
import Timekeeping

@Suite("FeedMachine: closes and silence")
struct FeedCloseTests {
    @Test(
        "closed for no reason of ours: dialled again after a backoff",
        arguments: [1000, 1001, 1005, 1006, 1011, 1012, 1014, 4000, 4999]
    )
    func backoff(code: Int) {
        let scene = FeedScene.open()
        scene.close(1, code: code)
        #expect(scene.state.name == "backoff")
        scene.advance(0.5)
        #expect(scene.dials.count == 2)
    }

    @Test("closed with a request for patience: 5 s or more", arguments: [1013, 4429])
    func patience(code: Int) {
        let scene = FeedScene.open()
        scene.token(2)
        scene.send(.failed(socket: 2, words: "refused"))
        scene.close(1, code: code)
        scene.advance(4.9)
        #expect(scene.dials.count == 2)
        scene.advance(0.2)
        #expect(scene.dials.count == 3)
    }

    @Test(
        "closed for a mistake of ours: stopped",
        arguments: [1002, 1003, 1007, 1009, 1010, 4400, 4406]
    )
    func stops(code: Int) {
        let scene = FeedScene.open()
        scene.close(1, code: code)
        guard case .stopped(let why) = scene.state else {
            Issue.record("\(scene.state)")
            return
        }
        #expect(why.contains("\(code)"))
        scene.advance(3600)
        #expect(scene.dials.count == 1)
    }

    @Test("a switch that stops the feed lets the old socket serve, and says so when that ends")
    func stopsDuringSwitch() {
        let scene = FeedScene.open()
        scene.token(2)
        scene.send(.refused(socket: 2, status: 404, retryAfter: nil))
        #expect(scene.state.name == "open")
        scene.close(1, code: 1001)
        #expect(scene.state.name == "stopped")
        #expect(scene.machine.nextDeadline == nil)
    }

    @Test("a ping follows 20 s without an inbound frame, and a pong proves the socket alive")
    func ping() {
        let scene = FeedScene.open()
        scene.advance(15)
        scene.message(1, on: 1)
        scene.advance(19.9)
        #expect(scene.pings.isEmpty)
        scene.advance(0.1)
        #expect(scene.pings == [1])
        scene.advance(0.25)
        scene.send(.pong(socket: 1))
        #expect(scene.events.contains(.ping(socket: 1, roundTrip: .milliseconds(250))))
        scene.advance(19)
        #expect(scene.closes.isEmpty)
        #expect(scene.pings == [1])
    }

    @Test("any frame answers a ping")
    func anyFrame() {
        let scene = FeedScene.open()
        scene.advance(25)
        scene.message(1, on: 1)
        scene.advance(15)
        #expect(scene.closes.isEmpty)
    }

    @Test("nothing within 10 s of a ping: the socket is dead, and the feed dialled again")
    func halfOpen() {
        let scene = FeedScene.open()
        scene.advance(29.9)
        #expect(scene.closes.isEmpty)
        scene.advance(0.1)
        #expect(scene.closes.map(\.code) == [1001])
        scene.close(1, code: 1001, by: .us)
        scene.advance(0.5)
        #expect(scene.dials.count == 2)
    }

    @Test("silence of the application is no fault, as long as pongs come")
    func quiet() {
        let scene = FeedScene.open()
        for _ in 0..<100 {
            scene.advance(20)
            scene.send(.pong(socket: 1))
        }
        #expect(scene.pings.count == 100)
        #expect(scene.closes.isEmpty)
    }

    @Test("after wake a ping at once, and 3 s for its answer")
    func wake() {
        let scene = FeedScene.open()
        scene.advance(5)
        scene.send(.woke)
        #expect(scene.pings == [1])
        scene.advance(2.9)
        #expect(scene.closes.isEmpty)
        scene.advance(0.1)
        #expect(scene.closes.map(\.code) == [1001])
    }

    @Test("after wake and a pong the usual patience is back")
    func wakeAnswered() {
        let scene = FeedScene.open()
        scene.send(.woke)
        scene.send(.pong(socket: 1))
        scene.advance(29.9)
        #expect(scene.pings.count == 2)
        #expect(scene.closes.isEmpty)
    }

    @Test("logout closes with 1000 and forgets the token")
    func logout() {
        let scene = FeedScene.open()
        scene.token(2)
        scene.send(.opened(socket: 2))
        scene.send(.order(.ended))
        #expect(scene.closes.map(\.socket) == [1, 2])
        #expect(scene.closes.allSatisfy { $0.code == 1000 })
        #expect(scene.state == .idle)
        scene.advance(3600)
        #expect(scene.dials.count == 2)
    }

    @Test("what was under way at the logout is no alarm; what comes 2 s later is one, told once")
    func alarm() {
        let scene = FeedScene.open()
        scene.send(.order(.ended))
        scene.advance(2)
        scene.message(1, on: 1)
        #expect(scene.alarms.isEmpty)
        scene.advance(0.1)
        scene.message(2, on: 1)
        scene.message(3, on: 1)
        #expect(scene.alarms == [1])
        #expect(scene.applied.isEmpty)
    }

    @Test("a socket of the last session that still receives in the next one is an alarm too")
    func alarmInNextSession() {
        let scene = FeedScene.open()
        scene.send(.order(.ended))
        scene.advance(1)
        scene.token(1)
        scene.send(.opened(socket: 2))
        scene.advance(5)
        scene.message(7, on: 1)
        scene.message(1, on: 2)
        #expect(scene.alarms == [1])
        #expect(scene.applied == ["1"])
    }

    @Test("leaving closes with 1000 and applies what still arrives")
    func leave() {
        let scene = FeedScene.open()
        scene.message(1, on: 1)
        scene.token(2)
        scene.send(.opened(socket: 2))
        scene.send(.leave)
        #expect(scene.closes.map(\.socket) == [1, 2])
        scene.message(2, on: 1)
        scene.message(3, on: 2)
        scene.message(3, on: 1)
        scene.advance(10)
        scene.close(1, code: 1000, by: .us)
        scene.close(2, code: 1000, by: .us)
        #expect(scene.applied == ["1", "2", "3"])
        #expect(scene.dials.count == 2)
        #expect(scene.machine.nextDeadline == nil)
        #expect(scene.alarms.isEmpty)
    }
}
