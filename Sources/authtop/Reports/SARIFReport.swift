import Client
import Model
import Observer
import UI

/// The findings as SARIF: a rule for each rule, and a result for each finding and each experiment
/// that failed.
struct SARIFReport {
    let report: FindingsReport

    private static let experiment = "experiment"

    var document: SARIFDocument {
        SARIFDocument(
            rules: FindingRule.all.map(Self.rule)
                + [
                    SARIFDocument.Rule(
                        id: Self.experiment,
                        summary: "An app, or a backend, does not pass an experiment.",
                        level: .error
                    )
                ],
            results: report.findings.map(result)
                + report.scorecards.filter { $0.verdict == .failed }.map(Self.result),
            omissions: report.omissions
        )
    }

    private static func rule(_ rule: FindingRule) -> SARIFDocument.Rule {
        let references =
            rule.references.isEmpty
            ? "" : "\n\nThe same elsewhere: \(rule.references.joined(separator: ", "))"
        return SARIFDocument.Rule(
            id: rule.name,
            summary: rule.summary,
            help: rule.remedy + references,
            level: rule.severity == .note ? .note : rule.severity == .bug ? .error : .warning
        )
    }

    private func result(_ finding: ObservedFinding) -> SARIFDocument.Result {
        let level: SARIFDocument.Level =
            switch finding.severity {
            case .bug: finding.isCertainBug ? .error : .warning
            case .risk: .warning
            case .note: .note
            }
        let identity = [finding.rule, finding.variant, finding.path, finding.experiment]
        return SARIFDocument.Result(
            rule: finding.rule,
            level: level,
            message: finding.message,
            path: finding.path,
            places: places(of: finding),
            identity: identity.map { $0 ?? "-" }.joined(separator: " "),
            isAccepted: report.accepted.includes(finding)
        )
    }

    /// The session, the test, and the requests and sockets that prove it; no token.
    private func places(of finding: ObservedFinding) -> [SARIFDocument.Place] {
        let session = report.sessions[finding.number]?.description
        let prefix = session.map { "session \($0)/" } ?? ""
        var places = [session].compactMap(\.self).map {
            SARIFDocument.Place(kind: "session", name: $0, fullName: "session \($0)")
        }
        if let mark = finding.mark {
            places.append(SARIFDocument.Place(kind: "test", name: mark, fullName: "test \(mark)"))
        }
        return places
            + finding.evidence.compactMap { evidence in
                let (kind, number): (String, Int)
                switch evidence.subject {
                case .exchange(let exchange): (kind, number) = ("request", exchange)
                case .socket(let exchange): (kind, number) = ("socket", exchange)
                case .token: return nil
                }
                return SARIFDocument.Place(
                    kind: kind,
                    name: "#\(number)",
                    fullName: "\(prefix)\(kind) #\(number)",
                    role: evidence.role
                )
            }
    }

    private static func result(_ scorecard: Scorecard) -> SARIFDocument.Result {
        let failed = scorecard.lines.filter { $0.verdict == .failed }
        let exchanges = failed.flatMap(\.exchanges)
        return SARIFDocument.Result(
            rule: experiment,
            level: .error,
            message: "\(scorecard.experiment): "
                + failed.map(ScorecardText.sentence).joined(separator: "; "),
            places: exchanges.map {
                SARIFDocument.Place(kind: "request", name: "#\($0)", fullName: "request #\($0)")
            },
            identity: ([experiment, "\(scorecard.experiment)"] + failed.map(\.check.rawValue))
                .joined(separator: " ")
        )
    }
}
