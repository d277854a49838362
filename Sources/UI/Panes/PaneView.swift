/// Draws a pane with its border.
enum PaneView {
    static func draw(
        _ pane: any Pane.Type,
        _ viewModel: ViewModel,
        isFocused: Bool,
        in area: Area,
        on grid: inout Grid
    ) {
        let mark = isFocused ? "▸" : " "
        let title = Line("\(mark)\(pane.id.rawValue) \(pane.title) ", isFocused ? .focus : .title)
        let inner = grid.drawBorder(
            area,
            title: title,
            notes: pane.notes(viewModel, columns: max(0, area.columns - 4)),
            style: isFocused ? .focus : .border
        )
        guard !inner.isEmpty else { return }
        let lines = pane.lines(viewModel, columns: inner.columns, rows: inner.rows)
        grid.write(lines, in: inner)
        if let row = pane.cursor(viewModel, rows: inner.rows), row < inner.rows {
            grid.put("▸", style: .focus, column: inner.column - 1, row: inner.row + row)
        }
    }
}
