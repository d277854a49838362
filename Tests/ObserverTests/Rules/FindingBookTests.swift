import Basics
import Profiles
import Testing

@testable import Model
@testable import Observer

@Suite("What was found")
struct FindingBookTests {
    @Test("stays as bad and as certain as it was, whatever milder comes later")
    func worst() throws {
        var script = TrafficScript()
        script.logIn()
        script.wait(290)
        let first = script.askRefresh(1)
        script.connection = 2
        let second = script.askRefresh(1)
        script.finish(first, 200, TrafficScript.pair(2))
        script.finish(second, 401, ["error": "spent"])
        let certain = ObservationRun(script, after: 0)
        // Within the time in which the app may not have stored what the first one has brought.
        script.wait(0.05)
        let third = script.askRefresh(1)
        script.finish(third, 401, ["error": "spent"])
        let run = ObservationRun(script, after: 0)
        let before = try #require(certain.findings.first { $0.rule == "race" })
        let race = try #require(run.findings.first { $0.rule == "race" }, "\(run.summary)")
        #expect(before.confidence == .certain)
        #expect(race.confidence == .certain)
        #expect(race.message == before.message)
        #expect(race.count == 2)
        #expect(Set(race.exchanges) == [first, second, third])
    }

    @Test("takes up a reference for each evidence that it repeats: thousands of reports are kept")
    func size() {
        #expect(MemoryLayout<FindingEvidence>.size == MemoryLayout<AnyObject>.size)
    }

    @Test("keeps the evidence of what it states, however much comes later")
    func evidence() throws {
        var script = TrafficScript()
        script.logIn()
        script.wait(310)
        let refused = script.dial("/feed", bearer: TrafficScript.access(1))
        script.finish(refused, 401)
        for _ in 1...40 {
            script.wait(20)
            let dial = script.dial("/feed", bearer: TrafficScript.access(1))
            script.open(dial)
            script.close(dial, by: .app, code: 1000)
        }
        let run = ObservationRun(script, after: 0)
        let dial = try #require(run.findings.first { $0.rule == "socket-stale-dial" })
        #expect(dial.severity == .bug)
        #expect(dial.count == 41)
        #expect(dial.evidence.count == ObservedFinding.evidenceLimit)
        #expect(dial.exchanges.contains(refused))
        // A line about it repeats nothing of the evidence, and all of them together lack nothing.
        let reports = run.events.compactMap { event -> ObservedFinding? in
            guard let finding = event.kind as? ObservedFinding else { return nil }
            return finding.number == dial.number ? finding : nil
        }
        let reported = reports.flatMap(\.newEvidence)
        #expect(reports.count > 40)
        #expect(Set(reported).isSuperset(of: dial.evidence))
        #expect(reported.count < 2 * reports.count)
    }

    @Test("a test that names itself in a request is one of the run's tests")
    func marks() {
        var script = TrafficScript()
        script.logIn()
        for name in ["keeps me in", "keeps me in", "logs me out"] {
            let call = script.send(
                "GET",
                "/items",
                bearer: TrafficScript.access(1),
                headers: [WireHeader("X-Authtop-Mark", name)]
            )
            script.finish(call, 200)
        }
        let run = ObservationRun(script, after: 0)
        #expect(run.machine.marks == ["keeps me in", "logs me out"])
        #expect(run.machine.mark == nil)
    }
}
