internal import CNcurses
import UI

/// The ncurses screen, and the grid that was last drawn on it.
@MainActor
struct Canvas {
    /// The number of colors that the terminal supports, or 0 for none.
    let colors: Int
    private let depth: ColorDepth
    private let hasDefaultColors: Bool
    private var pairs: PairNumbers
    private var shown: Grid?
    private var theme: Theme?
    private var renditions: [Style: Rendition] = [:]

    private let output: UnsafeMutablePointer<cn_output>

    /// - Parameters:
    ///   - output: Where ncurses writes.
    ///   - isSynchronized: Whether the terminal is told where a frame begins and ends, so that it
    ///     shows none that is half done; one that does not know that mode has to ignore it.
    init(output: UnsafeMutablePointer<cn_output>, isSynchronized: Bool) {
        output.pointee.synchronized = isSynchronized ? 1 : 0
        self.output = output
        var defaults: Int32 = 0
        colors = Int(cn_start_colors(&defaults))
        depth = ColorDepth(colors: colors)
        hasDefaultColors = defaults != 0
        pairs = PairNumbers(limit: cn_pair_limit())
    }

    /// Marks the whole screen to be redrawn with the next grid.
    mutating func forget() {
        shown = nil
    }

    mutating func show(_ grid: Grid, theme: Theme) {
        if theme != self.theme {
            self.theme = theme
            let renditions = Style.allCases.map { depth.rendition(of: theme.appearance(of: $0)) }
            self.renditions = Dictionary(uniqueKeysWithValues: zip(Style.allCases, renditions))
            forget()
        }
        let changes = GridChange.all(from: shown, to: grid)
        if changes.isEmpty, shown != nil { return }
        if shown?.columns != grid.columns || shown?.rows != grid.rows { cn_erase() }
        let visible = (columns: Int(cn_columns()), rows: Int(cn_rows()))
        for change in changes where change.row < visible.rows {
            let columns = change.columns.clamped(to: 0..<visible.columns)
            let cells = grid.cells(ofRow: change.row, in: columns)
            paint(cells, from: columns.lowerBound, row: change.row)
        }
        shown = grid
        cn_show(output)
    }

    /// Shows the last grid again, regardless of what is on the terminal.
    func redraw() {
        cn_distrust()
        cn_show(output)
    }

    private mutating func paint(_ cells: [Grid.Cell], from first: Int, row: Int) {
        // Neighbors mostly have one style: it is looked up where it changes.
        var style: Style?
        var (attributes, pair): (UInt32, Int32) = (0, 0)
        for stroke in Stroke.row(cells, width: { Int(cn_width($0.value)) }) {
            if stroke.style != style {
                let rendition = renditions[stroke.style] ?? Rendition()
                style = stroke.style
                attributes = rendition.attributes.rawValue
                pair = number(of: rendition.colors)
            }
            cn_put(
                Int32(row),
                Int32(first + stroke.column),
                stroke.character,
                stroke.marks,
                Int32(stroke.marks.count),
                attributes,
                pair
            )
        }
    }

    private mutating func number(of pair: ColorPair) -> Int32 {
        pairs.number(of: pair) { [hasDefaultColors] number, pair in
            // Without default colors, ncurses assumes that the terminal is white on black.
            let foreground = pair.foreground ?? (hasDefaultColors ? -1 : 7)
            let background = pair.background ?? (hasDefaultColors ? -1 : 0)
            return init_extended_pair(number, foreground, background) != ERR
        }
    }
}

/// The part of a row in which two grids differ.
struct GridChange: Equatable {
    let row: Int
    let columns: Range<Int>

    /// - Returns: A change for each row that has one; for all of each row if no grid of this size was
    ///   shown before.
    static func all(from shown: Grid?, to wanted: Grid) -> [GridChange] {
        guard let shown, shown.columns == wanted.columns, shown.rows == wanted.rows else {
            return (0..<wanted.rows).map { GridChange(row: $0, columns: 0..<wanted.columns) }
        }
        return (0..<wanted.rows).compactMap { row in
            shown.changes(ofRow: row, to: wanted).map { GridChange(row: row, columns: $0) }
        }
    }
}
