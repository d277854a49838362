import Basics
import Model

/// All sessions in a table, the most urgent first.
enum SessionsPane: ListPane {
    /// A session and its place among all.
    struct Entry: LogEntry {
        let number: Int
        let session: DashboardSession
    }

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

    static func log(_ viewModel: ViewModel) -> BoundedLog<Entry> {
        var log = BoundedLog<Entry>(limit: viewModel.sessions.count)
        for (place, session) in viewModel.sessions.enumerated() {
            log.insert(Entry(number: place + 1, session: session))
        }
        return log
    }

    static func extent(_ viewModel: ViewModel) -> PaneExtent {
        var extent = extent
        let rows = rowsAbove + viewModel.sessions.count
        extent.comfortable = min(extent.comfortable, max(extent.minimum, rows))
        extent.maximum = min(extent.maximum ?? rows, max(extent.minimum, rows))
        return extent
    }

    static func places(_ viewModel: ViewModel, isFiltered: Bool) -> [Int]? {
        SessionStrip.order(viewModel.sessions.map { urgency(of: $0, viewModel.showing($0.id)) })
    }

    static func matches(_ entry: Entry, _ filter: Filter, _ viewModel: ViewModel) -> Bool {
        let cell = cell(entry, viewModel)
        return filter.passes { condition in
            switch condition.field {
            case "session": condition.pattern.isIn(cell.name)
            case "state": condition.pattern.isIn(cell.word)
            default: condition.pattern.isIn(cell.name) || condition.pattern.isIn(cell.word)
            }
        }
    }

    static func emptyText(_ viewModel: ViewModel) -> String { "no session yet" }

    static func notes(_ viewModel: ViewModel, columns: Int) -> [Line] {
        let count = CountFormatter.count(viewModel.sessions.count, "session")
        let forgotten = viewModel.book.forgottenSessions
        let older = CountFormatter.count(forgotten, "older session") + " forgotten"
        let gone = forgotten > 0 ? [Line(older, .warning)] : []
        let hint = Line("\(viewModel.keys.name(of: .openDetail)) shows one", .dim)
        let dot = Line(" · ", .dim)
        let position = positionText(viewModel)
        return [
            ([Line(count, .dim)] + gone + [hint, position]).joined(by: dot),
            ([Line(count, .dim)] + gone + [position]).joined(by: dot),
            (gone + [position]).joined(by: dot), position,
        ]
    }

    static func heading(_ viewModel: ViewModel, columns: Int) -> [Line] {
        [SessionColumns(viewModel, columns: columns).heading]
    }

    static func lines(of entry: Entry, _ viewModel: ViewModel, columns: Int, rows: Int) -> [Line] {
        let table = SessionColumns(viewModel, columns: columns)
        return [table.line(cell(entry, viewModel), viewModel.showing(entry.session.id))]
    }

    /// Enter shows the session in the other panes.
    static func detail(_ viewModel: ViewModel, of number: Int?) -> Document? { nil }

    private static func cell(_ entry: Entry, _ viewModel: ViewModel) -> SessionStrip.Cell {
        let shown = viewModel.showing(entry.session.id)
        return SessionStrip.Cell(
            id: entry.session.id,
            viewModel: shown,
            isSelected: entry.session.id == viewModel.sessionID,
            urgency: urgency(of: entry.session, shown)
        )
    }

    private static func urgency(
        of session: DashboardSession,
        _ viewModel: @autoclosure () -> ViewModel
    ) -> SessionStrip.Urgency {
        session.urgency ?? SessionStrip.Urgency(viewModel())
    }
}
