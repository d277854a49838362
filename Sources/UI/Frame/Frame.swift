import Model

/// Draws a whole screen.
struct Frame {
    let state: DashboardState
    let viewModel: ViewModel
    /// The strip of sessions, or `nil` if there is only one.
    let strip: SessionStrip?

    func draw(columns: Int, rows: Int) -> Grid {
        var grid = Grid(columns: columns, rows: rows)
        if let lock = state.lock {
            LockScreen(lock: lock, clock: viewModel.clock, keys: viewModel.keys).draw(on: &grid)
            return grid
        }
        let panes = state.panes
        let stateLines = HeaderLine.state(viewModel, columns: columns, rows: rows)
        guard
            let layout = ScreenLayout(
                columns: columns,
                rows: rows,
                focus: state.focus,
                panes: panes,
                hasStrip: strip != nil,
                stateRows: stateLines.count,
                isZoomed: state.isZoomed,
                extent: { $0.extent(viewModel) }
            )
        else {
            drawTooSmall(on: &grid)
            return grid
        }
        if let strip, let area = layout.strip {
            grid.write(strip.line(columns: columns, keys: viewModel.keys), in: area, row: 0)
        }
        grid.write(HeaderLine.identity(viewModel, columns: columns), in: layout.header, row: 0)
        grid.write(stateLines, in: layout.state)
        let bottom = bottom(columns: columns, rows: rows)
        let end = layout.hints.row + 1 - bottom.count
        if let tabs = layout.tabs {
            let line = PaneTabs(panes, focus: state.focus, columns: columns).line
            grid.write(line, in: tabs, row: 0)
        }
        if let proxy = viewModel.proxy, state.isWaiting {
            drawGuide(proxy, in: body(of: layout, above: end, on: grid), on: &grid)
        } else {
            for placement in layout.panes {
                draw(placement.pane, in: placement.area.cut(above: end), on: &grid)
            }
        }
        if state.overlay != nil {
            drawOverlay(in: body(of: layout, above: end, on: grid), on: &grid)
        }
        grid.write(bottom, in: Area(row: end, columns: columns, rows: bottom.count))
        return grid
    }

    /// Draws a pane, unless only its border would fit.
    private func draw(_ pane: any Pane.Type, in area: Area, on grid: inout Grid) {
        guard area.rows > 2 else { return }
        PaneView.draw(pane, viewModel, isFocused: pane.id == state.focus, in: area, on: &grid)
    }

    /// Returns the filter being edited, a notice, or the keys: text that needs more than one row covers
    /// the rows above.
    private func bottom(columns: Int, rows: Int) -> [Line] {
        if let prompt = state.prompt?.filter {
            return prompt.lines(columns: columns, keys: viewModel.keys)
        }
        if let notice = state.notice, !notice.isOver(viewModel.clock) {
            let lasting = HintLine.lasting(mode: state.mode, viewModel: viewModel)
            return notice.lines(beside: lasting, columns: columns, rows: rows / 3)
        }
        return [HintLine.line(mode: state.mode, viewModel: viewModel, columns: columns)]
    }

    /// Draws what to type in place of the panes, until there is something to show in them.
    private func drawGuide(_ proxy: ProxyRoutes, in body: Area, on grid: inout Grid) {
        let inner = grid.drawBorder(
            body,
            title: Line(" Waiting for your app ", .title),
            notes: [],
            style: .border
        )
        guard !inner.isEmpty else { return }
        let refused = OmissionText.sentences(viewModel.book).flatMap { text in
            (Line("⚠ ", .warning) + Line(text, .warning)).wrapped(to: inner.columns, indent: 2)
        }
        let gap = refused.isEmpty ? [] : [Line()]
        let guide = AppGuide(routes: proxy).lines(state.guideKind, columns: inner.columns)
        grid.write(gap + refused + [Line()] + guide, in: inner)
    }

    /// All rows between the header and a row.
    private func body(of layout: ScreenLayout, above end: Int, on grid: Grid) -> Area {
        let below = (layout.strip?.rows ?? 0) + layout.header.rows + layout.state.rows
        return Area(row: below, columns: grid.columns, rows: max(0, end - below))
    }

    private func drawOverlay(in body: Area, on grid: inout Grid) {
        guard let overlay = state.overlay else { return }
        grid.restyle(body, .dim)
        var document = overlay.document(viewModel)
        // A picture consists of blocks, which ASCII does not have.
        if state.configuration.isASCII { document.picture = [] }
        OverlayView(document: document, scroll: overlay.scroll).draw(in: body, on: &grid)
    }

    private func drawTooSmall(on grid: inout Grid) {
        let has = "\(grid.columns) × \(grid.rows)"
        let needs = "\(ScreenLayout.smallestColumns) × \(ScreenLayout.smallestRows)"
        let quits = "\(viewModel.keys.name(of: .quit)) quits"
        let ways: [Line] = [
            Line(" authtop needs a screen of \(needs), this one has \(has) · \(quits)"),
            Line("needs \(needs), has \(has) · \(quits)"),
            Line("needs \(needs), has \(has)"),
            Line("needs \(needs)"),
        ]
        let area = Area(columns: grid.columns, rows: grid.rows)
        grid.write(Line.first(of: ways, fitting: grid.columns), in: area, row: grid.rows / 2)
    }
}
