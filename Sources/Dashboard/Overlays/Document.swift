/// A text that is read in a box over the panes.
package struct Document: Sendable, Equatable {
    package var title: String
    package var lines: [Line]

    package init(title: String, lines: [Line] = []) {
        self.title = title
        self.lines = lines
    }

    /// A heading, with a blank line before it.
    package mutating func addHeading(_ words: String) {
        if !lines.isEmpty { lines.append(Line()) }
        lines.append(Line(words, .title))
    }

    /// A name and what stands beside it.
    package mutating func add(_ name: String, _ value: Line) {
        lines.append(Line(name, .dim).fitted(to: Self.nameWidth) + value)
    }

    package mutating func add(_ name: String, _ value: String, _ style: Style = .plain) {
        add(name, Line(value, style))
    }

    package mutating func add(_ line: Line) {
        lines.append(line)
    }

    /// As rows of a box.
    package func rows(columns: Int) -> [Line] {
        lines.flatMap { $0.wrapped(to: columns, indent: Self.nameWidth) }
    }

    package static let nameWidth = 13
}
