import Basics
import Model

/// Problems between an app and its backend, in all of the app's sessions.
enum FindingsPane: ListPane {
    static let id = PaneID(rawValue: 7)
    static let title = "Findings"
    static let extent = PaneExtent(isHalf: false, minimum: 3, comfortable: 5, maximum: 9)
    static let legend: [Line] = [
        "\("✗", .bad) a bug: it ends sessions   \("▲", .warning) a risk   \("·", .dim) a note",
        "\("≈", .dim) likely, not certain: the evidence allows other readings",
    ]
    static let fields = [
        FilterField("rule"), FilterField("severity"), FilterField("session"),
        FilterField("time", .time),
    ]
    static let rowsAbove = 1
    static let order = (first: "first", above: "above")
    /// The most findings that have more than two rows each.
    private static let few = 3
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
        "no rule has fired"
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

    static func extent(_ viewModel: ViewModel) -> PaneExtent {
        let rows = max(1, rowsAbove + 2 * log(viewModel).count)
        return PaneExtent(
            isHalf: extent.isHalf,
            minimum: min(extent.minimum, rows),
            comfortable: min(extent.comfortable, rows),
            maximum: min(extent.maximum ?? rows, rows)
        )
    }

    static func isEmpty(_ viewModel: ViewModel) -> Bool { log(viewModel).isEmpty }

    /// The worst first; of equally bad ones those of the session that was in trouble last, and of
    /// these the earliest, which is the root of the others or nearest to it.
    static func places(_ viewModel: ViewModel, isFiltered: Bool) -> [Int]? {
        let log = log(viewModel)
        var trouble: [SessionID: Instant] = [:]
        for entry in log {
            let at = entry.finding.lastAt.now
            trouble[entry.session] = max(trouble[entry.session] ?? at, at)
        }
        let keys = log.enumerated().map { place, entry in
            let last = trouble[entry.session] ?? entry.finding.lastAt.now
            return (FindingText.rank(entry.finding), last, entry.finding.firstAt.now, place)
        }
        return log.indices.sorted { left, right in
            let (one, other) = (keys[left], keys[right])
            if one.0 != other.0 { return one.0 < other.0 }
            if one.1 != other.1 { return one.1 > other.1 }
            return (one.2, one.3) < (other.2, other.3)
        }
    }

    static func heading(_ viewModel: ViewModel, columns: Int) -> [Line] {
        guard !isEmpty(viewModel) else { return [] }
        return [table(viewModel, columns: columns).heading]
    }

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

    /// Two, or as many up to four as all of few findings have room for, as in a pane that has the screen
    /// to itself.
    static func entryRows(_ viewModel: ViewModel, rows: Int) -> Int {
        let count = log(viewModel).count
        guard (1...few).contains(count) else { return 2 }
        return max(2, min(4, (rows - rowsAbove) / count))
    }

    static func lines(
        of entry: LoggedFinding,
        _ viewModel: ViewModel,
        columns: Int,
        rows: Int
    ) -> [Line] {
        table(viewModel, columns: columns).lines(of: entry, viewModel, rows: rows)
    }

    /// Of more than one session it must be said to which a finding belongs.
    private static func table(_ viewModel: ViewModel, columns: Int) -> FindingColumns {
        FindingColumns(
            columns: columns,
            hasSession: viewModel.book.ids.count > 2,
            findings: log(viewModel).map(\.finding)
        )
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
