import Basics
import Observer

/// The report of a check as JUnit XML, for a pipeline.
struct CheckJUnit {
    let title: String
    let report: CheckReport
    let outcomes: [CheckRequirements.Outcome]

    private typealias Case = JUnitDocument.Case

    var lines: [String] {
        let cases = [policyCase] + report.probes.map(probeCase) + outcomes.map(outcomeCase)
        return JUnitDocument(suites: [JUnitDocument.Suite(name: title, cases: cases)]).lines
    }

    private var policyCase: Case {
        let name = CheckText.name(report.policy)
        let result: JUnitDocument.Result =
            if !report.policy.isAskedFor {
                .skipped(name)
            } else {
                report.policy.verdict == nil ? .error(name) : .passed
            }
        return Case(
            group: "policy",
            name: "policy",
            result: result,
            output: [name]
        )
    }

    private func probeCase(_ probe: ProbeResult) -> Case {
        let result: JUnitDocument.Result =
            switch probe.state {
            case .done: .passed
            case .skipped(let reason): .skipped(CheckText.text(reason))
            case .inconclusive(let answer):
                .error(answer.map(ExchangeText.text) ?? "inconclusive")
            }
        return Case(
            group: "probes",
            name: probe.name.rawValue,
            result: result,
            seconds: probe.seconds,
            output: probe.state == .done ? CheckText.found(probe) : []
        )
    }

    private func outcomeCase(_ outcome: CheckRequirements.Outcome) -> Case {
        let result: JUnitDocument.Result =
            switch outcome.outcome {
            case .holds: .passed
            case .fails: .failed(CheckText.name(report.policy))
            case .unknown: .error("not decided")
            case .notTestable: .skipped(outcome.reason.map(CheckText.text) ?? "not testable")
            }
        return Case(group: "expectations", name: outcome.name, result: result)
    }
}

/// The expectations of a check as SARIF, for a page of code scanning: a rule for each, and a result for
/// each that does not hold or is not decided.
struct CheckSARIF {
    let report: CheckReport
    let outcomes: [CheckRequirements.Outcome]

    var document: SARIFDocument {
        SARIFDocument(
            rules: outcomes.map { outcome in
                SARIFDocument.Rule(
                    id: outcome.name,
                    summary: "The backend does as \(outcome.name) says.",
                    level: .error
                )
            },
            results: outcomes.compactMap(result),
            omissions: report.probes.compactMap(Self.omission)
        )
    }

    private func result(_ outcome: CheckRequirements.Outcome) -> SARIFDocument.Result? {
        let (level, words): (SARIFDocument.Level, String)
        switch outcome.outcome {
        case .fails: (level, words) = (.error, "does not hold")
        case .unknown: (level, words) = (.warning, "is not decided")
        case .holds, .notTestable: return nil
        }
        return SARIFDocument.Result(
            rule: outcome.name,
            level: level,
            message: "\(outcome.name) \(words): \(CheckText.name(report.policy))",
            places: report.policy.evidence.map {
                SARIFDocument.Place(kind: "request", name: "#\($0)", fullName: "request #\($0)")
            },
            identity: outcome.name
        )
    }

    private static func omission(_ probe: ProbeResult) -> String? {
        switch probe.state {
        case .done: nil
        case .skipped(let reason): "\(probe.name.rawValue): \(CheckText.text(reason))"
        case .inconclusive(let answer):
            "\(probe.name.rawValue): \(answer.map(ExchangeText.text) ?? "inconclusive")"
        }
    }
}

/// The report of a check as Markdown, for an issue or a summary of a build.
struct CheckMarkdown {
    let title: String
    let report: CheckReport
    let outcomes: [CheckRequirements.Outcome]

    var lines: [String] {
        var lines = [
            "# \(title)", "", "**\(escaped(CheckText.name(report.policy)))**", "",
        ]
        let meaning = CheckText.meaning(report.policy, watchesWindow: report.watchesWindow)
        if let meaning { lines += [escaped(meaning), ""] }
        lines += ["| probe | found |", "| --- | --- |"]
        lines += report.probes.map { probe in
            "| \(probe.name.rawValue) | \(escaped(CheckText.found(probe).joined(separator: "; "))) |"
        }
        if !outcomes.isEmpty {
            lines += ["", "| expectation | |", "| --- | --- |"]
            lines += outcomes.map { outcome in
                "| \(escaped(outcome.name)) | \(Self.text(outcome)) |"
            }
        }
        let evidence = report.exchanges.filter { report.policy.evidence.contains($0.number) }
        lines += ["", "```"] + evidence.map(ExchangeText.line) + ["```"]
        return lines
    }

    private static func text(_ outcome: CheckRequirements.Outcome) -> String {
        switch outcome.outcome {
        case .holds: "holds"
        case .fails: "does not hold"
        case .unknown: "not decided"
        case .notTestable:
            "not testable" + (outcome.reason.map { ": \(CheckText.text($0))" } ?? "")
        }
    }

    private func escaped(_ text: String) -> String {
        text.replacing(bytes: "|", with: "\\|").replacing(bytes: "<", with: "&lt;")
    }
}
