/// A rectangle of a grid.
package struct Area: Sendable, Hashable {
    var column: Int
    var row: Int
    var columns: Int
    var rows: Int

    package init(column: Int = 0, row: Int = 0, columns: Int, rows: Int) {
        self.column = column
        self.row = row
        self.columns = max(0, columns)
        self.rows = max(0, rows)
    }

    var isEmpty: Bool { columns == 0 || rows == 0 }

    /// Whether a cell of the grid is in the area.
    func contains(_ column: Int, _ row: Int) -> Bool {
        (self.column..<self.column + columns).contains(column)
            && (self.row..<self.row + rows).contains(row)
    }

    /// Without `columns` at each side and `rows` above and below.
    func inset(columns: Int, rows: Int) -> Area {
        Area(
            column: column + columns,
            row: row + rows,
            columns: self.columns - 2 * columns,
            rows: self.rows - 2 * rows
        )
    }

    /// Without the rows from a row of the grid on.
    func cut(above end: Int) -> Area {
        Area(column: column, row: row, columns: columns, rows: min(rows, end - row))
    }

    /// Takes rows off the top.
    mutating func takeTop(_ count: Int) -> Area {
        let taken = min(max(0, count), rows)
        defer {
            row += taken
            rows -= taken
        }
        return Area(column: column, row: row, columns: columns, rows: taken)
    }

    /// Takes rows off the bottom.
    mutating func takeBottom(_ count: Int) -> Area {
        let taken = min(max(0, count), rows)
        rows -= taken
        return Area(column: column, row: row + rows, columns: columns, rows: taken)
    }

    /// A rectangle of at most this size in the middle.
    func centred(columns: Int, rows: Int) -> Area {
        let width = min(columns, self.columns)
        let height = min(rows, self.rows)
        return Area(
            column: column + (self.columns - width) / 2,
            row: row + (self.rows - height) / 2,
            columns: width,
            rows: height
        )
    }
}
