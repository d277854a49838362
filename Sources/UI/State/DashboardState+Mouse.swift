import Basics
import Model

extension DashboardState {
    /// The lines that one turn of the wheel moves.
    private static let wheelLines = 3

    /// Does what the last row names under the pointer; elsewhere focuses the pane there, and moves
    /// or opens what it shows.
    ///
    /// No click answers a question, fills a form or unlocks the screen: the second half of a double
    /// click could.
    mutating func handle(_ event: MouseEvent) -> [DashboardCommand] {
        let named = event.kind == .click ? namedCommand(at: event) : nil
        notice = nil
        lastKeyAt = lastMoment?.now ?? lastKeyAt
        switch mode {
        case .panes, .replay, .waiting, .overlay, .choice, .faults, .experiments, .palette:
            if let named { return perform(named) }
        case .question, .prompt, .form, .request, .locked, .authorization: return []
        }
        switch mode {
        case .panes, .replay: point(event)
        case .waiting: break
        case .palette:
            if event.kind != .click { selectInPalette(by: event.kind == .wheelUp ? -1 : 1) }
        default: turn(event.kind)
        }
        return []
    }

    /// The command that the last row names under the pointer.
    private func namedCommand(at event: MouseEvent) -> KeyCommand? {
        guard event.row == rows - 1, currentLayout != nil else { return nil }
        let viewModel = presentViewModel
        return HintLine.command(
            at: event.column,
            mode: mode,
            viewModel: viewModel,
            columns: columns,
            areLastingOnly: notice.map { !$0.isOver(viewModel.clock) } ?? false
        )
    }

    /// What the strip, the tabs and the panes have under the pointer.
    private mutating func point(_ event: MouseEvent) {
        guard let layout = currentLayout else { return }
        if event.kind == .click, let strip = layout.strip, strip.contains(event.column, event.row) {
            return selectFromStrip(column: event.column)
        }
        if event.kind == .click, let tabs = layout.tabs, tabs.contains(event.column, event.row) {
            let row = PaneTabs(
                panes,
                focus: focus,
                columns: tabs.columns
            )
            if let pane = row.pane(at: event.column - tabs.column) { focus = pane }
            return
        }
        guard
            let placement = layout.panes.first(where: { $0.area.contains(event.column, event.row) })
        else { return }
        focus = placement.pane.id
        switch event.kind {
        case _ where focus == LifelinePane.id && event.kind != .click: turnLifeline(event.kind)
        case .click where focus == LifelinePane.id:
            clickLifeline(
                column: event.column - placement.area.column - 2,
                columns: placement.columns
            )
        case .wheelUp, .wheelDown:
            guard placement.pane is any ListPane.Type else { return }
            turn(event.kind)
        case .click:
            click(row: event.row - placement.area.row - 1, in: placement)
        }
    }

    private mutating func selectFromStrip(column: Int) {
        guard let lastMoment,
            let id = strip(at: lastMoment)
                .session(at: column, columns: columns, keys: configuration.keys)
        else { return }
        selection = id
        hasChosenSession = true
    }

    private mutating func turn(_ kind: MouseEvent.Kind) {
        guard kind != .click else { return }
        for _ in 0..<Self.wheelLines { move(kind == .wheelUp ? .up : .down) }
    }

    /// Selects a line of a list; a line that is selected already is opened.
    private mutating func click(row: Int, in placement: ScreenLayout.Placement) {
        guard let list = placement.pane as? any ListPane.Type else { return }
        let viewModel = presentViewModel
        let before = lists[focus] ?? ListState()
        guard let position = list.position(ofRow: row, viewModel, rows: placement.rows) else {
            return
        }
        lists[focus, default: ListState()].position = position
        guard case .held(let number, _) = position, case .held(number, _) = before.position else {
            return
        }
        openDetail()
    }
}
