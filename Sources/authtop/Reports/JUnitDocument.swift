/// Results for a pipeline, as JUnit's XML.
struct JUnitDocument {
    enum Result: Equatable {
        case passed
        case skipped(String)
        case failed(String)
        case error(String)
    }

    struct Case {
        let group: String
        let name: String
        let result: Result
        var seconds = 0.0
        var output: [String] = []
    }

    struct Suite {
        let name: String
        let cases: [Case]
    }

    let suites: [Suite]

    var lines: [String] {
        let all = suites.flatMap(\.cases)
        return [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
            "<testsuites \(Self.counts(of: all, withSkipped: false))>",
        ] + suites.flatMap(Self.lines) + ["</testsuites>"]
    }

    private static func lines(_ suite: Suite) -> [String] {
        ["<testsuite name=\"\(escaped(suite.name))\" \(counts(of: suite.cases))>"]
            + suite.cases.flatMap(lines) + ["</testsuite>"]
    }

    /// The schema of Jenkins has no number of skipped cases for all suites together.
    private static func counts(of cases: [Case], withSkipped: Bool = true) -> String {
        var failures = 0
        var errors = 0
        var skipped = 0
        for test in cases {
            switch test.result {
            case .passed: break
            case .failed: failures += 1
            case .error: errors += 1
            case .skipped: skipped += 1
            }
        }
        return "tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"\(errors)\""
            + (withSkipped ? " skipped=\"\(skipped)\"" : "")
    }

    private static func lines(_ test: Case) -> [String] {
        let milliseconds = Int((test.seconds * 1000).rounded())
        let digits = String(1000 + milliseconds % 1000).dropFirst()
        let head =
            "<testcase classname=\"\(escaped(test.group))\" name=\"\(escaped(test.name))\" "
            + "time=\"\(milliseconds / 1000).\(digits)\">"
        var inner: [String] = []
        switch test.result {
        case .passed: break
        case .skipped(let why): inner.append("<skipped message=\"\(escaped(why))\"/>")
        case .failed(let why): inner.append("<failure message=\"\(escaped(why))\"/>")
        case .error(let why): inner.append("<error message=\"\(escaped(why))\"/>")
        }
        if !test.output.isEmpty {
            let text = test.output.map(escaped).joined(separator: "\n")
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
            case "\u{20}"..."\u{D7FF}", "\u{E000}"..."\u{FFFD}", "\u{10000}"..."\u{10FFFF}":
                result.unicodeScalars.append(scalar)
            default: result += "?"
            }
        }
    }
}
