import Basics
import Model

/// Problems between an app and its backend, in all of the app's sessions.
enum FindingsPane: ListPane {
    static let id = PaneID(rawValue: 7)
    static let title = "Findings"
    static let extent = PaneExtent(isHalf: false, minimum: 2, comfortable: 4, maximum: 8)
    static let legend: [Line] = [
        "\("✗", .bad) a bug: it ends sessions   \("▲", .warning) a risk   \("·", .dim) a note",
        "\("≈", .dim) likely, not certain: the evidence allows other readings",
    ]
    static let fields = [
        FilterField("rule"), FilterField("severity"), FilterField("session"),
        FilterField("time", .time),
    ]
    static let rowsAbove = 0
    static let keys = [
        KeyCommand(
            keys: ["f"],
            section: .session,
            name: "newest_finding",
            help: "to the newest finding of an app",
            appOnly: appOnly,
            effect: .change { $0.selectNewestFinding() }
        )
    ]
    /// Why sessions of authtop's own have no findings.
    static let appOnly = "findings are of an app whose traffic goes through authtop proxy"

    static func log(_ viewModel: ViewModel) -> BoundedLog<LoggedFinding> {
        viewModel.book.findings
    }

    static func emptyText(_ viewModel: ViewModel) -> String {
        "nothing found yet: what the app does is in order so far"
    }

    static func notes(_ viewModel: ViewModel, columns: Int) -> [Line] {
        let findings = log(viewModel).map(\.finding)
        let counts = ObservedFinding.Severity.allCases.compactMap { severity -> Line? in
            let count = findings.count { $0.severity == severity }
            guard count > 0 else { return nil }
            let text = CountFormatter.count(count, severity.rawValue)
            return Line(text, FindingText.style(severity))
        }
        let dot = Line(" · ", .dim)
        return [(counts + [positionText(viewModel)]).joined(by: dot), counts.joined(by: dot)]
    }

    static func heading(_ viewModel: ViewModel, columns: Int) -> [Line] { [] }

    static func matches(
        _ entry: LoggedFinding,
        _ filter: Filter,
        _ viewModel: ViewModel
    ) -> Bool {
        let clock = viewModel.clock.formatter
        let finding = entry.finding
        return filter.passes { condition in
            let pattern = condition.pattern
            switch condition.field {
            case "rule": return pattern.isIn(finding.rule)
            case "severity": return pattern.isIn(finding.severity.rawValue)
            case "session": return pattern.isIn(entry.session.description)
            case "time": return pattern.matches(seconds: clock.secondOfDay(finding.lastAt.wall))
            default: return pattern.isIn(finding.rule) || pattern.isIn(finding.message)
            }
        }
    }

    static func line(_ entry: LoggedFinding, _ viewModel: ViewModel, columns: Int) -> Line {
        let finding = entry.finding
        let style = FindingText.style(finding.severity)
        let time = viewModel.clock.formatter.time(finding.lastAt.wall)
        let doubt = finding.confidence == .likely ? "≈" : " "
        let count = finding.count > 1 ? "×\(finding.count)" : ""
        let isWide = columns >= 100
        let session =
            viewModel.book.ids.count > 2 ? Line(entry.session.description, .identity) : Line()
        let width = isWide ? 15 : 9
        let exchanges = Line.first(
            of: [2, 1].map { Line(FindingText.exchanges(finding, limit: $0), .strong) },
            fitting: width - 1
        )
        return Line(time + "  ")
            + Line("\(FindingText.symbol(finding.severity))\(doubt)", style)
            + cell(Line(finding.rule, style), isWide ? 18 : 15)
            + cell(Line(count, .dim), 7)
            + (session.isEmpty ? Line() : cell(session, 7))
            + cell(exchanges, width)
            + Line(finding.message)
    }

    /// A column of a width, of which the last is blank.
    private static func cell(_ line: Line, _ width: Int) -> Line {
        line.fitted(to: width - 1) + Line(" ")
    }

    static func detail(_ viewModel: ViewModel, of number: Int?) -> Document? {
        guard let number else { return nil }
        guard let entry = log(viewModel).entry(numbered: number) else {
            return Document(title: "Finding \(number)", lines: ["no longer in the log"])
        }
        return FindingDetail(entry: entry, viewModel: viewModel).document
    }

    static func copy(_ viewModel: ViewModel, of number: Int) -> CopiedText? {
        guard let entry = log(viewModel).entry(numbered: number) else { return nil }
        return CopiedText(
            name: "finding \(number) as Markdown",
            text: FindingDetail(entry: entry, viewModel: viewModel).markdown
        )
    }
}
