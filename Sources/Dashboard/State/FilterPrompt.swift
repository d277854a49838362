/// The filter that is being written.
package struct FilterPrompt: Sendable, Equatable {
    package let pane: PaneID
    package var text: String
    /// Whether Enter was pressed although there is a mistake.
    package var isRefused = false

    package init(pane: PaneID, text: String) {
        self.pane = pane
        self.text = text
    }

    func line(columns: Int) -> Line {
        let fields = (PaneCatalogue.pane(pane) as? any ListPane.Type)?.fields ?? []
        let hint = FilterField.names(of: fields)
        let left = Line(" /", .key) + Line(text) + Line(" ", .selected)
        let keys = Line("  ") + "\("Enter", .key) keep  \("Esc", .key) clear "
        let mistake = Filter(text, fields: fields).mistakes.first
        let style: Style = isRefused ? .warning : .dim
        let right =
            mistake.map { mistake in
                [mistake.message, "expected \(mistake.field.expected)"].map {
                    Line("\($0) ", style)
                }
            } ?? [Line(hint, .dim) + keys, keys]
        let fitting = right.first { $0.width + left.width + 1 <= columns }
        guard let fitting else {
            // The end of a long text is the part that is being written.
            let room = max(0, columns - 3)
            let tail = String(text.suffix(room))
            return Line(" /", .key) + Line(tail) + Line(" ", .selected)
        }
        return Line.spread(left, fitting, over: columns)
    }
}
