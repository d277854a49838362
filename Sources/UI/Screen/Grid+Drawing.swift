extension Grid {
    /// Writes a line in one row of an area, cut with `…` where it does not fit.
    package mutating func write(_ line: Line, in area: Area, row: Int) {
        guard row >= 0, row < area.rows else { return }
        var column = area.column
        for run in line.limited(to: area.columns).runs {
            column += put(run.text, style: run.style, column: column, row: area.row + row)
        }
    }

    package mutating func write(_ lines: [Line], in area: Area) {
        for (row, line) in lines.prefix(area.rows).enumerated() {
            write(line, in: area, row: row)
        }
    }

    mutating func clear(_ area: Area) {
        fill(area, with: " ", style: .plain)
    }

    /// Draws a border around an area, with text in its upper side.
    ///
    /// The title is at the left. `notes` are variants of the text at the right, the longest first;
    /// none is shown if none fits.
    ///
    /// - Returns: The area for the content, with a blank column at either side.
    @discardableResult
    mutating func drawBorder(
        _ area: Area,
        title: Line,
        notes: [Line] = [],
        style: Style
    ) -> Area {
        guard area.columns >= 2, area.rows >= 2 else { return Area(columns: 0, rows: 0) }
        let (left, right) = (area.column, area.column + area.columns - 1)
        let (top, bottom) = (area.row, area.row + area.rows - 1)
        for row in [top, bottom] {
            let side = Area(column: left, row: row, columns: area.columns, rows: 1)
            fill(side, with: "─", style: style)
        }
        for column in [left, right] {
            let side = Area(column: column, row: top + 1, columns: 1, rows: area.rows - 2)
            fill(side, with: "│", style: style)
        }
        put("╭", style: style, column: left, row: top)
        put("╮", style: style, column: right, row: top)
        put("╰", style: style, column: left, row: bottom)
        put("╯", style: style, column: right, row: bottom)
        drawText(title: title, notes: notes, in: area)
        return area.inset(columns: 2, rows: 1)
    }

    private mutating func drawText(title: Line, notes: [Line], in area: Area) {
        let room = area.columns - 4
        guard room >= 1 else { return }
        let title = title.limited(to: room)
        let top = Area(column: area.column + 2, row: area.row, columns: room, rows: 1)
        write(title, in: top, row: 0)
        let left = room - title.width - 1
        guard let note = notes.first(where: { $0.width + 2 <= left }), !note.isEmpty else {
            return
        }
        let width = note.width + 2
        let place = Area(
            column: area.column + area.columns - 2 - width,
            row: area.row,
            columns: width,
            rows: 1
        )
        write(Line(" ") + note + Line(" "), in: place, row: 0)
    }
}
