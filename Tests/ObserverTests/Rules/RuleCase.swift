import Model
import Observer
import Testing

/// A client that breaks a rule, and one that does nearly the same and keeps it.
struct RuleCase: Sendable, CustomTestStringConvertible {
    let rule: String
    let variant: String?
    let severity: ObservedFinding.Severity
    let confidence: ObservedFinding.Confidence
    /// Writes down what happens, and returns the exchanges that prove the finding.
    let villain: @Sendable (inout TrafficScript) -> [Int]
    let twin: @Sendable (inout TrafficScript) -> Void

    init(
        _ rule: String,
        _ variant: String? = nil,
        _ severity: ObservedFinding.Severity = .bug,
        _ confidence: ObservedFinding.Confidence = .certain,
        villain: @escaping @Sendable (inout TrafficScript) -> [Int],
        twin: @escaping @Sendable (inout TrafficScript) -> Void
    ) {
        self.rule = rule
        self.variant = variant
        self.severity = severity
        self.confidence = confidence
        self.villain = villain
        self.twin = twin
    }

    var testDescription: String { [rule, variant].compactMap(\.self).joined(separator: "/") }
}

@Suite("Every rule of findings")
struct RuleTests {
    static let cases: [RuleCase] = [
        RuleCase.refreshing, RuleCase.losing, RuleCase.sending, RuleCase.sockets, RuleCase.ending,
        RuleCase.lifetimes, RuleCase.grants, RuleCase.backends, RuleCase.clobberedCookies,
        RuleCase.faultyRequests, RuleCase.unprotectedTokens, RuleCase.intervals, RuleCase.unnamed,
        RuleCase.wordedRefusals, RuleCase.credentials, RuleCase.cookies, RuleCase.tellingAnswers,
        RuleCase.proofs, RuleCase.soundHabits, RuleCase.pages,
    ].flatMap(\.self)

    @Test("has a client that breaks it")
    func everyRule() {
        #expect(Set(Self.cases.map(\.rule)) == Set(FindingRule.all.map(\.name)))
        #expect(Set(FindingRule.all.map(\.name)).count == FindingRule.all.count)
    }

    @Test(
        "finds the client that breaks it, by the exchanges that prove it, and nothing else",
        arguments: cases
    )
    func villain(item: RuleCase) throws {
        var script = TrafficScript()
        let expected = item.villain(&script)
        let run = ObservationRun(script)
        try #require(run.findings.count == 1, "\(run.summary)")
        let finding = run.findings[0]
        #expect(finding.rule == item.rule)
        #expect(finding.variant == item.variant)
        #expect(finding.severity == item.severity)
        #expect(finding.confidence == item.confidence)
        #expect(finding.exchanges == expected, "\(run.summary)")
        #expect(!finding.message.isEmpty && !finding.remedy.isEmpty)
    }

    @Test("finds nothing in the client that keeps it", arguments: cases)
    func twin(item: RuleCase) {
        var script = TrafficScript()
        item.twin(&script)
        let run = ObservationRun(script)
        #expect(run.findings.isEmpty, "\(run.summary)")
    }

    @Test("finds the same in what was recorded", arguments: cases)
    func replay(item: RuleCase) throws {
        var script = TrafficScript()
        _ = item.villain(&script)
        let run = ObservationRun(script)
        let again = ObservationRun(run.inputs, like: run)
        #expect(again.findings == run.findings)
        #expect(again.events == run.events)
    }
}
