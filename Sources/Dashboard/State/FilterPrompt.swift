/// The filter that is being written.
package struct FilterPrompt: Sendable, Equatable {
    package let pane: PaneID
    package var text: String

    package init(pane: PaneID, text: String) {
        self.pane = pane
        self.text = text
    }

    func line(columns: Int) -> Line {
        let fields = (PaneCatalogue.pane(pane) as? any ListPane.Type)?.fields ?? []
        let hint = fields.map { "\($0):" }.joined(separator: " ")
        let left = Line(" /", .key) + Line(text) + Line(" ", .selected)
        let keys = Line("  ") + "\("Enter", .key) keep  \("Esc", .key) clear "
        let right = [Line(hint, .dim) + keys, keys]
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
