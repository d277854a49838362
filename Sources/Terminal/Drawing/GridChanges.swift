package import Dashboard

/// Which rows differ from what is shown.
package enum GridChanges {
    /// - Returns: All rows when nothing of this size was shown before.
    package static func rows(from shown: Grid?, to wanted: Grid) -> [Int] {
        guard let shown, shown.columns == wanted.columns, shown.rows == wanted.rows else {
            return Array(0..<wanted.rows)
        }
        return (0..<wanted.rows).filter { shown.cells(ofRow: $0) != wanted.cells(ofRow: $0) }
    }
}

extension Grid {
    func cells(ofRow row: Int) -> ArraySlice<Cell> {
        cells[row * columns..<(row + 1) * columns]
    }
}
