import Basics
import Testing

@testable import Backend
@testable import Model

@Suite("Backend: which faults act")
struct FaultControllerTests {
    /// The names of the faults that act on this many exchanges.
    private func acting(
        _ faultController: inout FaultController,
        on kind: ExchangeKind,
        times: Int
    ) -> [[String]] {
        var random = SeededGenerator(seed: 1)
        return (0..<times).map { _ in
            faultController.faults(for: kind, drawing: &random).map(\.name)
        }
    }

    @Test("nothing acts that was not switched on")
    func off() {
        var faultController = FaultController()
        for kind in ExchangeKind.allCases {
            #expect(acting(&faultController, on: kind, times: 1) == [[]])
        }
        #expect(faultController.fired.isEmpty)
        #expect(faultController.statuses.allSatisfy { $0.state == "off" && $0.fired == 0 })
        #expect(faultController.statuses.map(\.name) == Fault.ofBackend.map(\.name))
    }

    @Test(
        "it acts as often as it was told to",
        arguments: [
            ("delay", 5, "on"), ("delay:once", 1, "off"), ("delay:next=3", 3, "off"),
            ("delay:next=7", 5, "next=2"), ("delay:p=1", 5, "p=1.0"), ("delay:off", 0, "off"),
        ]
    )
    func times(text: String, count: Int, state: String) throws {
        var faultController = FaultController([try FaultSetting(parsing: text, at: .backend)])
        let acting = acting(&faultController, on: .refresh, times: 5)
        #expect(acting.map(\.count).reduce(0, +) == count)
        #expect(faultController.fired["delay", default: 0] == count)
        #expect(faultController.statuses.first { $0.name == "delay" }?.state == state)
    }

    @Test("with a probability it acts about so often, and equal seeds agree")
    func chance() throws {
        var faultController = FaultController([
            try FaultSetting(parsing: "delay:p=0.2", at: .backend)
        ])
        var other = faultController
        let acting = acting(&faultController, on: .login, times: 2000)
        #expect((300...500).contains(acting.count { !$0.isEmpty }))
        #expect(self.acting(&other, on: .login, times: 2000) == acting)
    }

    @Test("an exchange in which it cannot show, or that it is not meant for, does not use it up")
    func kinds() throws {
        let switches = try ["delay:once:refresh", "bare-refusal:once"].map {
            try FaultSetting(parsing: $0, at: .backend)
        }
        var faultController = FaultController(switches)
        for kind in ExchangeKind.allCases where kind != .refresh {
            #expect(acting(&faultController, on: kind, times: 1) == [[]])
        }
        #expect(
            acting(&faultController, on: .refresh, times: 2) == [["delay", "bare-refusal"], []]
        )
    }

    @Test("the last word on a fault counts, and its count goes on")
    func replaced() throws {
        var faultController = FaultController([try FaultSetting(parsing: "delay", at: .backend)])
        _ = acting(&faultController, on: .login, times: 2)
        faultController.set(try FaultSetting(parsing: "delay:once:seconds=3", at: .backend))
        _ = acting(&faultController, on: .login, times: 2)
        #expect(faultController.fired == ["delay": 3])
        for setting in FaultSetting.allOff(at: .backend) { faultController.set(setting) }
        #expect(acting(&faultController, on: .login, times: 1) == [[]])
    }

    @Test("the number that was given with it is the fault's")
    func value() throws {
        var faultController = FaultController([
            try FaultSetting(parsing: "feed-close:once:code=4401", at: .backend)
        ])
        var random = SeededGenerator(seed: 1)
        #expect(faultController.decision(at: .dialed, drawing: &random).close == nil)
        #expect(faultController.decision(at: .message, drawing: &random).close?.code == 4401)
        #expect(faultController.decision(at: .message, drawing: &random).close == nil)
        #expect(faultController.fired == ["feed-close": 1])
    }
}
