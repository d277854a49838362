/// Breaks glyphs into rows.
struct LineWrapper {
    private let columns: Int
    private let indent: Int
    private var glyphs: [(glyph: Glyph, style: Style)] = []

    init(columns: Int, indent: Int) {
        self.columns = columns
        self.indent = indent
    }

    mutating func take(_ glyph: Glyph, _ style: Style) {
        glyphs.append((glyph, style))
    }

    func finished() -> [Line] {
        var rows: [Line] = []
        var start = 0
        while start < glyphs.count {
            let lead = rows.isEmpty ? 0 : indent
            var (end, width) = (start, lead)
            while end < glyphs.count, width + glyphs[end].glyph.width <= columns {
                width += glyphs[end].glyph.width
                end += 1
            }
            // A glyph that is wider than the row has the row to itself.
            end = max(end, start + 1)
            if end < glyphs.count { end = lastBreak(of: start..<end, after: lead) }
            let text = glyphs[start..<end].reduce(into: Line.blank(lead)) {
                $0.append($1.glyph.text, $1.style)
            }
            rows.append(text)
            start = end
        }
        return rows
    }

    /// The place after the row's last blank if that lies in its second half, or if the word that
    /// follows is a row at most, so that no name is broken that need not be; else where it is full.
    private func lastBreak(of row: Range<Int>, after lead: Int) -> Int {
        guard let blank = row.last(where: { glyphs[$0].glyph == .space }) else {
            return row.upperBound
        }
        let word = glyphs[(blank + 1)...].prefix { $0.glyph != .space }
        let isWhole = word.reduce(indent) { $0 + $1.glyph.width } <= columns
        let isLate = blank - row.lowerBound + lead > (row.count + lead) / 2
        return isLate || isWhole ? blank + 1 : row.upperBound
    }
}
