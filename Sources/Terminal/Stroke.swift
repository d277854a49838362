import UI

/// A character at one position of a row.
struct Stroke: Sendable, Equatable {
    var column: Int
    /// A character with a width.
    var character: UInt32
    /// Its combining marks, apart from it because few have any.
    var marks: [UInt32] = []
    var style: Style

    /// The maximum number of marks that ncurses combines with one character.
    private static let markLimit = 4

    private static let blank: UInt32 = 32

    /// Returns one row as strokes that occupy exactly their columns.
    ///
    /// The grid and the C library may disagree about a character's width, in which case the grid
    /// decides: a character that is too wide is replaced, one that is too narrow is padded, and
    /// characters without a width are dropped.
    ///
    /// - Parameters:
    ///   - cells: The row, or a part of it; an empty text is the second half of the cell before it.
    ///   - width: Returns the columns of a character in the locale, or a negative number if it
    ///     cannot be printed.
    /// - Returns: The strokes from left to right, without gaps.
    static func row(
        _ cells: [Grid.Cell],
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
            let (character, marks, taken) = scalars(
                of: cell.text,
                columns: isWide ? 2 : 1,
                width: width
            )
            strokes.append(
                Stroke(column: column, character: character, marks: marks, style: cell.style)
            )
            if isWide, taken == 1 {
                strokes.append(Stroke(column: column + 1, character: blank, style: cell.style))
            }
            index += isWide ? 2 : 1
        }
        return strokes
    }

    private static func scalars(
        of text: String,
        columns: Int,
        width: (Unicode.Scalar) -> Int
    ) -> (character: UInt32, marks: [UInt32], taken: Int) {
        guard let base = text.unicodeScalars.first else { return (blank, [], 1) }
        let isAlone = text.utf8.count == UTF8.width(base)
        if base.isASCII, isAlone {
            return (base.value >= 32 && base.value < 127 ? base.value : 0x3F, [], 1)
        }
        let taken = width(base)
        guard (1...columns).contains(taken) else {
            let replacement: Unicode.Scalar = "\u{FFFD}"
            return (width(replacement) == 1 ? replacement.value : 0x3F, [], 1)
        }
        guard !isAlone else { return (base.value, [], taken) }
        let marks = text.unicodeScalars.dropFirst().prefix { width($0) == 0 }.filter(isMark)
        return (base.value, marks.prefix(markLimit).map(\.value), taken)
    }

    /// Returns whether the scalar is a combining mark; format characters (joiners, direction marks)
    /// have no width either, but are not allowed in a cell.
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .spacingMark: true
        default: false
        }
    }
}
