import Checks
import Tokens

/// The report of a check as JUnit XML, for a pipeline.
struct CheckJUnit {
    let title: String
    let report: CheckReport
    let outcomes: [CheckRequirements.Outcome]

    private enum Result {
        case passed
        case skipped(String)
        case failed(String)
        case error(String)

        var isFailure: Bool {
            if case .failed = self { true } else { false }
        }

        var isError: Bool {
            if case .error = self { true } else { false }
        }

        var isSkipped: Bool {
            if case .skipped = self { true } else { false }
        }
    }

    private struct Case {
        let group: String
        let name: String
        let result: Result
        var seconds = 0.0
        var output: [String] = []
    }

    var lines: [String] {
        let cases = [policyCase] + report.probes.map(probeCase) + outcomes.map(outcomeCase)
        func count(_ matches: (Result) -> Bool) -> Int {
            cases.filter { matches($0.result) }.count
        }
        let counts =
            "tests=\"\(cases.count)\" failures=\"\(count(\.isFailure))\" "
            + "errors=\"\(count(\.isError))\""
        let name = Self.escaped(title)
        let skipped = count(\.isSkipped)
        return [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
            "<testsuites \(counts)>",
            "<testsuite name=\"\(name)\" \(counts) skipped=\"\(skipped)\">",
        ] + cases.flatMap(lines) + ["</testsuite>", "</testsuites>"]
    }

    private var policyCase: Case {
        let name = CheckText.name(report.policy)
        return Case(
            group: "policy",
            name: "policy",
            result: report.policy.verdict == nil ? .error(name) : .passed,
            output: [name]
        )
    }

    private func probeCase(_ probe: ProbeResult) -> Case {
        let result: Result =
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
        let result: Result =
            switch outcome.outcome {
            case .holds: .passed
            case .fails: .failed(CheckText.name(report.policy))
            case .unknown: .error("not decided")
            }
        return Case(group: "expectations", name: outcome.name, result: result)
    }

    private func lines(_ test: Case) -> [String] {
        let milliseconds = Int((test.seconds * 1000).rounded())
        let digits = String(1000 + milliseconds % 1000).dropFirst()
        let head =
            "<testcase classname=\"\(test.group)\" name=\"\(Self.escaped(test.name))\" "
            + "time=\"\(milliseconds / 1000).\(digits)\">"
        var inner: [String] = []
        switch test.result {
        case .passed: break
        case .skipped(let why): inner.append("<skipped message=\"\(Self.escaped(why))\"/>")
        case .failed(let why): inner.append("<failure message=\"\(Self.escaped(why))\"/>")
        case .error(let why): inner.append("<error message=\"\(Self.escaped(why))\"/>")
        }
        if !test.output.isEmpty {
            let text = test.output.map(Self.escaped).joined(separator: "\n")
            inner.append("<system-out>\(text)</system-out>")
        }
        return [head] + inner + ["</testcase>"]
    }

    /// Escapes what XML 1.0 does not allow; a control character has no form in it.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case _ where scalar.value < 0x20 || scalar.value > 0xFFFD: result += "?"
            default: result.unicodeScalars.append(scalar)
            }
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
            escaped(CheckText.meaning(report.policy)), "",
            "| probe | found |", "| --- | --- |",
        ]
        lines += report.probes.map { probe in
            "| \(probe.name.rawValue) | \(escaped(CheckText.found(probe).joined(separator: "; "))) |"
        }
        if !outcomes.isEmpty {
            lines += ["", "| expectation | |", "| --- | --- |"]
            lines += outcomes.map { outcome in
                "| \(escaped(outcome.name)) | \(outcome.outcome.rawValue) |"
            }
        }
        let evidence = report.exchanges.filter { report.policy.evidence.contains($0.number) }
        lines += ["", "```"] + evidence.map(ExchangeText.line) + ["```"]
        return lines
    }

    private func escaped(_ text: String) -> String {
        text.replacing("|", with: "\\|").replacing("<", with: "&lt;")
    }
}
