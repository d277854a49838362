import Basics
import Client
import Model
import Observer
import UI

/// The findings of a run as text, and whether they make it fail.
struct FindingsReport {
    let findings: [ObservedFinding]
    /// The session of each finding, by its number, where it is one session's.
    var sessions: [Int: SessionID] = [:]
    /// The tests that were named.
    var marks: [String] = []
    var scorecards: [Scorecard] = []
    /// The parts that were left out.
    var omitted: [Omission] = []
    /// What was seen, or `nil` of a run whose traffic was not observed.
    var coverage: ObservedCoverage?
    /// The last request that was refused because it named another server.
    var misdirected: MisdirectedRequest?
    /// The known and accepted findings.
    var accepted = AcceptedFindings.none

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
                let names = text.parts(at: ",").map { String($0.trimmingBlanks) }
                let known = FindingRule.all.map(\.name)
                if let unknown = names.first(where: { !known.contains($0) })
                    ?? (names.isEmpty ? text : nil)
                {
                    throw CommandFailure(
                        .badInput,
                        "--fail-on: \(FindingRule.problem(withName: unknown)): expected bugs, "
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
        findings.filter { limit.includes($0) && !accepted.includes($0) }
    }

    /// The scorecards that make a run fail: those that failed, unless rules are named.
    func failingScorecards(_ limit: Limit) -> [Scorecard] {
        limit == .bugs ? scorecards.filter { $0.verdict == .failed } : []
    }

    /// Why nothing could be judged, or `nil` if something was.
    var nothingJudged: String? {
        guard let coverage else { return CoverageText.ownSession }
        guard coverage.sessionCount == 0, findings.isEmpty else { return nil }
        return CoverageText.nothingJudged(coverage, besides: omissions)
    }

    /// The parts that were left out, then the findings, the worst first, then the scorecards, and what
    /// was seen.
    var lines: [String] {
        omissions.map { "authtop: \($0)" } + findingLines + scorecards.flatMap(Self.lines)
            + [coverage].compactMap(\.self).map { "authtop: \(CoverageText.sentence($0))" }
    }

    /// The parts that were left out, and the refused requests, a sentence each.
    var omissions: [String] {
        omitted.map(OmissionText.sentence)
            + [misdirected].compactMap(\.self).map(OmissionText.sentence)
    }

    /// The columns before the texts of a finding.
    static let indent = 6

    private static func lines(_ scorecard: Scorecard) -> [String] {
        let verdict = ScorecardText.word(scorecard.verdict)
        return ["\(verdict): experiment \(scorecard.experiment)"]
            + scorecard.lines.map { "      \(ScorecardText.sentence($0))" }
    }

    private var findingLines: [String] {
        guard !findings.isEmpty else {
            return nothingJudged == nil ? ["authtop: no findings"] : []
        }
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
        let experiment = finding.experiment.map { ", by \($0)" } ?? ""
        let known = accepted.includes(finding) ? ", accepted" : ""
        return "\(finding.rule)\(times)\(doubt) \(exchanges)\(experiment)\(known)"
    }
}
