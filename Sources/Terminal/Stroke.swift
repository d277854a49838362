package import Dashboard

/// What is put at one place of a row.
package struct Stroke: Sendable, Equatable {
    package var column: Int
    /// A character with a width, then the marks that combine with it.
    package var scalars: [UInt32]
    package var style: Style

    package init(column: Int, scalars: [UInt32], style: Style) {
        self.column = column
        self.scalars = scalars
        self.style = style
    }

    /// The most marks ncurses combines with one character.
    private static let markLimit = 4

    private static let blank: [UInt32] = [32]

    /// One row as strokes that take exactly their columns.
    ///
    /// The grid and the C library may disagree about a character's width. The grid wins: what would
    /// be wider than its place is replaced, what is narrower is filled up, and nothing without a
    /// width reaches the terminal.
    ///
    /// - Parameters:
    ///   - cells: The row; an empty text is the second half of the cell before it.
    ///   - width: Columns of a character in the locale; negative if it cannot be printed.
    /// - Returns: The strokes from left to right, without a gap.
    package static func row(
        _ cells: ArraySlice<Grid.Cell>,
        width: (Unicode.Scalar) -> Int
    ) -> [Stroke] {
        var strokes: [Stroke] = []
        strokes.reserveCapacity(cells.count)
        var index = cells.startIndex
        while index < cells.endIndex {
            let column = index - cells.startIndex
            let cell = cells[index]
            let isWide =
                !cell.text.isEmpty && cells.index(after: index) < cells.endIndex
                && cells[index + 1].text.isEmpty
            let (scalars, taken) = scalars(of: cell.text, columns: isWide ? 2 : 1, width: width)
            strokes.append(Stroke(column: column, scalars: scalars, style: cell.style))
            if isWide, taken == 1 {
                strokes.append(Stroke(column: column + 1, scalars: blank, style: cell.style))
            }
            index += isWide ? 2 : 1
        }
        return strokes
    }

    private static func scalars(
        of text: String,
        columns: Int,
        width: (Unicode.Scalar) -> Int
    ) -> (scalars: [UInt32], taken: Int) {
        guard let base = text.unicodeScalars.first else { return (blank, 1) }
        if base.isASCII, text.utf8.count == 1 {
            return base.value >= 32 && base.value < 127 ? ([base.value], 1) : ([0x3F], 1)
        }
        let taken = width(base)
        guard (1...columns).contains(taken) else {
            let replacement: Unicode.Scalar = "\u{FFFD}"
            return (width(replacement) == 1 ? [replacement.value] : [0x3F], 1)
        }
        let marks = text.unicodeScalars.dropFirst().prefix { width($0) == 0 }.filter(isMark)
        return ([base.value] + marks.prefix(markLimit).map(\.value), taken)
    }

    /// Format characters (joiners, direction marks) have no width either, and no place in a cell.
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .spacingMark: true
        default: false
        }
    }
}
