import Basics
import Client
import Profiles
import Testing

@testable import Model

@Suite("FeedMachine: following a rotation")
struct FeedSwitchTests {
    @Test("overlap: the new socket is dialed while the old one serves")
    func overlap() {
        let harness = FeedHarness.open()
        harness.token(2)
        #expect(harness.dials.map(\.generation) == [1, 2])
        #expect(harness.state == .rotating(old: 1, new: 2, generation: 2))
        harness.message(1, on: 1)
        #expect(harness.applied == ["1"])
        #expect(harness.closes.isEmpty)
    }

    @Test("a control frame is no message: it is neither counted nor compared, but shows life")
    func control() {
        let harness = FeedHarness.switching()
        harness.control(1, on: 1)
        harness.control(9, on: 2)
        #expect(harness.applied == ["1"])
        #expect(harness.events.count { $0 is FeedControlReceived } == 2)
        // The new socket is primary; the number of its greeting is no gap.
        harness.message(2, on: 1)
        harness.message(2, on: 2)
        harness.message(3, on: 2)
        #expect(harness.applied == ["1", "2", "3"])
        harness.close(1, code: 1000, by: .us)
        #expect(harness.switches.map(\.gap) == [0])
        #expect(harness.state == .open(socket: 2, generation: 2, since: .origin))
    }

    @Test("the first frame makes the new socket primary; the old one is read until drained")
    func drained() {
        let harness = FeedHarness.switching()
        harness.message(4, on: 2)
        harness.message(5, on: 2)
        #expect(harness.applied == ["1"])
        #expect(harness.closes.isEmpty)
        harness.message(2, on: 1)
        harness.message(3, on: 1)
        #expect(harness.applied == ["1", "2", "3", "4", "5"])
        #expect(harness.closes.map(\.socket) == [1])
        harness.close(1, code: 1000, by: .us)
        #expect(harness.switches.map(\.gap) == [0])
        #expect(harness.state == .open(socket: 2, generation: 2, since: .origin))
    }

    @Test("what both sockets say is applied once")
    func duplicates() {
        let harness = FeedHarness.switching()
        harness.message(2, on: 2)
        harness.message(2, on: 1)
        harness.message(3, on: 1)
        harness.message(3, on: 2)
        harness.close(1, code: 1000, by: .us)
        #expect(harness.applied == ["1", "2", "3"])
        #expect(harness.switches.map(\.duplicates) == [2])
        #expect(harness.duplicates == 0)
    }

    @Test("outside a switch a duplicate is reported as such and not applied")
    func serverDuplicates() {
        let harness = FeedHarness.open()
        harness.message(1, on: 1)
        harness.message(1, on: 1)
        #expect(harness.applied == ["1"])
        #expect(harness.duplicates == 1)
    }

    @Test("the old socket is read for at most 2 s after the switch; then a gap is reported")
    func gap() {
        let harness = FeedHarness.switching()
        harness.message(5, on: 2)
        harness.message(2, on: 1)
        harness.advance(1.9)
        #expect(harness.closes.isEmpty)
        harness.advance(0.1)
        #expect(harness.closes.map(\.socket) == [1])
        harness.close(1, code: 1000, by: .us)
        #expect(harness.applied == ["1", "2", "5"])
        #expect(harness.switches.map(\.gap) == [2])
    }

    @Test("a close that the peer does not answer does not hold up the switch")
    func unansweredClose() {
        let harness = FeedHarness.switching()
        harness.message(2, on: 2)
        harness.message(2, on: 1)
        harness.advance(3)
        #expect(harness.switches.count == 1)
        #expect(harness.state.name == "open")
    }

    @Test("a new socket without a first frame is primary after a second")
    func promoted() {
        let harness = FeedHarness.switching()
        harness.advance(0.9)
        #expect(harness.state.name == "rotating")
        harness.advance(0.2)
        harness.message(2, on: 1)
        harness.message(3, on: 2)
        #expect(harness.applied == ["1", "2", "3"])
        harness.close(1, code: 1000, by: .us)
        #expect(harness.switches.map(\.to) == [2])
    }

    @Test("messages without numbers are read on the old socket for half a second more")
    func unnumbered() {
        let harness = FeedHarness.open()
        harness.text("a", on: 1)
        harness.token(2)
        harness.send(.opened(socket: 2))
        harness.text("c", on: 2)
        harness.text("b", on: 1)
        #expect(harness.applied == ["a", "b"])
        harness.advance(0.5)
        #expect(harness.closes.map(\.socket) == [1])
        harness.close(1, code: 1000, by: .us)
        #expect(harness.applied == ["a", "b", "c"])
    }

    @Test("g+2 during the switch: it is finished first, then straight to the newest")
    func twoRotations() {
        let harness = FeedHarness.switching()
        harness.token(3)
        harness.token(4)
        #expect(harness.dials.count == 2)
        harness.message(2, on: 2)
        harness.message(2, on: 1)
        harness.close(1, code: 1000, by: .us)
        harness.advance(0)
        #expect(harness.dials.map(\.generation) == [1, 2, 4])
    }

    @Test("4409 within 2 s of a rotation: break before make from then on", arguments: [1, 2])
    func oneSocketOnly(closed: Int) {
        let harness = FeedHarness.open()
        harness.message(1, on: 1)
        harness.advance(10)
        harness.token(2)
        harness.send(.opened(socket: 2))
        harness.close(closed, code: 4409)
        harness.advance(1)
        if closed == 2 {
            #expect(harness.closes.last?.socket == 1)
            harness.close(1, code: 1000, by: .us)
            harness.send(.opened(socket: 3))
        }
        #expect(harness.state.name == "open")
        let dials = harness.dials.count
        harness.token(3)
        #expect(harness.dials.count == dials)
        #expect(harness.closes.last?.code == 1000)
    }

    @Test("a silent socket that is being closed is waited for: there are never three")
    func silentDuringSwitch() {
        let harness = FeedHarness.open()
        harness.advance(29.5)
        harness.token(2)
        harness.send(.opened(socket: 2))
        harness.advance(0.9)
        #expect(harness.closes.map(\.code) == [1001])
        harness.token(3)
        harness.advance(0.8)
        #expect(harness.dials.map(\.generation) == [1, 2])
        harness.close(1, code: 1001, by: .us)
        harness.advance(0.1)
        #expect(harness.dials.map(\.generation) == [1, 2, 3])
    }

    @Test("restart: the old socket is closed first, then the new one dialed")
    func restart() {
        let harness = FeedHarness.open(following: .restart)
        harness.message(1, on: 1)
        harness.token(2)
        #expect(harness.closes.map(\.socket) == [1])
        #expect(harness.dials.count == 1)
        harness.message(2, on: 1)
        harness.close(1, code: 1000, by: .us)
        #expect(harness.dials.map(\.generation) == [1, 2])
        harness.send(.opened(socket: 2))
        harness.message(5, on: 2)
        #expect(harness.applied == ["1", "2", "5"])
        #expect(harness.switches.map(\.gap) == [2])
    }

    @Test("keep: the old socket stays until the server closes it")
    func keep() {
        let harness = FeedHarness.open(following: .keep)
        harness.token(2)
        harness.advance(15)
        #expect(harness.dials.count == 1)
        #expect(harness.closes.isEmpty)
        harness.close(1, code: 4401)
        #expect(harness.dials.map(\.generation) == [1, 2])
        #expect(harness.rejections.isEmpty)
    }

    @Test("message: the new token is sent on the open socket")
    func message() {
        let script = FeedScript(says: [FeedSay("{access}", on: .renewal)])
        let harness = FeedHarness.open(following: .message, script: script)
        harness.token(2)
        #expect(harness.said.map(\.generation) == [2])
        #expect(harness.said.map(\.sayings) == [[FeedSaying(say: 0)]])
        #expect(harness.dials.count == 1)
        #expect(harness.state == .open(socket: 1, generation: 2, since: .origin))
    }

    @Test("a gap after a break is reported if the server cannot resume")
    func gapAfterBreak() {
        let harness = FeedHarness.open()
        harness.message(1, on: 1)
        harness.close(1, code: 1006, by: .transport)
        harness.advance(1)
        harness.send(.opened(socket: 2))
        harness.message(7, on: 2)
        #expect(harness.switches.map(\.gap) == [5])
    }

    @Test("a server's numbers may be any, and break nothing")
    func hostileNumbers() {
        let numbers: [Int64] = [.min, .max, -1, 0, .max - 1, 1, .min + 1, 5]
        for first in numbers {
            for second in numbers {
                let harness = FeedHarness.switching()
                harness.message(first, on: 2)
                harness.message(second, on: 1)
                harness.message(first, on: 1)
                harness.message(second, on: 2)
                harness.advance(5)
                harness.close(1, code: 1000, by: .us)
                #expect(Set(harness.applied).count == harness.applied.count)
            }
        }
    }
}

extension FeedHarness {
    /// Two open sockets, the new one without a message yet.
    static func switching() -> FeedHarness {
        let harness = FeedHarness.open()
        harness.message(1, on: 1)
        harness.token(2)
        harness.send(.opened(socket: 2))
        return harness
    }
}
