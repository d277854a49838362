import Basics
import Client
import Glibc
import Model
import UI

/// A report as Markdown, for the summary that GitHub Actions shows of a step.
struct StepSummary {
    let report: FindingsReport

    var lines: [String] {
        let findings = report.findings.map { finding in
            Self.row([
                finding.severity.rawValue, finding.rule,
                finding.exchanges.map { "#\($0)" }.joined(separator: " "), finding.message,
            ])
        }
        let experiments = report.scorecards.flatMap { scorecard in
            scorecard.lines.map { line in
                Self.row([
                    scorecard.experiment.description, ScorecardText.word(line.verdict),
                    ScorecardText.text(line.check),
                    line.exchanges.map { "#\($0)" }.joined(separator: " "),
                ])
            }
        }
        let title = "### authtop: \(CountFormatter.count(report.findings.count, "finding"))"
        return [title, ""] + report.omissions.flatMap { ["⚠ \($0)", ""] }
            + (findings.isEmpty
                ? [] : Self.table(["severity", "rule", "requests", "what"], findings))
            + (experiments.isEmpty
                ? [] : Self.table(["experiment", "verdict", "the app", "requests"], experiments))
    }

    private static func table(_ names: [String], _ rows: [String]) -> [String] {
        [row(names), row(names.map { _ in "---" })] + rows + [""]
    }

    private static func row(_ cells: [String]) -> String {
        let escaped = cells.map {
            $0.visibleInOneLine.replacing(bytes: "\\", with: "\\\\").replacing(
                bytes: "|",
                with: "\\|"
            )
            .replacing(bytes: "<", with: "&lt;")
        }
        return "| \(escaped.joined(separator: " | ")) |"
    }

    /// Adds it to the end of a file.
    ///
    /// - Throws: `CommandFailure` if it cannot be written.
    func append(to path: String) throws(CommandFailure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        let failure =
            descriptor >= 0
            ? writeAll(descriptor, lines.joined(separator: "\n") + "\n") : WriteFailure(code: errno)
        if descriptor >= 0 { close(descriptor) }
        guard let failure else { return }
        throw CommandFailure(
            .badInput,
            "GITHUB_STEP_SUMMARY \(path.visibleInOneLine): \(failure.message)"
        )
    }
}
