import Basics
import Client
import Testing

@testable import Model

/// Sockets that end at the wrong time, and what the next one has to be asked for.
@Suite("FeedMachine: sockets that end during a rotation")
struct FeedSwitchEndTests {
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
        let harness = FeedHarness.switching()
        harness.close(1, code: 4401)
        harness.message(2, on: 2)
        #expect(harness.applied == ["1", "2"])
        #expect(harness.switches.map(\.to) == [2])
        #expect(harness.state.name == "open")
    }

    @Test("the new socket ends just after the switch: the old one serves again")
    func newEnds() {
        let harness = FeedHarness.switching()
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
        let harness = FeedHarness.switching()
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

    @Test("a socket whose end is slow to come delays the next switch: there are never three")
    func endIsSlow() {
        let harness = FeedHarness.switching()
        harness.message(2, on: 2)
        harness.message(2, on: 1)
        #expect(harness.closes.map(\.socket) == [1])
        harness.advance(3)
        harness.token(3)
        harness.advance(1)
        #expect(harness.dials.count == 2)
        harness.message(3, on: 2)
        #expect(harness.applied == ["1", "2", "3"])
        harness.close(1, code: 1006, by: .us)
        harness.advance(0.1)
        #expect(harness.dials.count == 3)
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

    /// A feed whose second socket was dialed before the first message of all, and lacks those that
    /// came until it was open; the third one, which is open too, was asked for them.
    private static func withOneAsked() -> FeedHarness {
        let harness = FeedHarness.open(asksSince: true)
        harness.token(2)
        harness.message(37, on: 1)
        harness.close(1, code: 4401)
        harness.token(3)
        harness.send(.opened(socket: 2))
        harness.send(.opened(socket: 3))
        #expect(harness.dials.map(\.since) == [nil, nil, "37"])
        return harness
    }

    @Test(
        "what such a socket brings is left to the one that was asked, before and after the switch",
        arguments: [0.5, 1.5]
    )
    func isLeftToTheOneAsked(after seconds: Double) {
        let harness = Self.withOneAsked()
        harness.advance(seconds)
        harness.message(39, on: 2)
        #expect(harness.applied == ["37"])
        harness.message(38, on: 3)
        harness.message(39, on: 3)
        #expect(harness.applied == ["37", "38", "39"])
    }

    @Test("and if that one falls silent, nothing is passed over: the next one is asked again")
    func theOneAskedFallsSilent() {
        let harness = Self.withOneAsked()
        harness.message(39, on: 2)
        harness.advance(4)
        harness.close(2, code: 1000, by: .us)
        harness.advance(40)
        #expect(harness.applied == ["37"])
        harness.close(3, code: 1001, by: .us)
        harness.advance(5)
        #expect(harness.dials.last?.since == "37")
        harness.send(.opened(socket: 4))
        for seq in Int64(38)...40 { harness.message(seq, on: 4) }
        #expect(harness.applied == ["37", "38", "39", "40"])
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
}
