extension Line {
    /// Blanks; no line if the number is not positive.
    static func blank(_ columns: Int) -> Line {
        // `String(repeating:count:)` appends them one by one.
        Line(
            String(unsafeUninitializedCapacity: max(0, columns)) { bytes in
                bytes.initialize(repeating: UInt8(ascii: " "))
                return bytes.count
            }
        )
    }

    /// The line in exactly `columns` columns: cut with `…`, which never splits a wide glyph, or
    /// filled with blanks.
    func fitted(to columns: Int, flushRight: Bool = false) -> Line {
        guard columns > 0 else { return Line() }
        let width = width
        if width > columns { return cut(to: columns) }
        let blanks = Line.blank(columns - width)
        return flushRight ? blanks + self : self + blanks
    }

    /// The line in at most `columns` columns.
    func limited(to columns: Int) -> Line {
        // No text has more columns than bytes, and most are far from the edge.
        let bytes = runs.reduce(0) { $0 + $1.text.utf8.count }
        return bytes > columns && width > columns ? cut(to: max(0, columns)) : self
    }

    private func cut(to columns: Int) -> Line {
        guard columns > 0 else { return Line() }
        var line = Line()
        // Blanks at the end are cut without a sign.
        let losesText = width - blanksAtEnd > columns
        var left = losesText ? columns - 1 : columns
        cutting: for run in runs {
            var text = ""
            for glyph in Glyphs(run.text) {
                guard glyph.width <= left else {
                    line.append(text, run.style)
                    if losesText { line.append(Glyph.ellipsis.text, run.style) }
                    break cutting
                }
                text += glyph.text
                left -= glyph.width
            }
            line.append(text, run.style)
        }
        line += .blank(columns - line.width)
        return line
    }

    private var blanksAtEnd: Int {
        var count = 0
        for run in runs.reversed() {
            let blanks = run.text.utf8.reversed().prefix { $0 == UInt8(ascii: " ") }.count
            count += blanks
            guard blanks == run.text.utf8.count else { break }
        }
        return count
    }

    /// `left` and `right` at the two ends of `columns`; the right one goes first when both do not
    /// fit.
    package static func spread(_ left: Line, _ right: Line, over columns: Int) -> Line {
        let gap = columns - left.width - right.width
        guard !right.isEmpty, gap >= 1 else { return left.fitted(to: columns) }
        return left + .blank(gap) + right
    }

    /// Returns the first of several variants that fits, otherwise the last one, truncated.
    package static func first(of ways: [Line], fitting columns: Int) -> Line {
        ways.first { $0.width <= columns } ?? (ways.last ?? Line()).limited(to: columns)
    }

    /// The line over as many rows of at most `columns` as it takes, broken at blanks where there
    /// are any, the following rows indented.
    package func wrapped(to columns: Int, indent: Int = 0) -> [Line] {
        guard columns > indent, columns > 1, width > columns else { return [self] }
        var wrapper = LineWrapper(columns: columns, indent: indent)
        for run in runs {
            for glyph in Glyphs(run.text) { wrapper.take(glyph, run.style) }
        }
        return wrapper.finished()
    }
}

extension [Line] {
    /// At most this many of the lines; the last one ends in `…` if others follow it.
    func limited(to count: Int, _ columns: Int) -> [Line] {
        guard self.count > count, count > 0 else { return self }
        let rest = self[count...].reduce(self[count - 1]) { $0 + $1.unindented }
        return prefix(count - 1) + [rest.limited(to: columns)]
    }
}

extension Line {
    /// The line without the blanks that it begins with.
    fileprivate var unindented: Line {
        runs.reduce(into: Line()) { line, run in
            let text =
                line.isEmpty
                ? run.text.unicodeScalars.drop { $0 == " " } : run.text.unicodeScalars[...]
            line.append(String(text), run.style)
        }
    }
}

extension Sequence where Element == Line {
    func joined(by separator: Line) -> Line {
        var line = Line()
        for element in self where !element.isEmpty {
            if !line.isEmpty { line += separator }
            line += element
        }
        return line
    }
}
