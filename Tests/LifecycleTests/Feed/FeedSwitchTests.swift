import Lifecycle
import Testing
import Timekeeping

@Suite("FeedMachine: following a rotation")
struct FeedSwitchTests {
    /// Two open sockets, the new one without a message yet.
    private static func switching(asksSince: Bool = false) -> FeedScene {
        let scene = FeedScene.open(asksSince: asksSince)
        scene.message(1, on: 1)
        scene.token(2)
        scene.send(.opened(socket: 2))
        return scene
    }

    @Test("overlap: the new socket is dialled while the old one serves")
    func overlap() {
        let scene = FeedScene.open()
        scene.token(2)
        #expect(scene.dials.map(\.generation) == [1, 2])
        #expect(scene.state == .rotating(old: 1, new: 2, generation: 2))
        scene.message(1, on: 1)
        #expect(scene.applied == ["1"])
        #expect(scene.closes.isEmpty)
    }

    @Test("the first frame makes the new socket primary; the old one is read until drained")
    func drained() {
        let scene = Self.switching()
        scene.message(4, on: 2)
        scene.message(5, on: 2)
        #expect(scene.applied == ["1"])
        #expect(scene.closes.isEmpty)
        scene.message(2, on: 1)
        scene.message(3, on: 1)
        #expect(scene.applied == ["1", "2", "3", "4", "5"])
        #expect(scene.closes.map(\.socket) == [1])
        scene.close(1, code: 1000, by: .us)
        #expect(scene.switches.map(\.gap) == [0])
        #expect(scene.state == .open(socket: 2, generation: 2, since: .origin))
    }

    @Test("what both sockets say is applied once")
    func duplicates() {
        let scene = Self.switching()
        scene.message(2, on: 2)
        scene.message(2, on: 1)
        scene.message(3, on: 1)
        scene.message(3, on: 2)
        scene.close(1, code: 1000, by: .us)
        #expect(scene.applied == ["1", "2", "3"])
        #expect(scene.switches.map(\.duplicates) == [2])
        #expect(scene.duplicates == 0)
    }

    @Test("outside a switch a duplicate is told as such and not applied")
    func serverDuplicates() {
        let scene = FeedScene.open()
        scene.message(1, on: 1)
        scene.message(1, on: 1)
        #expect(scene.applied == ["1"])
        #expect(scene.duplicates == 1)
    }

    @Test("the old socket is read at most 2 s after the switch; then a gap is told")
    func gap() {
        let scene = Self.switching()
        scene.message(5, on: 2)
        scene.message(2, on: 1)
        scene.advance(1.9)
        #expect(scene.closes.isEmpty)
        scene.advance(0.1)
        #expect(scene.closes.map(\.socket) == [1])
        scene.close(1, code: 1000, by: .us)
        #expect(scene.applied == ["1", "2", "5"])
        #expect(scene.switches.map(\.gap) == [2])
    }

    @Test("a close that the peer does not answer does not hold up the switch")
    func unansweredClose() {
        let scene = Self.switching()
        scene.message(2, on: 2)
        scene.message(2, on: 1)
        scene.advance(3)
        #expect(scene.switches.count == 1)
        #expect(scene.state.name == "open")
    }

    @Test("a new socket without a first frame is primary after a second")
    func promoted() {
        let scene = Self.switching()
        scene.advance(0.9)
        #expect(scene.state.name == "rotating")
        scene.advance(0.2)
        scene.message(2, on: 1)
        scene.message(3, on: 2)
        #expect(scene.applied == ["1", "2", "3"])
        scene.close(1, code: 1000, by: .us)
        #expect(scene.switches.map(\.to) == [2])
    }

    @Test("messages without numbers are read on the old socket for half a second more")
    func unnumbered() {
        let scene = FeedScene.open()
        scene.text("a", on: 1)
        scene.token(2)
        scene.send(.opened(socket: 2))
        scene.text("c", on: 2)
        scene.text("b", on: 1)
        #expect(scene.applied == ["a", "b"])
        scene.advance(0.5)
        #expect(scene.closes.map(\.socket) == [1])
        scene.close(1, code: 1000, by: .us)
        #expect(scene.applied == ["a", "b", "c"])
    }

    @Test("g+2 during the switch: it is finished first, then straight to the newest")
    func twoRotations() {
        let scene = Self.switching()
        scene.token(3)
        scene.token(4)
        #expect(scene.dials.count == 2)
        scene.message(2, on: 2)
        scene.message(2, on: 1)
        scene.close(1, code: 1000, by: .us)
        scene.advance(0)
        #expect(scene.dials.map(\.generation) == [1, 2, 4])
    }

    @Test("the old socket ends while the new one is dialled: the new one is the feed")
    func oldEndsDuringDial() {
        let scene = FeedScene.open()
        scene.message(1, on: 1)
        scene.token(2)
        scene.close(1, code: 4401)
        #expect(scene.state == .dialing(socket: 2, generation: 2))
        #expect(scene.rejections.isEmpty)
        scene.send(.opened(socket: 2))
        scene.message(2, on: 2)
        scene.advance(10)
        #expect(scene.state.name == "open")
        #expect(scene.dials.count == 2)
        #expect(scene.applied == ["1", "2"])
        scene.token(3)
        #expect(scene.dials.count == 3)
    }

    @Test("the old socket ends just as the new one is open: nothing is lost")
    func oldEndsDuringSwitch() {
        let scene = Self.switching()
        scene.close(1, code: 4401)
        scene.message(2, on: 2)
        #expect(scene.applied == ["1", "2"])
        #expect(scene.switches.map(\.to) == [2])
        #expect(scene.state.name == "open")
    }

    @Test("the new socket ends just after the switch: the old one serves again")
    func newEnds() {
        let scene = Self.switching()
        scene.message(4, on: 2)
        scene.close(2, code: 1011)
        scene.message(2, on: 1)
        scene.message(3, on: 1)
        #expect(scene.applied == ["1", "2", "3", "4"])
        scene.advance(1)
        #expect(scene.dials.count == 3)
        scene.send(.opened(socket: 3))
        scene.message(5, on: 3)
        scene.message(5, on: 1)
        scene.close(1, code: 1000, by: .us)
        #expect(scene.applied == ["1", "2", "3", "4", "5"])
        #expect(scene.state.name == "open")
    }

    @Test("the new socket ends while the old one is being closed: the feed is dialled again")
    func newEndsLater() {
        let scene = Self.switching()
        scene.message(2, on: 2)
        scene.message(2, on: 1)
        #expect(scene.closes.map(\.socket) == [1])
        scene.close(2, code: 1006, by: .transport)
        scene.close(1, code: 1000, by: .us)
        scene.advance(1)
        #expect(scene.dials.count == 3)
        scene.send(.opened(socket: 3))
        scene.token(3)
        #expect(scene.dials.count == 4)
    }

    @Test("4409 within 2 s of a rotation: break before make from then on", arguments: [1, 2])
    func oneSocketOnly(closed: Int) {
        let scene = FeedScene.open()
        scene.message(1, on: 1)
        scene.advance(10)
        scene.token(2)
        scene.send(.opened(socket: 2))
        scene.close(closed, code: 4409)
        scene.advance(1)
        if closed == 2 {
            #expect(scene.closes.last?.socket == 1)
            scene.close(1, code: 1000, by: .us)
            scene.send(.opened(socket: 3))
        }
        #expect(scene.state.name == "open")
        let dials = scene.dials.count
        scene.token(3)
        #expect(scene.dials.count == dials)
        #expect(scene.closes.last?.code == 1000)
    }

    @Test("restart: the old socket is closed first, then the new one dialled")
    func restart() {
        let scene = FeedScene.open(following: .restart)
        scene.message(1, on: 1)
        scene.token(2)
        #expect(scene.closes.map(\.socket) == [1])
        #expect(scene.dials.count == 1)
        scene.message(2, on: 1)
        scene.close(1, code: 1000, by: .us)
        #expect(scene.dials.map(\.generation) == [1, 2])
        scene.send(.opened(socket: 2))
        scene.message(5, on: 2)
        #expect(scene.applied == ["1", "2", "5"])
        #expect(scene.switches.map(\.gap) == [2])
    }

    @Test("keep: the old socket stays until the server closes it")
    func keep() {
        let scene = FeedScene.open(following: .keep)
        scene.token(2)
        scene.advance(15)
        #expect(scene.dials.count == 1)
        #expect(scene.closes.isEmpty)
        scene.close(1, code: 4401)
        #expect(scene.dials.map(\.generation) == [1, 2])
        #expect(scene.rejections.isEmpty)
    }

    @Test("message: the open socket is told of the new token")
    func message() {
        let scene = FeedScene.open(following: .message)
        scene.token(2)
        #expect(scene.reauthentications.map(\.generation) == [2])
        #expect(scene.dials.count == 1)
        #expect(scene.state == .open(socket: 1, generation: 2, since: .origin))
    }

    @Test("a gap after a break is told, where the server cannot resume")
    func gapAfterBreak() {
        let scene = FeedScene.open()
        scene.message(1, on: 1)
        scene.close(1, code: 1006, by: .transport)
        scene.advance(1)
        scene.send(.opened(socket: 2))
        scene.message(7, on: 2)
        #expect(scene.switches.map(\.gap) == [5])
    }

    @Test("a server's numbers may be any, and break nothing")
    func hostileNumbers() {
        let numbers: [Int64] = [.min, .max, -1, 0, .max - 1, 1, .min + 1, 5]
        for first in numbers {
            for second in numbers {
                let scene = Self.switching()
                scene.message(first, on: 2)
                scene.message(second, on: 1)
                scene.message(first, on: 1)
                scene.message(second, on: 2)
                scene.advance(5)
                scene.close(1, code: 1000, by: .us)
                #expect(Set(scene.applied).count == scene.applied.count)
            }
        }
    }
}
