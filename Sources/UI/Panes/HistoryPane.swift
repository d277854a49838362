import Basics
import Model

/// Everything that happened, the newest first: the log that answers why a session ended.
enum HistoryPane: ListPane {
    static let id = PaneID(rawValue: 6)
    static let title = "History"
    static let extent = PaneExtent(
        isHalf: false,
        minimum: 2,
        comfortable: 4,
        maximum: nil,
        givesWay: true
    )
    static let fields = [
        FilterField("kind"), FilterField("gen", .generation), FilterField("login", .number),
        FilterField("token", .token), FilterField("time", .time),
    ]
    static let rowsAbove = 0

    static func log(_ viewModel: ViewModel) -> BoundedLog<HistoryEntry> {
        viewModel.session.history.entries
    }

    static func emptyText(_ viewModel: ViewModel) -> String { "nothing has happened yet" }

    static func notes(_ viewModel: ViewModel, columns: Int) -> [Line] {
        let positionText = positionText(viewModel)
        let count = CountFormatter.count(viewModel.session.history.count, "event")
        return [[Line(count, .dim), positionText].joined(by: Line(" · ", .dim)), positionText]
    }

    static func heading(_ viewModel: ViewModel, columns: Int) -> [Line] { [] }

    static func matches(
        _ entry: HistoryEntry,
        _ filter: Filter,
        _ viewModel: ViewModel
    ) -> Bool {
        let clock = viewModel.clock.formatter
        return filter.passes { condition in
            let pattern = condition.pattern
            switch condition.field {
            case "kind": return pattern.isIn(entry.kind.name)
            case "gen":
                return pattern.matches(generation: entry.generation, login: entry.login)
            case "login": return pattern.matches(entry.login)
            case "token": return entry.kind.tokens.contains { pattern.matches($0) }
            case "time": return pattern.matches(seconds: clock.secondOfDay(entry.at.wall))
            default:
                let text = HistoryText(timelessWith: viewModel.keys).text(entry.kind)
                return pattern.isIn(text)
            }
        }
    }

    static func isEmpty(_ viewModel: ViewModel) -> Bool { log(viewModel).isEmpty }

    /// A renewal is one line; a filter finds each of its events.
    static func places(_ viewModel: ViewModel, isFiltered: Bool) -> [Int]? {
        isFiltered ? nil : RenewalFold.places(log(viewModel))
    }

    static func lines(of entry: HistoryEntry, _ viewModel: ViewModel, columns: Int, rows: Int)
        -> [Line]
    {
        let isWide = columns >= 90
        let formatter = viewModel.clock.formatter
        let wall = entry.at.wall
        let time = isWide ? formatter.timeWithMilliseconds(wall) : formatter.time(wall)
        let name = viewModel.generations.name(entry.generation, login: entry.login)
        let style = HistoryText.style(entry.kind)
        let isFiltered = !viewModel.list(of: id).filter.isEmpty
        let folded = isFiltered ? nil : RenewalFold.text(entry, in: log(viewModel))
        let history = HistoryText(clock: viewModel.clock, keys: viewModel.keys)
        let text = folded ?? history.text(entry.kind)
        return [
            Line(time + "  ") + Line(name ?? "–", name == nil ? .dim : .identity).fitted(to: 7)
                + Line("  ") + Line("\(HistoryText.symbol(entry.kind)) \(text)", style)
        ]
    }

    static func copy(_ viewModel: ViewModel, of number: Int) -> CopiedText? {
        guard let entry = viewModel.session.history.entries.entry(numbered: number) else {
            return nil
        }
        return CopiedText(
            name: "event \(number) as Markdown",
            text: MarkdownReport.table(
                viewModel.clock.formatter.timeWithMilliseconds(entry.at.wall),
                "tokens",
                viewModel.generations.name(entry.generation, login: entry.login) ?? "–",
                HistoryText(clock: viewModel.clock, keys: viewModel.keys).text(entry.kind)
            )
        )
    }

    static func detail(_ viewModel: ViewModel, of number: Int?) -> Document? {
        guard let number else { return nil }
        guard let entry = viewModel.session.history.entries.entry(numbered: number) else {
            return Document(title: "Event \(number)", lines: ["no longer in the log"])
        }
        return HistoryDetail(entry: entry, viewModel: viewModel).document
    }
}
