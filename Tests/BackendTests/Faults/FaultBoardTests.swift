import Backend
import Testing
import Timekeeping

@Suite("Backend: which faults act")
struct FaultBoardTests {
    /// The names of the faults that act on so many exchanges.
    private func acting(
        _ board: inout FaultBoard,
        on kind: ExchangeKind,
        times: Int
    ) -> [[String]] {
        var random = SeededGenerator(seed: 1)
        return (0..<times).map { _ in
            board.faults(for: kind, drawing: &random).map(\.name)
        }
    }

    @Test("nothing acts that was not switched on")
    func off() {
        var board = FaultBoard()
        for kind in ExchangeKind.allCases {
            #expect(acting(&board, on: kind, times: 1) == [[]])
        }
        #expect(board.fired.isEmpty)
        #expect(board.statuses.allSatisfy { $0.state == "off" && $0.fired == 0 })
        #expect(board.statuses.map(\.name) == KnownFault.all.map(\.name))
    }

    @Test(
        "it acts as often as it was told to",
        arguments: [
            ("delay", 5, "on"), ("delay:once", 1, "off"), ("delay:next=3", 3, "off"),
            ("delay:next=7", 5, "next=2"), ("delay:p=1", 5, "p=1.0"), ("delay:off", 0, "off"),
        ]
    )
    func times(text: String, count: Int, state: String) throws {
        var board = FaultBoard([try FaultSwitch(parsing: text)])
        let acting = acting(&board, on: .refresh, times: 5)
        #expect(acting.map(\.count).reduce(0, +) == count)
        #expect(board.fired["delay", default: 0] == count)
        #expect(board.statuses.first { $0.name == "delay" }?.state == state)
    }

    @Test("with a probability it acts about so often, and equal seeds agree")
    func chance() throws {
        var board = FaultBoard([try FaultSwitch(parsing: "delay:p=0.2")])
        var other = board
        let acting = acting(&board, on: .login, times: 2000)
        #expect((300...500).contains(acting.count { !$0.isEmpty }))
        #expect(self.acting(&other, on: .login, times: 2000) == acting)
    }

    @Test("an exchange in which it cannot show, or that it is not meant for, does not use it up")
    func kinds() throws {
        let switches = try ["delay:once:refresh", "bare-refusal:once"].map {
            try FaultSwitch(parsing: $0)
        }
        var board = FaultBoard(switches)
        for kind in ExchangeKind.allCases where kind != .refresh {
            #expect(acting(&board, on: kind, times: 1) == [[]])
        }
        #expect(acting(&board, on: .refresh, times: 2) == [["delay", "bare-refusal"], []])
    }

    @Test("the last word on a fault counts, and its count goes on")
    func replaced() throws {
        var board = FaultBoard([try FaultSwitch(parsing: "delay")])
        _ = acting(&board, on: .login, times: 2)
        board.set(try FaultSwitch(parsing: "delay:once:seconds=3"))
        _ = acting(&board, on: .login, times: 2)
        #expect(board.fired == ["delay": 3])
        for setting in FaultSwitch.allOff { board.set(setting) }
        #expect(acting(&board, on: .login, times: 1) == [[]])
    }

    @Test("the number that was given with it is the fault's")
    func value() throws {
        var board = FaultBoard([try FaultSwitch(parsing: "feed-close:once:code=4401")])
        var random = SeededGenerator(seed: 1)
        #expect(board.turn(at: .dialled, drawing: &random).close == nil)
        #expect(board.turn(at: .message, drawing: &random).close?.code == 4401)
        #expect(board.turn(at: .message, drawing: &random).close == nil)
        #expect(board.fired == ["feed-close": 1])
    }
}
