/// A screen as a value: what every cell shows.
package struct Grid: Sendable, Equatable {
    package struct Cell: Sendable, Equatable {
        /// One glyph; empty in the second column of a wide one.
        package var text: String = " "
        package var style: Style = .plain
    }

    package let columns: Int
    package let rows: Int
    private var places: [Place]
    /// The glyphs that have marks, each once for each place.
    private var marked: [String] = []
    /// Whether a wide glyph was ever put: without one nothing can be covered by half.
    private var hasWide = false

    /// What one cell shows, without a reference: thousands of them are made for each frame.
    private struct Place {
        /// The only scalar of the glyph; 0 in the second column of a wide one; from `firstMarked` on,
        /// the place of its text in `marked`.
        var code: UInt32 = 0x20
        var style: Style = .plain
    }

    /// Above all scalars.
    private static let firstMarked: UInt32 = 0x8000_0000

    package init(columns: Int, rows: Int) {
        self.columns = max(0, columns)
        self.rows = max(0, rows)
        places = Array(repeating: Place(), count: self.columns * self.rows)
    }

    /// All cells, row by row.
    package var cells: [Cell] { places.map(cell) }

    /// The cells of a part of a row.
    package func cells(ofRow row: Int, in part: Range<Int>) -> [Cell] {
        places[row * columns + part.lowerBound..<row * columns + part.upperBound].map(cell)
    }

    /// Cells outside the grid read as blank and swallow what is written.
    subscript(column: Int, row: Int) -> Cell {
        get { contains(column, row) ? cell(places[row * columns + column]) : Cell() }
        set { if contains(column, row) { places[row * columns + column] = place(newValue) } }
    }

    func contains(_ column: Int, _ row: Int) -> Bool {
        column >= 0 && column < columns && row >= 0 && row < rows
    }

    private func cell(_ place: Place) -> Cell {
        Cell(text: text(of: place), style: place.style)
    }

    private mutating func place(_ cell: Cell) -> Place {
        Place(code: code(of: cell.text), style: cell.style)
    }

    private func text(of place: Place) -> String {
        if place.code >= Self.firstMarked { return marked[Int(place.code - Self.firstMarked)] }
        if place.code == 0 { return "" }
        return Unicode.Scalar(place.code).map { String($0) } ?? " "
    }

    private mutating func code(of text: String) -> UInt32 {
        guard let first = text.unicodeScalars.first else { return 0 }
        if UTF8.width(first) == text.utf8.count { return first.value }
        marked.append(text)
        return Self.firstMarked + UInt32(marked.count - 1)
    }

    /// Draws a text.
    ///
    /// - Returns: The number of its columns.
    @discardableResult
    mutating func put(_ text: String, style: Style, column: Int, row: Int) -> Int {
        if let count = put(plain: text, style: style, column: column, row: row) { return count }
        var end = column
        for glyph in Glyphs(text) {
            put(glyph, style: style, column: end, row: row)
            end += glyph.width
        }
        return end - column
    }

    /// Draws a text as long as it needs no glyphs, as most do.
    ///
    /// - Returns: The number of its columns, or `nil` if it does need them.
    private mutating func put(plain text: String, style: Style, column: Int, row: Int) -> Int? {
        guard !hasWide else { return nil }
        var end = column
        for scalar in text.unicodeScalars {
            guard DisplayWidth(of: scalar) == .one else { return nil }
            if contains(end, row) {
                places[row * columns + end] = Place(code: scalar.value, style: style)
            }
            end += 1
        }
        return end - column
    }

    /// Draws a narrow glyph in all places of an area.
    mutating func fill(_ area: Area, with scalar: Unicode.Scalar, style: Style) {
        let place = Place(code: scalar.value, style: style)
        for row in rows(of: area) {
            let columns = columns(of: area)
            guard let first = columns.first, let last = columns.last else { return }
            if hasWide { blankHalves(from: first, to: last, row: row) }
            for column in columns { places[row * self.columns + column] = place }
        }
    }

    /// The rows, and the columns, of an area that are in the grid.
    private func rows(of area: Area) -> Range<Int> {
        (area.row..<area.row + max(0, area.rows)).clamped(to: 0..<rows)
    }

    private func columns(of area: Area) -> Range<Int> {
        (area.column..<area.column + max(0, area.columns)).clamped(to: 0..<columns)
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
        let code = fits ? code(of: glyph.text) : 0x20
        places[row * columns + column] = Place(code: code, style: style)
        if isWide {
            hasWide = true
            places[row * columns + last] = Place(code: 0, style: style)
        }
    }

    private mutating func blankHalves(from first: Int, to last: Int, row: Int) {
        if self[first, row].text.isEmpty { self[first - 1, row].text = " " }
        if self[last + 1, row].text.isEmpty { self[last + 1, row].text = " " }
    }

    /// Gives everything in an area one style.
    mutating func restyle(_ area: Area, _ style: Style) {
        for row in rows(of: area) {
            for column in columns(of: area) { places[row * columns + column].style = style }
        }
    }

    /// Two screens are the same when they show the same.
    package static func == (left: Grid, right: Grid) -> Bool {
        left.columns == right.columns && left.rows == right.rows
            && (0..<left.rows).allSatisfy { left.changes(ofRow: $0, to: right) == nil }
    }

    /// Returns the columns in which a row differs from that of another grid of the same size, from
    /// the first to the last, in whole glyphs of both; `nil` if it does not differ.
    package func changes(ofRow row: Int, to other: Grid) -> Range<Int>? {
        let start = row * columns
        let columns = 0..<columns
        guard var first = columns.first(where: { differs(from: other, at: start + $0) }),
            var last = columns.last(where: { differs(from: other, at: start + $0) })
        else { return nil }
        func isSecondHalf(_ column: Int) -> Bool {
            places[start + column].code == 0 || other.places[start + column].code == 0
        }
        while first > 0, isSecondHalf(first) { first -= 1 }
        while last + 1 < columns.count, isSecondHalf(last + 1) { last += 1 }
        return first..<last + 1
    }

    private func differs(from other: Grid, at index: Int) -> Bool {
        let (place, there) = (places[index], other.places[index])
        guard place.style == there.style else { return true }
        if place.code == there.code, place.code < Self.firstMarked { return false }
        return text(of: place) != other.text(of: there)
    }

    /// Every cell, in its place, as `body` wants it.
    func mapCells(_ body: (Cell) -> Cell) -> Grid {
        var grid = self
        grid.marked = []
        for index in places.indices { grid.places[index] = grid.place(body(cell(places[index]))) }
        return grid
    }
}
