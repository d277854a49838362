import Basics
import Testing

@testable import Model
@testable import Observer

/// An answer to an app that had closed its connection.
@Suite("An answer that the app did not wait for")
struct LostDeliveryTests {
    private static func giveUp(_ script: inout TrafficScript) -> Int {
        script.logIn()
        script.wait(290)
        let lost = script.askRefresh(1)
        script.wait(3)
        script.giveUp(lost)
        script.wait(3)
        script.answer(lost, 200, TrafficScript.pair(2))
        script.deliver(lost, whole: false)
        return lost
    }

    @Test("is said to have been given up, with the times")
    func message() throws {
        var script = TrafficScript()
        let lost = Self.giveUp(&script)
        script.wait(5)
        script.refuseRefresh(1)
        let finding = try #require(ObservationRun(script).findings.first)
        let beginning = "the app gave up #\(lost) after 3 s, 3 s before its answer"
        #expect(finding.message.hasPrefix(beginning))
    }

    @Test(
        "is in doubt where the app resets its connection right after it, until it shows that it has it",
        arguments: [true, false]
    )
    func doubted(hasRead: Bool) throws {
        var script = TrafficScript()
        script.logIn()
        script.wait(290)
        let renewal = script.renew(1)
        script.deliver(renewal, whole: false)
        script.connection = 2
        script.wait(1)
        if hasRead { script.call(2) }
        script.wait(10)
        script.refuseRefresh(1)
        let run = ObservationRun(script)
        let finding = try #require(run.findings.first, "\(run.summary)")
        #expect(run.findings.count == 1 && finding.rule == "spent-refresh", "\(run.summary)")
        #expect(finding.confidence == (hasRead ? .certain : .likely))
    }

    @Test("is no matter for a race, which began before the answer came")
    func race() throws {
        var script = TrafficScript()
        script.logIn()
        script.wait(290)
        let first = script.askRefresh(1)
        script.wait(0.013)
        let second = script.askRefresh(1)
        script.finish(second, 200, TrafficScript.pair(2))
        script.deliver(second, whole: false)
        script.finish(first, 401, ["error": "invalid_grant"])
        let run = ObservationRun(script)
        let finding = try #require(run.findings.first, "\(run.summary)")
        #expect(finding.rule == "race" && finding.confidence == .certain, "\(run.summary)")
    }

    @Test("brings nothing that the app can be blamed for not having: the session is over with it")
    func ends() {
        var script = TrafficScript()
        _ = Self.giveUp(&script)
        script.wait(5)
        let again = script.refuseRefresh(1)
        let run = ObservationRun(script)
        let family = run.machine.traffic.graph.families[1]
        #expect(family?.end == .refreshRefused)
        #expect(family?.endedIn == again)
    }

    @Test("is marked in the request's row, and so is what it brought")
    func row() {
        var script = TrafficScript()
        let lost = Self.giveUp(&script)
        let session = SessionSnapshot(folding: ObservationRun(script, after: 1).events)
        let row = session.requests.entry(numbered: lost)
        #expect(row?.exchange.isUndelivered == true)
        #expect(row.flatMap(session.followUp) == .undelivered(issued: 2))
    }

    @Test("is no other request at the same time: the next one is a retry")
    func retry() {
        var script = TrafficScript()
        script.logIn()
        script.wait(290)
        let lost = script.askRefresh(1)
        script.wait(3)
        script.giveUp(lost)
        script.wait(0.1)
        let again = script.askRefresh(1)
        script.finish(again, 200, TrafficScript.pair(2))
        script.answer(lost, 200, TrafficScript.pair(3))
        script.deliver(lost, whole: false)
        let run = ObservationRun(script)
        #expect(!run.findings.contains { $0.rule == "race" }, "\(run.summary)")
    }
}
