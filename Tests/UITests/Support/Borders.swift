@testable import UI

extension Grid {
    /// Corners whose border does not lead on to the other three.
    var openBorders: [String] {
        var open: [String] = []
        for row in 0..<rows {
            for column in 0..<columns where self[column, row].text == "╭" {
                if !isClosed(column: column, row: row) { open.append("\(column),\(row)") }
            }
        }
        let corners = ["╭", "╮", "╰", "╯"].map { corner in cells.count { $0.text == corner } }
        if Set(corners).count > 1 { open.append("corners \(corners)") }
        return open
    }

    private func isClosed(column: Int, row: Int) -> Bool {
        var bottom = row + 1
        while self[column, bottom].text == "│" { bottom += 1 }
        guard self[column, bottom].text == "╰" else { return false }
        var right = column + 1
        while self[right, bottom].text == "─" { right += 1 }
        guard self[right, bottom].text == "╯" else { return false }
        return ((row + 1)..<bottom).allSatisfy { self[right, $0].text == "│" }
            && self[right, row].text == "╮"
    }

    /// Wide glyphs without their second column, and second columns without their glyph.
    var halfGlyphs: [String] {
        var halves: [String] = []
        for row in 0..<rows {
            for column in 0..<columns {
                let isWide = DisplayWidth.columns(of: self[column, row].text) == 2
                let isFollowed = column + 1 < columns && self[column + 1, row].text.isEmpty
                if isWide != isFollowed { halves.append("\(column),\(row)") }
            }
            if columns > 0, self[0, row].text.isEmpty { halves.append("0,\(row)") }
        }
        return halves
    }
}
