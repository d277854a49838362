/// One row of text with styles; it is escaped when it is drawn.
package struct Line: Sendable, Equatable {
    package struct Run: Sendable, Equatable {
        package var text: String
        var style: Style
    }

    package private(set) var runs: [Run] = []

    init() {}

    package init(_ text: String, _ style: Style = .plain) {
        append(text, style)
    }

    var isEmpty: Bool { runs.isEmpty }

    /// In columns.
    var width: Int {
        runs.reduce(0) { $0 + DisplayWidth.columns(of: $1.text) }
    }

    mutating func append(_ text: String, _ style: Style = .plain) {
        guard !text.isEmpty else { return }
        if let last = runs.indices.last, runs[last].style == style {
            runs[last].text += text
        } else {
            runs.append(Run(text: text, style: style))
        }
    }

    static func += (line: inout Line, other: Line) {
        for run in other.runs { line.append(run.text, run.style) }
    }

    package static func + (left: Line, right: Line) -> Line {
        var line = left
        line += right
        return line
    }

    /// The same words in one style.
    func styled(_ style: Style) -> Line {
        Line(runs.reduce(into: "") { $0 += $1.text }, style)
    }

    /// The words without their styles.
    package var text: String {
        runs.reduce(into: "") { $0 += $1.text }
    }
}

extension Line: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    package init(stringLiteral value: String) {
        self.init(value)
    }

    package init(stringInterpolation: Interpolation) {
        self = stringInterpolation.line
    }

    /// `"\("401", .bad) on \(path)"`: a text with its style, or a line in a line.
    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var line = Line()

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) {
            line.append(literal)
        }

        package mutating func appendInterpolation(_ text: String, _ style: Style = .plain) {
            line.append(text, style)
        }

        mutating func appendInterpolation(_ number: Int, _ style: Style = .plain) {
            line.append(String(number), style)
        }

        mutating func appendInterpolation(_ other: Line) {
            line += other
        }
    }
}
