/// The palette as it is read: what is written, and the rows that match it.
struct PaletteText<Action: Sendable> {
    /// The rows that are shown, so that it fits on the smallest screen, and stays where it is while
    /// it is searched.
    private static var height: Int { 9 }
    private static var keyWidth: Int { 10 }

    let title: String
    let list: PaletteList<Action>

    var document: Document {
        var document = Document(title: title)
        let text = FormRow.end(of: list.palette.text, room: 48)
        document.addUnbroken(Line(":", .key) + text + FormRow.cursor)
        let all = list.all
        let titleWidth = (all.map { Line($0.title).width }.max() ?? 0) + 2
        let width = all.map { 2 + Self.keyWidth + titleWidth + Line($0.help).width }.max() ?? 0
        let rows = list.rows
        let top = max(0, min(list.palette.selected - Self.height / 2, rows.count - Self.height))
        for place in top..<top + Self.height {
            guard rows.indices.contains(place) else {
                let isNone = rows.isEmpty && place == top
                document.addUnbroken(Line(isNone ? "nothing matches" : "", .dim).fitted(to: width))
                continue
            }
            let isSelected = place == list.palette.selected
            let row = line(rows[place], titleWidth, isSelected: isSelected).fitted(to: width)
            document.addUnbroken(isSelected ? row.styled(.selected) : row)
        }
        let obstacle = list.selected?.obstacle
        let count = rows.count > Self.height ? "\(rows.count) match" : ""
        document.addUnbroken(Line(obstacle.map { "not now: \($0)" } ?? count, .dim))
        return document
    }

    private func line(_ row: PaletteRow<Action>, _ titleWidth: Int, isSelected: Bool) -> Line {
        let isPossible = row.obstacle == nil
        let key = Line(row.key, isPossible ? .key : .dim).fitted(to: Self.keyWidth)
        let title = Line(row.title, isPossible ? .plain : .dim).fitted(to: titleWidth)
        return Line(isSelected ? "▸ " : "  ") + key + title + Line(row.help, .dim)
    }
}
