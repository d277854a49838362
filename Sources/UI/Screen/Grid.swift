/// A screen as a value: what every cell shows.
package struct Grid: Sendable, Equatable {
    package struct Cell: Sendable, Equatable {
        /// One glyph; empty in the second column of a wide one.
        package var text: String = " "
        package var style: Style = .plain
    }

    package let columns: Int
    package let rows: Int
    package private(set) var cells: [Cell]
    /// Whether a wide glyph was ever put: without one nothing can be covered by half.
    private var hasWide = false

    package init(columns: Int, rows: Int) {
        self.columns = max(0, columns)
        self.rows = max(0, rows)
        cells = Array(repeating: Cell(), count: self.columns * self.rows)
    }

    /// Cells outside the grid read as blank and swallow what is written.
    subscript(column: Int, row: Int) -> Cell {
        get { contains(column, row) ? cells[row * columns + column] : Cell() }
        set { if contains(column, row) { cells[row * columns + column] = newValue } }
    }

    func contains(_ column: Int, _ row: Int) -> Bool {
        column >= 0 && column < columns && row >= 0 && row < rows
    }

    /// Draws one glyph.
    ///
    /// A wide glyph that it half covers is blanked, so that no half of it is left; a wide glyph
    /// that would stick out of the grid becomes a blank.
    mutating func put(_ glyph: Glyph, style: Style, column: Int, row: Int) {
        guard contains(column, row) else { return }
        let isWide = glyph.width == 2 && column + 1 < columns
        let last = isWide ? column + 1 : column
        if hasWide { blankHalves(from: column, to: last, row: row) }
        let fits = isWide || glyph.width < 2
        cells[row * columns + column] = Cell(text: fits ? glyph.text : " ", style: style)
        if isWide {
            hasWide = true
            cells[row * columns + last] = Cell(text: "", style: style)
        }
    }

    private mutating func blankHalves(from first: Int, to last: Int, row: Int) {
        if self[first, row].text.isEmpty { self[first - 1, row].text = " " }
        if self[last + 1, row].text.isEmpty { self[last + 1, row].text = " " }
    }

    /// Two screens are the same when they show the same.
    package static func == (left: Grid, right: Grid) -> Bool {
        left.columns == right.columns && left.rows == right.rows && left.cells == right.cells
    }

    /// Whether a row shows what it shows in another grid of the same size.
    package func hasSameRow(_ row: Int, as other: Grid) -> Bool {
        (row * columns..<(row + 1) * columns).allSatisfy { place in
            cells[place].style == other.cells[place].style
                && cells[place].text == other.cells[place].text
        }
    }

    /// Every cell, in its place, as `body` wants it.
    func mapCells(_ body: (Cell) -> Cell) -> Grid {
        var grid = self
        for index in cells.indices { grid.cells[index] = body(cells[index]) }
        return grid
    }
}
