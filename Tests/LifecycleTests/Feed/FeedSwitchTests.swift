import Lifecycle
import Testing
import Timekeeping

@Suite("FeedMachine: following a rotation")
struct FeedSwitchTests {
    /// Two open sockets, the new one without a message yet.
    private static func switching(asksSince: Bool = false) -> FeedHarness {
        let harness = FeedHarness.open(asksSince: asksSince)
        harness.message(1, on: 1)
        harness.token(2)
        harness.send(.opened(socket: 2))
        return harness
    }

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
        let harness = Self.switching()
        harness.control(1, on: 1)
        harness.control(9, on: 2)
        #expect(harness.applied == ["1"])
        #expect(harness.events.count { if case .control = $0 { true } else { false } } == 2)
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
        let harness = Self.switching()
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
        let harness = Self.switching()
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
        let harness = Self.switching()
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
        let harness = Self.switching()
        harness.message(2, on: 2)
        harness.message(2, on: 1)
        harness.advance(3)
        #expect(harness.switches.count == 1)
        #expect(harness.state.name == "open")
    }

    @Test("a new socket without a first frame is primary after a second")
    func promoted() {
        let harness = Self.switching()
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
        let harness = Self.switching()
        harness.token(3)
        harness.token(4)
        #expect(harness.dials.count == 2)
        harness.message(2, on: 2)
        harness.message(2, on: 1)
        harness.close(1, code: 1000, by: .us)
        harness.advance(0)
        #expect(harness.dials.map(\.generation) == [1, 2, 4])
    }

    @Test("the old socket ends while the new one is dialed: the new one is the feed")
    func oldEndsDuringDial() {
        let harness = FeedHarness.open()
        harness.message(1, on: 1)
        harness.token(2)
        harness.close(1, code: 4401)
        #expect(harness.state == .dialing(socket: 2, generation: 2))
        #expect(harness.rejections.isEmpty)
        harness.send(.opened(socket: 2))
        harness.message(2, on: 2)
        harness.advance(10)
        #expect(harness.state.name == "open")
        #expect(harness.dials.count == 2)
        #expect(harness.applied == ["1", "2"])
        harness.token(3)
        #expect(harness.dials.count == 3)
    }

    @Test("the old socket ends just as the new one is open: nothing is lost")
    func oldEndsDuringSwitch() {
        let harness = Self.switching()
        harness.close(1, code: 4401)
        harness.message(2, on: 2)
        #expect(harness.applied == ["1", "2"])
        #expect(harness.switches.map(\.to) == [2])
        #expect(harness.state.name == "open")
    }

    @Test("the new socket ends just after the switch: the old one serves again")
    func newEnds() {
        let harness = Self.switching()
        harness.message(4, on: 2)
        harness.close(2, code: 1011)
        harness.message(2, on: 1)
        harness.message(3, on: 1)
        #expect(harness.applied == ["1", "2", "3", "4"])
        harness.advance(1)
        #expect(harness.dials.count == 3)
        harness.send(.opened(socket: 3))
        harness.message(5, on: 3)
        harness.message(5, on: 1)
        harness.close(1, code: 1000, by: .us)
        #expect(harness.applied == ["1", "2", "3", "4", "5"])
        #expect(harness.state.name == "open")
    }

    @Test("the new socket ends while the old one is being closed: the feed is dialed again")
    func newEndsLater() {
        let harness = Self.switching()
        harness.message(2, on: 2)
        harness.message(2, on: 1)
        #expect(harness.closes.map(\.socket) == [1])
        harness.close(2, code: 1006, by: .transport)
        harness.close(1, code: 1000, by: .us)
        harness.advance(1)
        #expect(harness.dials.count == 3)
        harness.send(.opened(socket: 3))
        harness.token(3)
        #expect(harness.dials.count == 4)
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

    @Test("both sockets end after the first message of all: the next one is asked for what follows")
    func bothEndAfterFirst() {
        let harness = FeedHarness.open(asksSince: true)
        harness.token(2)
        harness.send(.opened(socket: 2))
        harness.message(190, on: 2)
        harness.close(2, code: 1006, by: .transport)
        harness.close(1, code: 1006, by: .transport)
        harness.advance(1)
        #expect(harness.applied == ["190"])
        #expect(harness.dials.last?.since == "190")
    }

    @Test("both sockets end with messages missing: the next one brings them, in order")
    func bothEndWithGap() {
        let harness = FeedHarness.open(asksSince: true)
        harness.token(2)
        harness.send(.opened(socket: 2))
        harness.message(185, on: 1)
        harness.message(188, on: 2)
        harness.close(2, code: 1013)
        harness.close(1, code: 1013)
        harness.advance(30)
        #expect(harness.dials.last?.since == "185")
        let socket = harness.dials.last?.socket ?? 0
        harness.send(.opened(socket: socket))
        for seq in Int64(186)...189 { harness.message(seq, on: socket) }
        #expect(harness.applied == ["185", "186", "187", "188", "189"])
    }

    @Test("a socket dialed before the first message lacks what came since: another one is asked")
    func dialedTooEarly() {
        let harness = FeedHarness.open(asksSince: true)
        harness.token(2)
        harness.message(37, on: 1)
        harness.close(1, code: 1008)
        harness.send(.opened(socket: 2))
        harness.message(39, on: 2)
        harness.message(40, on: 2)
        #expect(harness.applied == ["37"])
        #expect(harness.closes.map(\.socket) == [2])
        harness.close(2, code: 1000, by: .us)
        #expect(harness.dials.map(\.since) == [nil, nil, "37"])
        harness.send(.opened(socket: 3))
        for seq in Int64(38)...40 { harness.message(seq, on: 3) }
        #expect(harness.applied == ["37", "38", "39", "40"])
    }

    @Test("one that is open by then is replaced too once the old one has ended too early")
    func openedTooEarly() {
        let harness = FeedHarness.open(asksSince: true)
        harness.token(2)
        harness.message(37, on: 1)
        harness.send(.opened(socket: 2))
        harness.message(39, on: 2)
        harness.close(1, code: 1008)
        #expect(harness.applied == ["37"])
        harness.close(2, code: 1000, by: .us)
        #expect(harness.dials.last?.since == "37")
        harness.send(.opened(socket: 3))
        for seq in Int64(38)...39 { harness.message(seq, on: 3) }
        #expect(harness.applied == ["37", "38", "39"])
    }

    @Test("what such a socket brings waits for a successor that was asked")
    func successorWasAsked() {
        let harness = FeedHarness.open(asksSince: true)
        harness.token(2)
        harness.message(37, on: 1)
        harness.close(1, code: 1008)
        harness.token(3)
        harness.send(.opened(socket: 2))
        harness.message(39, on: 2)
        harness.message(40, on: 2)
        #expect(harness.dials.last?.since == "37")
        harness.send(.opened(socket: 3))
        for seq in Int64(38)...40 { harness.message(seq, on: 3) }
        #expect(harness.applied == ["37", "38", "39", "40"])
        #expect(harness.closes.map(\.socket) == [2])
    }

    @Test("a socket ends with the first message still waiting: the next one is asked for it")
    func endsWithFirstWaiting() {
        let harness = FeedHarness.open(asksSince: true)
        harness.token(2)
        harness.send(.opened(socket: 2))
        harness.advance(1)
        // The old socket is told to close, and does not answer yet.
        harness.advance(2)
        #expect(harness.closes.map(\.socket) == [1])
        harness.message(1323, on: 2)
        harness.close(2, code: 1008)
        harness.token(3)
        #expect(harness.dials.last?.since == "1322")
        harness.send(.opened(socket: 3))
        harness.message(1323, on: 3)
        harness.message(1324, on: 3)
        harness.close(1, code: 1000, by: .us)
        harness.advance(5)
        #expect(harness.applied == ["1323", "1324"])
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
        let harness = FeedHarness.open(following: .message)
        harness.token(2)
        #expect(harness.reauthentications.map(\.generation) == [2])
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
                let harness = Self.switching()
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
