import Basics
import Model

extension DashboardState {
    /// The lines that one turn of the wheel moves.
    private static let wheelLines = 3

    /// Focuses the pane under the pointer, and moves or opens what is there.
    mutating func handle(_ event: MouseEvent) {
        notice = nil
        lastKeyAt = lastMoment?.now ?? lastKeyAt
        switch mode {
        case .panes, .replay: break
        case .overlay, .choice, .faults, .experiments:
            return turn(event.kind)
        case .palette:
            guard event.kind != .click else { return }
            return selectInPalette(by: event.kind == .wheelUp ? -1 : 1)
        case .waiting, .question, .prompt, .form, .request, .locked, .authorization:
            return
        }
        guard let layout = currentLayout else { return }
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
