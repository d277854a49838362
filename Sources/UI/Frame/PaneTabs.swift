/// The names of the panes in a row, where only one of them is shown.
struct PaneTabs {
    private struct Tab {
        let pane: PaneID
        let text: Line
    }

    private let tabs: [Tab]
    private let gap: Int

    /// - Parameters:
    ///   - panes: All panes of the screen.
    ///   - focus: The one that is shown.
    ///   - columns: The columns of the row; the others have no names if there is no room for them.
    init(_ panes: [any Pane.Type], focus: PaneID, columns: Int) {
        let numbered = panes.sorted { $0.id < $1.id }
        let named = Self.tabs(numbered, focus: focus, isNamed: true)
        let width = named.map(\.text.width).reduce(0, +)
        tabs = width <= columns ? named : Self.tabs(numbered, focus: focus, isNamed: false)
        let rest = columns - tabs.map(\.text.width).reduce(0, +)
        gap = min(2, max(0, rest / max(1, tabs.count - 1)))
    }

    var line: Line {
        tabs.map(\.text).joined(by: .blank(gap))
    }

    /// Returns the pane whose name is in a column, or `nil` if there is none.
    func pane(at column: Int) -> PaneID? {
        var start = 0
        for tab in tabs {
            let end = start + tab.text.width
            if (start..<end).contains(column) { return tab.pane }
            start = end + gap
        }
        return nil
    }

    private static func tabs(
        _ panes: [any Pane.Type],
        focus: PaneID,
        isNamed: Bool
    ) -> [Tab] {
        panes.map { pane in
            let number = pane.id.rawValue
            guard pane.id != focus else {
                return Tab(pane: pane.id, text: Line("▸\(number) \(pane.title)", .focus))
            }
            let text = isNamed ? " \(number) \(pane.title)" : " \(number)"
            return Tab(pane: pane.id, text: Line(text, .dim))
        }
    }
}
