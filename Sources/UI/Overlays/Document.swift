/// The text of an overlay.
struct Document: Sendable, Equatable {
    var title: String
    var lines: [Line]
    /// Lines beside the others if there is room, otherwise below them.
    var aside: [Line] = []
    /// The rows of a picture, beside the lines or below them if all of it fits, and otherwise left
    /// out.
    var picture: [Line] = []
    /// Of the rows that follow when a line is broken.
    var indent = nameWidth
    /// The lines that are cut at the edge rather than broken, such as the rows of a list.
    var unbroken: Set<Int> = []
    /// The lines of a list that have to be in sight.
    var selected: Range<Int>?

    init(title: String, lines: [Line] = []) {
        self.title = title
        self.lines = lines
    }

    /// A heading, with a blank line before it.
    mutating func addHeading(_ text: String) {
        if !lines.isEmpty { lines.append(Line()) }
        lines.append(Line(text, .title))
    }

    /// Adds a name with a value.
    mutating func add(_ name: String, _ value: Line) {
        lines.append(Line(name, .dim).fitted(to: Self.nameWidth) + value)
    }

    mutating func add(_ name: String, _ value: String, _ style: Style = .plain) {
        add(name, Line(value, style))
    }

    mutating func add(_ line: Line) {
        lines.append(line)
    }

    /// Adds a line that is cut at the edge rather than broken.
    mutating func addUnbroken(_ line: Line) {
        unbroken.insert(lines.count)
        lines.append(line)
    }

    /// Adds the lines of another document, in its way of breaking them.
    mutating func add(_ other: Document) {
        indent = other.indent
        unbroken.formUnion(other.unbroken.map { $0 + lines.count })
        lines += other.lines
    }

    /// The lines in which a text is found, each below its heading, and all below a heading in which
    /// it is found.
    func lines(with needle: Needle) -> Document {
        var found = Document(title: title)
        found.indent = indent
        var heading: Line?
        var isOfHeading = false
        for (index, line) in (lines + aside).enumerated() {
            if line.runs.count == 1, line.runs.allSatisfy({ $0.style == .title }) {
                heading = line
                isOfHeading = needle.isIn(line.text)
                continue
            }
            guard !line.isEmpty, isOfHeading || needle.isIn(line.text) else { continue }
            if let text = heading?.text { found.addHeading(text) }
            heading = nil
            if unbroken.contains(index) { found.addUnbroken(line) } else { found.add(line) }
        }
        if found.lines.isEmpty { found.add(Line("nothing matches", .dim)) }
        return found
    }

    /// As rows of an overlay, with the picture if no more than this many rows are needed.
    func rows(columns: Int, limit: Int) -> [Line] {
        let text = rows(columns: columns)
        guard let width = picture.map(\.width).max() else { return text }
        let left = columns - width - Self.pictureGap
        if left >= Self.narrowestText {
            let beside = rows(columns: left)
            let count = max(beside.count, picture.count)
            let textWidth = beside.map(\.width).max() ?? 0
            if count <= limit {
                return (0..<count).map { row in
                    let first = row < beside.count ? beside[row] : Line()
                    return first.fitted(to: textWidth + Self.pictureGap)
                        + (row < picture.count ? picture[row] : Line())
                }
            }
        }
        let below = text + [Line()] + picture
        return below.count <= limit && width <= columns ? below : text
    }

    /// As rows of an overlay.
    func rows(columns: Int) -> [Line] {
        let half = (columns - 3) / 2
        guard half >= Self.narrowestHalf, !aside.isEmpty else {
            return lines.enumerated().flatMap { index, line in
                unbroken.contains(index) ? [line.limited(to: columns)] : wrapped([line], columns)
            } + wrapped(aside.isEmpty ? [] : [Line()] + aside, columns)
        }
        let left = wrapped(lines, half)
        let right = wrapped(aside, half)
        return (0..<max(left.count, right.count)).map { row in
            let first = row < left.count ? left[row] : Line()
            return first.fitted(to: half + 3) + (row < right.count ? right[row] : Line())
        }
    }

    /// The rows of the lines that have to be in sight, or `nil` if there are none.
    func selectedRows(columns: Int) -> Range<Int>? {
        guard let selected else { return nil }
        func rows(upTo line: Int) -> Int {
            var above = self
            above.lines = Array(lines[..<line])
            return above.rows(columns: columns).count
        }
        return rows(upTo: selected.lowerBound)..<rows(upTo: selected.upperBound)
    }

    private func wrapped(_ lines: [Line], _ columns: Int) -> [Line] {
        lines.flatMap { $0.wrapped(to: columns, indent: indent) }
    }

    static let nameWidth = 13
    private static let narrowestHalf = 54
    private static let narrowestText = 32
    private static let pictureGap = 3
}
