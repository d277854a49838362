import Glibc
import Lifecycle
import Observation

/// The findings as JUnit's XML: a suite for each rule, in it a case for each finding.
struct JUnitReport {
    let findings: [ObservedFinding]
    /// Whether a finding is a failure.
    let isFailure: (ObservedFinding) -> Bool

    var text: String {
        let suites = FindingRule.all.map(suite(of:))
        let failures = findings.count(where: isFailure)
        let cases = FindingRule.all.reduce(0) { $0 + max(1, count(of: $1)) }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="authtop proxy" tests="\(cases)" failures="\(failures)">
            \(suites.joined(separator: "\n"))
            </testsuites>

            """
    }

    /// Writes the file, in place of one that is there.
    ///
    /// - Throws: `CommandFailure` if it cannot be written.
    func write(to path: String) throws(CommandFailure) {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure(.badInput, "--junit \(path): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else {
                throw CommandFailure(
                    .badInput,
                    "--junit \(path): \(String(cString: strerror(errno)))"
                )
            }
            rest = rest.dropFirst(max(0, count))
        }
    }

    private func count(of rule: FindingRule) -> Int {
        findings.count { $0.rule == rule.name }
    }

    private func suite(of rule: FindingRule) -> String {
        let own = findings.filter { $0.rule == rule.name }
        let cases =
            own.isEmpty
            ? ["    <testcase classname=\"\(rule.name)\" name=\"not found\"/>"]
            : own.map { testCase(of: $0) }
        let failures = own.count(where: isFailure)
        return """
              <testsuite name="\(rule.name)" tests="\(cases.count)" failures="\(failures)">
            \(cases.joined(separator: "\n"))
              </testsuite>
            """
    }

    private func testCase(of finding: ObservedFinding) -> String {
        let place = [finding.path].compactMap(\.self).joined()
        let exchanges = finding.exchanges.map { "#\($0)" }.joined(separator: " ")
        let name = [place, exchanges].filter { !$0.isEmpty }.joined(separator: " ")
        let start =
            "    <testcase classname=\"\(finding.rule)\" name=\"\(Self.escaped(name))\">"
        let text = Self.escaped("\(finding.message)\n\(finding.remedy)")
        let inner =
            isFailure(finding)
            ? "      <failure message=\"\(Self.escaped(finding.message))\">\(text)</failure>"
            : "      <system-out>\(text)</system-out>"
        return "\(start)\n\(inner)\n    </testcase>"
    }

    /// Text for XML 1.0, without the characters that it does not allow.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\t", "\n": result.unicodeScalars.append(scalar)
            case "\u{20}"..."\u{D7FF}", "\u{E000}"..."\u{FFFD}", "\u{10000}"..."\u{10FFFF}":
                result.unicodeScalars.append(scalar)
            default: result += "?"
            }
        }
    }
}
