import Basics
import Model

/// A finding in words.
enum FindingText {
    static func symbol(_ severity: ObservedFinding.Severity) -> String {
        switch severity {
        case .bug: "✗"
        case .risk: "▲"
        case .note: "·"
        }
    }

    static func style(_ severity: ObservedFinding.Severity) -> Style {
        switch severity {
        case .bug: .bad
        case .risk: .warning
        case .note: .dim
        }
    }

    /// How bad it is, the worst first: bugs, risks and notes, each the certain ones before the others,
    /// and those that an experiment caused after both.
    static func rank(_ finding: ObservedFinding) -> Int {
        let severity = ObservedFinding.Severity.allCases.firstIndex(of: finding.severity) ?? 0
        let doubt = finding.experiment != nil ? 2 : finding.confidence == .likely ? 1 : 0
        return severity * 3 + doubt
    }

    /// `race`, or `stale-token: stale-retry`.
    static func name(_ finding: ObservedFinding) -> String {
        finding.variant.map { "\(finding.rule): \($0)" } ?? finding.rule
    }

    /// `#31 #32`, with the newest last; what has no room is named by a number.
    static func exchanges(_ finding: ObservedFinding, limit: Int) -> String {
        let all = finding.exchanges
        let shown = all.suffix(limit).map { "#\($0)" }.joined(separator: " ")
        return all.count > limit ? "…\(shown)" : shown
    }

    static func certainty(_ finding: ObservedFinding) -> String {
        switch finding.confidence {
        case .certain: "certain: the evidence allows no other reading"
        case .likely: "likely: the evidence allows other readings, too"
        }
    }

    static func subject(_ evidence: FindingEvidence) -> Line {
        switch evidence.subject {
        case .exchange(let number): Line("#\(number)", .strong)
        case .socket(let number): Line("socket #\(number)", .strong)
        case .token(let fingerprint): Line(fingerprint.description, .identity)
        }
    }
}
