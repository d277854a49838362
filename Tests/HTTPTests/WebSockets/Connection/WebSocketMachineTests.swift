import Testing

@testable import HTTP

@Suite("Machine: one side of a connection")
struct WebSocketMachineTests {
    private static let bye = frame(8, [0x11, 0x31] + "bye".bytes)
    private static let byeFrame = CloseFrame(code: 4401, reason: "bye")
    private static let ours = CloseFrame(code: 1000, reason: "done")

    private var machine = WebSocketMachine(expectsMask: false, limits: WebSocketLimits())

    private mutating func receive(_ bytes: [UInt8]) -> [WebSocketMachine.Action] {
        var offset = 0
        var actions: [WebSocketMachine.Action] = []
        while let next = machine.next(in: bytes.span, from: &offset) { actions += next }
        #expect(offset == bytes.count)
        return actions
    }

    private static func report(
        _ code: UInt16,
        _ reason: String,
        _ initiator: WebSocketCloseReport.Initiator,
        clean: Bool
    ) -> WebSocketMachine.Action {
        .finish(
            WebSocketCloseReport(code: code, reason: reason, initiator: initiator, clean: clean)
        )
    }

    @Test("a ping is answered with its payload, before it is told")
    mutating func ping() {
        let actions = receive(frame(9, [1, 2]) + frame(9))
        #expect(
            actions == [
                .pong([1, 2]), .deliver(.ping([1, 2])), .pong([]), .deliver(.ping([])),
            ]
        )
    }

    @Test("the peer's close is echoed with its code, and what follows is passed over")
    mutating func peerCloses() {
        let actions = receive(Self.bye + frame(1, "late".bytes) + [0xFF, 0xFF])
        #expect(
            actions == [
                .sendClose(CloseFrame(code: 4401, reason: "")),
                Self.report(4401, "bye", .peer, clean: true),
            ]
        )
        #expect(machine.phase == .finished)
    }

    @Test("a close frame without a code is echoed without one, and reads as 1005")
    mutating func peerClosesWithoutCode() {
        let actions = receive(frame(8))
        #expect(
            actions == [
                .sendClose(CloseFrame(code: 1005, reason: "")),
                Self.report(1005, "", .peer, clean: true),
            ]
        )
    }

    @Test("our close waits for the peer's; messages before that are told, pings stay unanswered")
    mutating func weClose() {
        #expect(machine.close(Self.ours) == [.sendClose(Self.ours)])
        #expect(machine.close(Self.byeFrame) == [])
        let early = receive(frame(1, "early".bytes) + frame(9))
        #expect(early == [.deliver(.text("early"))])
        let last = receive(Self.bye)
        #expect(last == [Self.report(4401, "bye", .us, clean: true)])
    }

    @Test("a peer that never answers our close is dropped when the time is up")
    mutating func noAnswer() {
        _ = machine.close(Self.ours)
        let actions = machine.timedOut()
        #expect(
            actions == [Self.report(1006, "no close frame in time", .us, clean: false), .drop]
        )
    }

    @Test("a peer that closed and keeps the transport is dropped when the time is up")
    mutating func lingering() {
        _ = receive(Self.bye)
        #expect(machine.timedOut() == [.drop])
    }

    private static let failure: [WebSocketMachine.Action] = [
        .sendClose(CloseFrame(code: 1002, reason: "unknown opcode 3")),
        report(1002, "unknown opcode 3", .us, clean: false),
    ]

    @Test("a mistake is answered with its code once what came before it is handled, and ends it")
    mutating func mistake() {
        let actions = receive(frame(1, "first".bytes) + frame(3) + frame(1, "second".bytes))
        #expect(actions == [.deliver(.text("first")), .settle])
        #expect(machine.settled() == Self.failure)
        #expect(machine.settled() == [])
        #expect(machine.phase == .finished)
    }

    @Test(
        "a mistake is answered at the latest when the time is up, we close, or the transport ends"
    )
    mutating func mistakeAtLast() {
        let unsettled = machine
        _ = receive(frame(3))
        let ends: [(inout WebSocketMachine) -> [WebSocketMachine.Action]] = [
            { $0.timedOut() }, { $0.close(Self.ours) },
            { $0.transportEnded("reset", by: .transport) },
        ]
        for end in ends {
            machine = unsettled
            #expect(receive(frame(3)) == [.settle])
            #expect(end(&machine) == Self.failure)
        }
    }

    @Test("a mistake after our close ends it without a second close frame")
    mutating func mistakeWhileClosing() {
        _ = machine.close(Self.ours)
        let actions = receive(frame(3))
        #expect(actions == [Self.report(1002, "unknown opcode 3", .us, clean: false)])
    }

    @Test("a transport that ends without a close frame is 1006")
    mutating func transportEnds() {
        let actions = machine.transportEnded("reset", by: .transport)
        #expect(actions == [Self.report(1006, "reset", .transport, clean: false)])
    }

    @Test("a transport that ends instead of the peer's close is 1006, begun by us")
    mutating func transportEndsWhileClosing() {
        _ = machine.close(Self.ours)
        let actions = machine.transportEnded("reset", by: .transport)
        #expect(actions == [Self.report(1006, "reset", .us, clean: false)])
    }

    @Test("after the end nothing more is reported")
    mutating func afterTheEnd() {
        _ = receive(Self.bye)
        #expect(receive(Self.bye + frame(1, "late".bytes)) == [])
        #expect(machine.close(Self.ours) == [])
        #expect(machine.transportEnded("reset", by: .transport) == [])
    }
}
