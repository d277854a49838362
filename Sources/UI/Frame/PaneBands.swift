/// The panes as bands over the whole width, each of one pane or of two neighbors.
struct PaneBands {
    /// The number of columns from which two panes share a band.
    static let twoColumns = 76

    private let bands: [[any Pane.Type]]
    private let focus: PaneID
    /// The room that each band wants.
    private let extents: [PaneExtent]

    init(
        _ panes: [any Pane.Type],
        pairing: Bool,
        focus: PaneID,
        extent: (any Pane.Type) -> PaneExtent
    ) {
        self.focus = focus
        let bands: [[any Pane.Type]] = panes.reduce(into: []) { bands, pane in
            if pairing, pane.extent.isHalf, let last = bands.last, last.count == 1,
                last[0].extent.isHalf
            {
                bands[bands.count - 1].append(pane)
            } else {
                bands.append([pane])
            }
        }
        self.bands = bands
        extents = bands.map { Self.extent($0.map(extent)) }
    }

    /// The least number of rows, including borders.
    var minimum: Int {
        extents.reduce(0) { $0 + 2 + $1.minimum }
    }

    /// Rows with which no band lacks anything, borders included.
    var comfortable: Int {
        extents.reduce(0) { $0 + 2 + $1.comfortable }
    }

    func placements(in area: Area, isScarce: Bool) -> [ScreenLayout.Placement] {
        var rest = area
        let heights = heights(of: area.rows, isScarce: isScarce)
        return zip(bands, heights).flatMap { band, height in
            let row = rest.takeTop(height)
            let left = band.count == 1 ? row.columns : row.columns / 2
            return band.enumerated().map { place, pane in
                let columns = place == 0 ? left : row.columns - left
                let column = row.column + (place == 0 ? 0 : left)
                return ScreenLayout.Placement(
                    pane: pane,
                    area: Area(column: column, row: row.row, columns: columns, rows: row.rows)
                )
            }
        }
    }

    /// Borders included: first what each needs, then what is comfortable, then the most each can
    /// use, then the rest to those that take any.
    ///
    /// Where a pane has given way, or not all are comfortable, a list that has the focus takes what
    /// the panes that are no lists leave.
    private func heights(of rows: Int, isScarce: Bool) -> [Int] {
        var heights = extents.map { $0.minimum + 2 }
        var spare = rows - heights.reduce(0, +)
        if isScarce, let list = bands.indices.first(where: isFocusedList) {
            let limits = extents.map { $0.maximum == nil ? 0 : $0.comfortable + 2 }
            share(&spare, among: &heights, upTo: limits)
            let room = extents[list].maximum.map { $0 + 2 - heights[list] } ?? spare
            let growth = max(0, min(room, spare))
            heights[list] += growth
            spare -= growth
        }
        share(&spare, among: &heights, upTo: extents.map { $0.comfortable + 2 })
        share(&spare, among: &heights, upTo: extents.map { ($0.maximum ?? 0) + 2 })
        share(&spare, among: &heights, upTo: extents.map { $0.maximum == nil ? rows : 0 })
        if spare > 0, let last = heights.indices.last { heights[last] += spare }
        return heights
    }

    /// A row to each in turn, until there are none or all have enough.
    private func share(_ spare: inout Int, among heights: inout [Int], upTo limits: [Int]) {
        while spare > 0 {
            let open = heights.indices.filter { heights[$0] < limits[$0] }
            guard !open.isEmpty else { return }
            for index in open.prefix(spare) {
                heights[index] += 1
                spare -= 1
            }
        }
    }

    /// Whether a band is the list that has the focus, and has more to show than is comfortable.
    private func isFocusedList(_ index: Int) -> Bool {
        let extent = extents[index]
        return bands[index].contains { $0.id == focus && $0 is any ListPane.Type }
            && extent.maximum.map { $0 > extent.comfortable } ?? true
    }

    private static func extent(_ extents: [PaneExtent]) -> PaneExtent {
        let takesAny = extents.contains { $0.maximum == nil }
        return PaneExtent(
            isHalf: false,
            minimum: extents.map(\.minimum).max() ?? 0,
            comfortable: extents.map(\.comfortable).max() ?? 0,
            maximum: takesAny ? nil : extents.compactMap(\.maximum).max()
        )
    }
}
