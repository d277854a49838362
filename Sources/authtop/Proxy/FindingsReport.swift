import Backend
import Dashboard
import Lifecycle
import Observation

/// The findings of a run as text, and whether they make it fail.
struct FindingsReport {
    let findings: [ObservedFinding]

    /// Which findings make a run fail.
    enum Limit: Sendable, Equatable {
        case none
        /// Bugs that are certain, and that no experiment caused.
        case bugs
        /// Findings of these rules.
        case rules(Set<String>)

        /// Parses `bugs`, `none`, or names of rules.
        ///
        /// - Throws: `CommandFailure` for a rule that does not exist.
        init(parsing text: String) throws(CommandFailure) {
            switch text {
            case "none": self = .none
            case "bugs": self = .bugs
            default:
                let names = text.split(separator: ",").map { String($0.trimmed) }
                let known = FindingRule.all.map(\.name)
                if let unknown = names.first(where: { !known.contains($0) })
                    ?? (names.isEmpty ? text : nil)
                {
                    throw CommandFailure(
                        .badInput,
                        "--fail-on: there is no rule \"\(unknown.visibleInOneLine)\": expected bugs, "
                            + "none, or some of \(known.joined(separator: ", "))"
                    )
                }
                self = .rules(Set(names))
            }
        }

        func includes(_ finding: ObservedFinding) -> Bool {
            switch self {
            case .none: false
            case .bugs: finding.isCertainBug
            case .rules(let names): names.contains(finding.rule)
            }
        }
    }

    func failing(_ limit: Limit) -> [ObservedFinding] {
        findings.filter(limit.includes)
    }

    /// The worst first.
    var lines: [String] {
        guard !findings.isEmpty else { return ["authtop: no findings"] }
        let order = ObservedFinding.Severity.allCases
        let sorted = findings.sorted { left, right in
            let ranks = [left, right].map { order.firstIndex(of: $0.severity) ?? 0 }
            return ranks[0] == ranks[1] ? left.number < right.number : ranks[0] < ranks[1]
        }
        let lines = sorted.flatMap { finding in
            [
                "\(finding.severity.rawValue.padded(to: 5)) \(title(of: finding))",
                "      \(finding.message)", "      \(finding.remedy)",
            ]
        }
        let count = CountFormatter.count(findings.count, "finding")
        return ["authtop: \(count)"] + lines
    }

    private func title(of finding: ObservedFinding) -> String {
        let times = finding.count > 1 ? " ×\(finding.count)" : ""
        let doubt = finding.confidence == .likely ? " (likely)" : ""
        let exchanges = finding.exchanges.map { "#\($0)" }.joined(separator: " ")
        return "\(finding.rule)\(times)\(doubt) \(exchanges)"
    }
}
