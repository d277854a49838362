import Basics

extension Grid {
    /// The screen as an SVG 1.1 document, for documents and web pages.
    ///
    /// Borders and bars are drawn as shapes, so that they join in any font.
    package func svg(theme: Theme) -> String {
        SVGDrawing(grid: self, theme: theme).document
    }
}

/// A screen as shapes and texts, in cells of a fixed size.
struct SVGDrawing {
    /// Pixels.
    static let cell = (width: 8.4, height: 18.0)
    private static let fontSize = 14.0
    private static let margin = 12.0
    /// The distance of the base line from the top of a cell.
    private static let baseline = 13.5

    let grid: Grid
    let theme: Theme

    var document: String {
        let margin = Self.number(Self.margin)
        let rows = (0..<grid.rows).flatMap { elements(ofRow: $0, at: $0) }
        return document(of: ["<g transform=\"translate(\(margin) \(margin))\">"] + rows + ["</g>"])
    }

    /// The beginning of an element through which as much is seen as a screen has room for.
    var window: String {
        let margin = Self.number(Self.margin)
        let width = Self.number(Double(grid.columns) * Self.cell.width)
        let height = Self.number(Double(grid.rows) * Self.cell.height)
        return "<svg x=\"\(margin)\" y=\"\(margin)\" width=\"\(width)\" height=\"\(height)\">"
    }

    /// Returns a document of the screen's size and ground with these elements.
    func document(of elements: [String]) -> String {
        let width = Double(grid.columns) * Self.cell.width + 2 * Self.margin
        let height = Double(grid.rows) * Self.cell.height + 2 * Self.margin
        let size = "\(Self.number(width)) \(Self.number(height))"
        let family = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"
        let head = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size)" \
            width="\(Self.number(width))" height="\(Self.number(height))" \
            font-family="\(family)" font-size="\(Self.number(Self.fontSize))">
            """,
            #"<rect width="100%" height="100%" rx="8" fill="\#(colors.background)"/>"#,
        ]
        return (head + elements + ["</svg>"]).joined(separator: "\n")
    }

    /// Returns the elements of a row, drawn where another row may be.
    func elements(ofRow row: Int, at place: Int) -> [String] {
        runs(in: row).flatMap { shapes(of: $0, row: place) }
    }

    // MARK: - Runs

    /// Cells of one style that are drawn as one element.
    private struct Run {
        var column: Int
        var style: Style
        var kind: Kind
        var cells: [String]
    }

    private enum Kind: Equatable {
        case text
        /// One character, repeated, that is drawn as a shape.
        case shape(String)
    }

    private func runs(in row: Int) -> [Run] {
        var runs: [Run] = []
        for column in 0..<grid.columns {
            let cell = grid[column, row]
            let kind = Self.shapes.contains(cell.text) ? Kind.shape(cell.text) : .text
            if let last = runs.last, last.style == cell.style, last.kind == kind {
                runs[runs.count - 1].cells.append(cell.text)
            } else {
                runs.append(Run(column: column, style: cell.style, kind: kind, cells: [cell.text]))
            }
        }
        return runs
    }

    // MARK: - Elements

    private static let shapes: Set<String> = [
        "─", "│", "┃", "╭", "╮", "╰", "╯", "█", "░",
    ]

    private func shapes(of run: Run, row: Int) -> [String] {
        let appearance = theme.appearance(of: run.style)
        let x = Double(run.column) * Self.cell.width
        let y = Double(row) * Self.cell.height
        let width = Double(run.cells.count) * Self.cell.width
        let foreground = appearance.foreground.map(Self.color) ?? colors.foreground
        let background = appearance.background.map(Self.color)
        let fill = appearance.isReversed ? background ?? colors.background : foreground
        let ground = appearance.isReversed ? foreground : background
        let opacity = appearance.isDim ? #" opacity="0.6""# : ""
        var elements: [String] = []
        if let ground {
            elements.append(rectangle(x, y, width, Self.cell.height, ground))
        }
        switch run.kind {
        case .shape("█"):
            elements.append(rectangle(x, y + 3, width, Self.cell.height - 6, fill, opacity))
        case .shape("░"):
            let faint = #" opacity="0.25""#
            elements.append(rectangle(x, y + 3, width, Self.cell.height - 6, fill, faint))
        case .shape(let character):
            elements.append(
                #"<path d="\#(path(character, x, y, run.cells.count))" fill="none" "#
                    + #"stroke="\#(fill)" stroke-width="\#(character == "┃" ? 3 : 1)"\#(opacity)/>"#
            )
        case .text:
            elements += texts(of: run, y: y, fill, appearance, opacity)
        }
        return elements
    }

    /// A text element for the words of a run, and none for the blanks around them.
    private func texts(
        of run: Run,
        y: Double,
        _ fill: String,
        _ appearance: Appearance,
        _ opacity: String
    ) -> [String] {
        guard let first = run.cells.firstIndex(where: { $0 != " " }),
            let last = run.cells.lastIndex(where: { $0 != " " })
        else { return [] }
        let x = Double(run.column + first) * Self.cell.width
        let width = Double(last - first + 1) * Self.cell.width
        let weight = appearance.isBold ? #" font-weight="bold""# : ""
        let line = appearance.isUnderlined ? #" text-decoration="underline""# : ""
        let text = run.cells[first...last].joined().map(Self.escaped).joined()
        return [
            """
            <text x="\(Self.number(x))" y="\(Self.number(y + Self.baseline))" \
            textLength="\(Self.number(width))" xml:space="preserve" \
            fill="\(fill)"\(weight)\(line)\(opacity)>\(text)</text>
            """
        ]
    }

    private func rectangle(
        _ x: Double,
        _ y: Double,
        _ width: Double,
        _ height: Double,
        _ fill: String,
        _ rest: String = ""
    ) -> String {
        """
        <rect x="\(Self.number(x))" y="\(Self.number(y))" width="\(Self.number(width))" \
        height="\(Self.number(height))" fill="\(fill)"\(rest)/>
        """
    }

    private func path(_ character: String, _ x: Double, _ y: Double, _ count: Int) -> String {
        let (width, height) = Self.cell
        let (middle, half) = (y + height / 2, x + width / 2)
        /// A quarter of a circle, from below or above a cell's center to the side of the cell.
        func corner(fromTop: Bool, toRight: Bool) -> String {
            let radius = width / 2
            let edge = fromTop ? y : y + height
            let start = fromTop ? middle - radius : middle + radius
            let sweep = fromTop == toRight ? 0 : 1
            let end = toRight ? x + width : x
            return "M\(Self.number(half)) \(Self.number(edge))V\(Self.number(start))"
                + "A\(Self.number(radius)) \(Self.number(radius)) 0 0 \(sweep) "
                + "\(Self.number(end)) \(Self.number(middle))"
        }
        switch character {
        case "─":
            return "M\(Self.number(x)) \(Self.number(middle))h\(Self.number(Double(count) * width))"
        case "╭": return corner(fromTop: false, toRight: true)
        case "╮": return corner(fromTop: false, toRight: false)
        case "╰": return corner(fromTop: true, toRight: true)
        case "╯": return corner(fromTop: true, toRight: false)
        default:
            return (0..<count).map {
                let column = half + Double($0) * width
                return "M\(Self.number(column)) \(Self.number(y))v\(Self.number(height))"
            }.joined()
        }
    }

    // MARK: - Colors

    private var colors: (foreground: String, background: String) {
        theme.ground == .light ? ("#1f2328", "#ffffff") : ("#d4d8dd", "#10141a")
    }

    private static func color(_ color: Color) -> String {
        "#" + color.parts.hexadecimal
    }

    // MARK: - Text

    private static func escaped(_ character: Character) -> String {
        switch character {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        default: String(character)
        }
    }

    /// A number of pixels with one decimal at most.
    static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
