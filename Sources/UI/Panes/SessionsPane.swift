import Basics
import Model

/// All sessions in a table, the most urgent first.
enum SessionsPane: ListPane {
    static let id = PaneID(rawValue: 8)
    static let title = "Sessions"
    static let extent = PaneExtent(
        isHalf: false,
        minimum: 3,
        comfortable: 6,
        maximum: 12,
        givesWay: true
    )
    static let fields = [FilterField("session"), FilterField("state")]
    static let rowsAbove = 1
    static let order = (first: "first", above: "above")

    static let keys = [
        KeyCommand(
            keys: ["s"],
            section: .session,
            name: "sort_sessions",
            help: "sort the table of sessions: by urgency, state, next renewal, name",
            effect: .change { $0.nextTableOrder() }
        )
    ]

    static func log(_ viewModel: ViewModel) -> BoundedLog<SessionTable.Entry> {
        table(viewModel).log
    }

    /// All sessions in the order of the table.
    private static func table(_ viewModel: ViewModel) -> SessionTable {
        if let table = viewModel.table { return table }
        let glances = viewModel.sessions.map { session in
            session.glance ?? SessionGlance(of: viewModel.showing(session.id))
        }
        return SessionTable(viewModel.sessions, glances: glances, order: viewModel.tableOrder)
    }

    static func extent(_ viewModel: ViewModel) -> PaneExtent {
        var extent = extent
        let rows = rowsAbove + viewModel.sessions.count
        extent.comfortable = min(extent.comfortable, max(extent.minimum, rows))
        extent.maximum = min(extent.maximum ?? rows, max(extent.minimum, rows))
        return extent
    }

    static func places(_ viewModel: ViewModel, isFiltered: Bool) -> [Int]? {
        table(viewModel).places
    }

    static func matches(
        _ entry: SessionTable.Entry,
        _ filter: Filter,
        _ viewModel: ViewModel
    ) -> Bool {
        let (name, word) = names(of: entry, viewModel)
        return filter.passes { condition in
            switch condition.field {
            case "session": condition.pattern.isIn(name)
            case "state": condition.pattern.isIn(word)
            default: condition.pattern.isIn(name) || condition.pattern.isIn(word)
            }
        }
    }

    /// The name of a session, and its state in a word or two.
    private static func names(
        of entry: SessionTable.Entry,
        _ viewModel: ViewModel
    ) -> (name: String, word: String) {
        if !viewModel.isObserved, let glance = viewModel.sessions[entry.number - 1].glance {
            return (entry.id.description, glance.word)
        }
        let cell = cell(entry, viewModel)
        return (cell.name, cell.word)
    }

    static func emptyText(_ viewModel: ViewModel) -> String { "no session yet" }

    static func notes(_ viewModel: ViewModel, columns: Int) -> [Line] {
        let all = viewModel.sessions.count
        let count = CountFormatter.count(all, "session")
        let forgotten = viewModel.book.forgottenSessions
        let older = CountFormatter.count(forgotten, "older session") + " forgotten"
        let gone = forgotten > 0 ? [Line(older, .warning)] : []
        let hint = Line("\(viewModel.keys.name(of: .openDetail)) shows one", .dim)
        let dot = Line(" · ", .dim)
        let position = positionText(viewModel)
        if all >= SessionTable.countedFrom, !viewModel.isObserved {
            let summaries = table(viewModel).summary(at: viewModel.clock.exact.now)
            let lines = summaries.map { Line($0, .dim) }
            return lines.map { [$0, position].joined(by: dot) } + lines + [position]
        }
        return [
            ([Line(count, .dim)] + gone + [hint, position]).joined(by: dot),
            ([Line(count, .dim)] + gone + [position]).joined(by: dot),
            (gone + [position]).joined(by: dot), position,
        ]
    }

    static func heading(_ viewModel: ViewModel, columns: Int) -> [Line] {
        [SessionColumns(viewModel, columns: columns).heading]
    }

    static func lines(
        of entry: SessionTable.Entry,
        _ viewModel: ViewModel,
        columns: Int,
        rows: Int
    ) -> [Line] {
        let table = SessionColumns(viewModel, columns: columns)
        return [table.line(cell(entry, viewModel), viewModel.showing(entry.id))]
    }

    /// Enter shows the session in the other panes.
    static func detail(_ viewModel: ViewModel, of number: Int?) -> Document? { nil }

    private static func cell(
        _ entry: SessionTable.Entry,
        _ viewModel: ViewModel
    ) -> SessionStrip.Cell {
        let shown = viewModel.showing(entry.id)
        let glance = viewModel.sessions[entry.number - 1].glance
        return SessionStrip.Cell(
            id: entry.id,
            viewModel: shown,
            isSelected: entry.id == viewModel.sessionID,
            urgency: glance?.urgency ?? SessionStrip.Urgency(shown)
        )
    }
}
