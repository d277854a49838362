/// Draws an overlay, as large as its text, as far as there is room.
struct OverlayView {
    static let widest = 118

    let document: Document
    /// The first line that is shown.
    var scroll = 0

    /// The area of the overlay and the rows of text that fit into it.
    static func area(for document: Document, in body: Area) -> (area: Area, rows: [Line]) {
        let columns = min(widest, body.columns)
        let rows = document.rows(columns: columns - 4, limit: body.rows - 2)
        let title = DisplayWidth.columns(of: document.title)
        let longest = max(rows.map(\.width).max() ?? 0, title + 12)
        let width = min(columns, longest + 4)
        // A rest of a pane too narrow to be read is only in the way.
        let isAlmostWhole = body.columns - width < 8
        let area = body.centred(
            columns: isAlmostWhole ? body.columns : width,
            rows: rows.count + 2
        )
        return (area, rows)
    }

    /// The rows of text that have to be in sight, or `nil` if there are none.
    static func selectedRows(of document: Document, in body: Area) -> Range<Int>? {
        document.selectedRows(columns: min(widest, body.columns) - 4)
    }

    /// The limit up to which the text can be scrolled.
    static func limit(for document: Document, in body: Area) -> Int {
        let (area, rows) = area(for: document, in: body)
        return max(0, rows.count - (area.rows - 2))
    }

    func draw(in body: Area, on grid: inout Grid) {
        let (area, rows) = Self.area(for: document, in: body)
        grid.clear(area.inset(columns: -1, rows: 0))
        let room = max(0, area.rows - 2)
        let start = min(scroll, max(0, rows.count - room))
        let more = rows.count - start - room
        let inner = grid.drawBorder(
            area,
            title: Line(" \(document.title) ", .focus),
            notes: more > 0 ? [Line("\(more) more below", .dim), Line("more", .dim)] : [],
            style: .focus
        )
        grid.write(Array(rows.dropFirst(start)), in: inner)
    }
}
