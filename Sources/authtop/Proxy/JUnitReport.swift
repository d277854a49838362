import Glibc
import Lifecycle
import Observation

/// The findings as JUnit's XML: a suite for each rule, in it a case for each finding.
struct JUnitReport {
    let findings: [ObservedFinding]
    /// Whether a finding is a failure.
    let isFailure: (ObservedFinding) -> Bool

    var lines: [String] {
        JUnitDocument(suites: FindingRule.all.map(suite)).lines
    }

    /// Writes the file, in place of one that is there; only its owner can read it.
    ///
    /// - Throws: `CommandFailure` if it cannot be written.
    func write(to path: String) throws(CommandFailure) {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC
        let descriptor = open(path, flags, 0o600)
        let reason = {
            CommandFailure(.badInput, "--junit \(path): \(String(cString: strerror(errno)))")
        }
        guard descriptor >= 0 else { throw reason() }
        defer { close(descriptor) }
        let bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
        guard fchmod(descriptor, 0o600) == 0,
            Glibc.write(descriptor, bytes, bytes.count) == bytes.count
        else { throw reason() }
    }

    private func suite(of rule: FindingRule) -> JUnitDocument.Suite {
        let own = findings.filter { $0.rule == rule.name }
        let none = JUnitDocument.Case(group: rule.name, name: "not found", result: .passed)
        return JUnitDocument.Suite(name: rule.name, cases: own.isEmpty ? [none] : own.map(testCase))
    }

    private func testCase(of finding: ObservedFinding) -> JUnitDocument.Case {
        let exchanges = finding.exchanges.map { "#\($0)" }.joined(separator: " ")
        return JUnitDocument.Case(
            group: finding.rule,
            name: [finding.path ?? "", exchanges].filter { !$0.isEmpty }.joined(separator: " "),
            result: isFailure(finding) ? .failed(finding.message) : .passed,
            output: [finding.message, finding.remedy]
        )
    }
}
