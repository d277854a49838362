/// The layout of a screen of a given size.
struct ScreenLayout: Sendable {
    struct Placement: Sendable {
        var pane: any Pane.Type
        var area: Area

        /// Rows of text inside the border.
        var rows: Int { max(0, area.rows - 2) }

        /// Columns of text inside the border, which has a blank column at either side.
        var columns: Int { max(0, area.columns - 4) }
    }

    static let smallestColumns = 60
    static let smallestRows = 16

    /// The strip of sessions, if there are several.
    let strip: Area?
    /// The account, the backend and the clock.
    let header: Area
    /// The rows of the state, mostly one.
    let state: Area
    /// The names of the panes, where only one is shown at a time.
    let tabs: Area?
    let panes: [Placement]
    /// Keys, a notice or the filter.
    let hints: Area

    /// Creates a layout, or `nil` if the screen is too small.
    init?(
        columns: Int,
        rows: Int,
        focus: PaneID,
        panes: [any Pane.Type],
        hasStrip: Bool = false,
        stateRows: Int = 1,
        isZoomed: Bool = false,
        extent: (any Pane.Type) -> PaneExtent
    ) {
        guard columns >= Self.smallestColumns, rows >= Self.smallestRows else { return nil }
        var body = Area(columns: columns, rows: rows)
        strip = hasStrip ? body.takeTop(1) : nil
        header = body.takeTop(1)
        state = body.takeTop(stateRows)
        hints = body.takeBottom(1)
        let pairings = [true, false].filter { !$0 || columns >= PaneBands.twoColumns }
        let room = body.rows
        let kept = panes.filter { !$0.extent.givesWay || $0.id == focus }
        /// The first pairing of some panes that fits.
        func bands(of panes: [any Pane.Type], _ fits: (PaneBands) -> Bool) -> PaneBands? {
            for pairing in pairings {
                let bands = PaneBands(panes, pairing: pairing, focus: focus, extent: extent)
                if fits(bands) { return bands }
            }
            return nil
        }
        var roomy: PaneBands?
        for panes in Self.choices(of: panes, keeping: kept) where roomy == nil {
            roomy = bands(of: panes) { $0.comfortable <= room }
        }
        if !isZoomed, let bands = roomy ?? bands(of: kept, { $0.minimum <= room }) {
            tabs = nil
            self.panes = bands.placements(in: body, isScarce: roomy == nil)
        } else {
            tabs = body.takeTop(1)
            let pane = panes.first { $0.id == focus } ?? TokensPane.self
            self.panes = [Placement(pane: pane, area: body)]
        }
    }

    /// All panes, then without the last one that gives way, and so on, until none is left to do so.
    private static func choices(
        of panes: [any Pane.Type],
        keeping kept: [any Pane.Type]
    ) -> [[any Pane.Type]] {
        let yielding = panes.filter { pane in !kept.contains { $0.id == pane.id } }
        return (0..<max(1, yielding.count)).map { count in
            let left = Set(yielding.suffix(count).map { $0.id })
            return panes.filter { !left.contains($0.id) }
        }
    }

    func placement(of id: PaneID) -> Placement? {
        panes.first { $0.pane.id == id }
    }
}
