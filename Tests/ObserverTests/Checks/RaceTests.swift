import Backend
import Basics
import Profiles
import Testing

@testable import Observer

@Suite("Two refreshes at once")
struct RaceTests {
    private func race(_ trouble: VirtualTrouble) throws -> (verdict: Verdict?, CheckReport) {
        let dialect = try #require(Dialect.builtIn(named: "intellipost"))
        var policy = BackendPolicy(of: dialect, refreshLifetime: 600, reuse: .strict)
        policy.rotation = .replaces
        var check = VirtualCheck(dialect: dialect, policy: policy)
        check.trouble = trouble
        let report = check.run().report
        #expect(report.policy.verdict == .strict)
        let verdict = report.verdicts.first { verdict in
            switch verdict {
            case .race, .raceUnclear: true
            default: false
            }
        }
        return (verdict, report)
    }

    @Test("that make the server fail are said to do so, and are not sent again for that")
    func serverError() throws {
        let (verdict, report) = try race(VirtualTrouble(failingRaces: 0..<100))
        guard case .race(.serverError, _)? = verdict else {
            Issue.record("\(String(describing: verdict))")
            return
        }
        #expect(report.sent.logins <= report.plan.total.logins)
        #expect(report.sent.requests <= report.plan.total.requests)
    }

    @Test("are not blamed for a single failure")
    func once() throws {
        guard case .race(.oneWins, _)? = try race(VirtualTrouble(failingRaces: 1..<2)).verdict
        else {
            Issue.record("another verdict")
            return
        }
    }

    @Test("are not blamed where other requests fail, too")
    func elsewhere() throws {
        let trouble = VirtualTrouble(failingRaces: 0..<100, failsOnce: true)
        #expect(try race(trouble).verdict == .raceUnclear)
    }
}
