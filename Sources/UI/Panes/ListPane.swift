import Model

/// A pane that shows a log.
protocol ListPane: Pane {
    associatedtype Entry: LogEntry

    /// The fields that a filter can name.
    static var fields: [FilterField] { get }
    /// Rows above the list: the heads of its columns, or a state.
    static var rowsAbove: Int { get }
    /// The number of rows of each entry in a pane of a number of rows.
    static func entryRows(_ viewModel: ViewModel, rows: Int) -> Int
    /// The places of the log that are shown while the list has a filter or none, the first one first;
    /// `nil` for all, the newest first.
    static func places(_ viewModel: ViewModel, isFiltered: Bool) -> [Int]?
    static func log(_ viewModel: ViewModel) -> BoundedLog<Entry>
    /// Whether an entry passes a filter.
    static func matches(_ entry: Entry, _ filter: Filter, _ viewModel: ViewModel) -> Bool
    static func heading(_ viewModel: ViewModel, columns: Int) -> [Line]
    /// The words for the first entry, and for those before another one.
    static var order: (first: String, above: String) { get }
    /// Returns the lines of an entry, which has a number of rows.
    static func lines(of entry: Entry, _ viewModel: ViewModel, columns: Int, rows: Int) -> [Line]
    /// Returns the text of an empty list.
    static func emptyText(_ viewModel: ViewModel) -> String
}

extension ListPane {
    static func entryRows(_ viewModel: ViewModel, rows: Int) -> Int { 1 }

    static func places(_ viewModel: ViewModel, isFiltered: Bool) -> [Int]? { nil }

    static func window(_ viewModel: ViewModel, rows: Int) -> ListWindow<Entry> {
        let state = viewModel.list(of: id)
        let room = rows - rowsAbove
        return ListWindow(
            log(viewModel),
            places: places(viewModel, isFiltered: !state.filter.isEmpty),
            state: state,
            height: room > 0 ? max(1, room / entryRows(viewModel, rows: rows)) : 0,
            matches: { matches($0, $1, viewModel) }
        )
    }

    static func lines(_ viewModel: ViewModel, columns: Int, rows: Int) -> [Line] {
        let window = window(viewModel, rows: rows)
        var lines = Array(heading(viewModel, columns: columns).prefix(rows))
        if window.count == 0 {
            let filter = viewModel.list(of: id).filter
            guard !filter.isEmpty else { return lines + [Line(emptyText(viewModel), .dim)] }
            return Array((lines + filter.linesForNothing(among: fields)).prefix(rows))
        }
        let entryRows = entryRows(viewModel, rows: rows)
        for (row, entry) in window.visible.enumerated() {
            let isSelected = window.cursor == window.top + row
            lines += Self.lines(of: entry, viewModel, columns: columns, rows: entryRows).map {
                line in
                isSelected ? line.fitted(to: columns).styled(.selected) : line
            }
        }
        // The beginning of an entry says more than a blank row.
        if lines.count < rows, let next = window.next {
            let begun = Self.lines(of: next, viewModel, columns: columns, rows: entryRows)
            let isCut = begun.dropFirst().contains { $0.text.utf8.contains { $0 != 0x20 } }
            lines += begun.prefix(1).map { isCut ? ($0 + Line("…")).limited(to: columns) : $0 }
        }
        return Array(lines.prefix(rows))
    }

    static func cursor(_ viewModel: ViewModel, rows: Int) -> Int? {
        guard !viewModel.list(of: id).isFollowing else { return nil }
        let window = window(viewModel, rows: rows)
        let entryRows = entryRows(viewModel, rows: rows)
        return window.cursor.map { ($0 - window.top) * entryRows + rowsAbove }
    }

    static func position(
        after move: ListMove,
        _ viewModel: ViewModel,
        rows: Int
    ) -> ListState.Position {
        window(viewModel, rows: rows).position(after: move)
    }

    /// The position on the entry in a row of the pane, or `nil` if there is none.
    static func position(
        ofRow row: Int,
        _ viewModel: ViewModel,
        rows: Int
    ) -> ListState.Position? {
        guard row >= rowsAbove else { return nil }
        let entryRows = entryRows(viewModel, rows: rows)
        return window(viewModel, rows: rows).position(ofRow: (row - rowsAbove) / entryRows)
    }

    /// The position on the next match of the last search, or `nil` if there is none.
    static func position(
        ofNext isOlder: Bool,
        _ viewModel: ViewModel,
        rows: Int
    ) -> ListState.Position? {
        let search = viewModel.list(of: id).search
        return window(viewModel, rows: rows).position(ofNext: isOlder) {
            matches($0, search, viewModel)
        }
    }

    static func holding(_ viewModel: ViewModel, rows: Int) -> ListState.Position {
        window(viewModel, rows: rows).holding
    }

    static func selected(_ viewModel: ViewModel, rows: Int) -> Int? {
        window(viewModel, rows: rows).selected?.number
    }

    static var order: (first: String, above: String) { ("newest", "newer") }

    /// Returns the status of the list: `following`, `held, 3 newer`, and the number of matches.
    static func positionText(_ viewModel: ViewModel) -> Line {
        let state = viewModel.list(of: id)
        let window = window(viewModel, rows: rowsAbove + 1)
        var parts: [Line] = []
        if !state.filter.isEmpty {
            parts.append(state.filter.line(matching: window.count, of: log(viewModel).count))
        }
        if let cursor = window.cursor {
            let above =
                cursor == 0 ? order.first : "\(CountFormatter.grouped(cursor)) \(order.above)"
            parts.append(Line("‖ held · \(above)", .busy))
        } else {
            parts.append(Line("following", .dim))
        }
        return parts.joined(by: Line(" · ", .dim))
    }
}
