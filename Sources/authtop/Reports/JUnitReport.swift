import Client
import Model
import Observer
import UI

/// The findings as JUnit's XML: a suite for each rule, in it a case for each finding, and for each
/// test that was named; and a suite for the experiments.
struct JUnitReport {
    let report: FindingsReport
    /// Which findings are failures.
    let limit: FindingsReport.Limit

    var text: String {
        let failing = Set(report.failing(limit).map(\.number))
        let suites = FindingRule.all.map { suite(of: $0, failing: failing) }
        return JUnitDocument(suites: suites + experiments + missing).lines
            .joined(separator: "\n") + "\n"
    }

    private var missing: [JUnitDocument.Suite] {
        guard !report.omissions.isEmpty else { return [] }
        let cases = report.omissions.map { text in
            JUnitDocument.Case(group: "missing", name: text, result: .skipped(text))
        }
        return [JUnitDocument.Suite(name: "missing", cases: cases)]
    }

    private var experiments: [JUnitDocument.Suite] {
        guard !report.scorecards.isEmpty else { return [] }
        let cases = report.scorecards.map { scorecard in
            let failed = scorecard.lines.filter { $0.verdict == .failed }
            let texts = scorecard.lines.map(ScorecardText.sentence)
            let result: JUnitDocument.Result =
                switch scorecard.verdict {
                case .passed: .passed
                case .failed:
                    .failed(failed.map(ScorecardText.sentence).joined(separator: "; "))
                case .open, .notReached: .skipped("the app's traffic does not show it")
                }
            let name = [scorecard.mark, "\(scorecard.experiment) \(scorecard.number)"]
            return JUnitDocument.Case(
                group: "experiments",
                name: name.compactMap(\.self).joined(separator: ": "),
                result: result,
                output: texts
            )
        }
        return [JUnitDocument.Suite(name: "experiments", cases: cases)]
    }

    private func suite(of rule: FindingRule, failing: Set<Int>) -> JUnitDocument.Suite {
        let own = report.findings.filter { $0.rule == rule.name }
        let none = JUnitDocument.Case(group: rule.name, name: "not found", result: .passed)
        let passed = report.marks.filter { mark in !own.contains { $0.mark == mark } }
            .map { JUnitDocument.Case(group: rule.name, name: $0, result: .passed) }
        let cases = own.map { testCase(of: $0, isFailure: failing.contains($0.number)) } + passed
        return JUnitDocument.Suite(name: rule.name, cases: cases.isEmpty ? [none] : cases)
    }

    private func testCase(
        of finding: ObservedFinding,
        isFailure: Bool
    ) -> JUnitDocument.Case {
        let exchanges = finding.exchanges.map { "#\($0)" }.joined(separator: " ")
        return JUnitDocument.Case(
            group: finding.rule,
            name: [finding.mark.map { "\($0):" } ?? "", finding.path ?? "", exchanges]
                .filter { !$0.isEmpty }.joined(separator: " "),
            result: isFailure ? .failed(finding.message) : .passed,
            output: [finding.message, finding.remedy]
        )
    }
}
