/// Breaks glyphs into rows.
struct LineWrapper {
    private let columns: Int
    private let indent: Int
    private var rows: [Line] = []
    private var row: [(glyph: Glyph, style: Style)] = []
    private var width = 0

    init(columns: Int, indent: Int) {
        self.columns = columns
        self.indent = indent
    }

    mutating func take(_ glyph: Glyph, _ style: Style) {
        if width + glyph.width > columns { breakRow() }
        row.append((glyph, style))
        width += glyph.width
    }

    mutating func finished() -> [Line] {
        if !row.isEmpty { rows.append(line(row)) }
        return rows
    }

    /// Ends the row at its last blank if that lies in its second half, else where it is full.
    private mutating func breakRow() {
        let blank = row.lastIndex { $0.glyph == .space } ?? 0
        let end = blank > row.count / 2 ? blank + 1 : row.count
        rows.append(line(row[..<end]))
        let rest = Array(row[end...])
        row = Array(repeating: (Glyph.space, Style.plain), count: indent) + rest
        width = row.reduce(0) { $0 + $1.glyph.width }
    }

    private func line(_ glyphs: some Sequence<(glyph: Glyph, style: Style)>) -> Line {
        glyphs.reduce(into: Line()) { $0.append($1.glyph.text, $1.style) }
    }
}
