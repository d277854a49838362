package import Model

/// A pane that shows a log.
package protocol ListPane: Pane {
    associatedtype Entry: Numbered

    /// What a filter can name.
    static var fields: [FilterField] { get }
    /// Rows above the list: the heads of its columns, or a state.
    static var rowsAbove: Int { get }
    static func log(_ scene: Scene) -> BoundedLog<Entry>
    /// Whether an entry passes a filter.
    static func matches(_ entry: Entry, _ filter: Filter, _ scene: Scene) -> Bool
    static func heading(_ scene: Scene, columns: Int) -> [Line]
    static func line(_ entry: Entry, _ scene: Scene, columns: Int) -> Line
    /// Returns the text of an empty list.
    static func emptyText(_ scene: Scene) -> String
}

extension ListPane {
    package static func window(_ scene: Scene, rows: Int) -> ListWindow<Entry> {
        ListWindow(
            log(scene),
            state: scene.list(of: id),
            height: rows - rowsAbove,
            matches: { matches($0, $1, scene) }
        )
    }

    package static func lines(_ scene: Scene, columns: Int, rows: Int) -> [Line] {
        let window = window(scene, rows: rows)
        var lines = Array(heading(scene, columns: columns).prefix(rows))
        if window.count == 0 {
            let filter = scene.list(of: id).filter
            guard !filter.isEmpty else { return lines + [Line(emptyText(scene), .dim)] }
            lines.append(Line("nothing matches the filter", .dim))
            if let unknown = filter.unknownFields.first {
                let names = FilterField.names(of: fields)
                lines.append(Line("\(unknown): is no field here: \(names)", .warning))
            }
            return Array(lines.prefix(rows))
        }
        for (row, entry) in window.visible.enumerated() {
            let line = line(entry, scene, columns: columns)
            let isSelected = window.cursor == window.top + row
            lines.append(isSelected ? line.fitted(to: columns).styled(.selected) : line)
        }
        return lines
    }

    package static func cursor(_ scene: Scene, rows: Int) -> Int? {
        guard !scene.list(of: id).isFollowing else { return nil }
        let window = window(scene, rows: rows)
        return window.cursor.map { $0 - window.top + rowsAbove }
    }

    package static func position(
        after move: ListMove,
        _ scene: Scene,
        rows: Int
    ) -> ListState.Position {
        window(scene, rows: rows).position(after: move)
    }

    /// The position on the entry in a row of the pane, or `nil` if there is none.
    package static func position(
        ofRow row: Int,
        _ scene: Scene,
        rows: Int
    ) -> ListState.Position? {
        window(scene, rows: rows).position(ofRow: row - rowsAbove)
    }

    /// The position on the next match of the last search, or `nil` if there is none.
    package static func position(
        ofNext isOlder: Bool,
        _ scene: Scene,
        rows: Int
    ) -> ListState.Position? {
        let search = scene.list(of: id).search
        return window(scene, rows: rows).position(ofNext: isOlder) {
            matches($0, search, scene)
        }
    }

    package static func holding(_ scene: Scene, rows: Int) -> ListState.Position {
        window(scene, rows: rows).holding
    }

    package static func selected(_ scene: Scene, rows: Int) -> Int? {
        window(scene, rows: rows).selected?.number
    }

    package static func filter(_ text: String) -> Filter {
        Filter(text, fields: fields)
    }

    /// Returns the status of the list: `following`, `held, 3 newer`, and the number of matches.
    static func standing(_ scene: Scene) -> Line {
        let state = scene.list(of: id)
        let window = window(scene, rows: rowsAbove + 1)
        var parts: [Line] = []
        if !state.filter.isEmpty {
            let of = CountFormatter.grouped(log(scene).count)
            parts.append(
                Line(
                    "/\(state.filter.text) \(CountFormatter.grouped(window.count)) of \(of)",
                    .warning
                )
            )
        }
        if let cursor = window.cursor {
            let newer = cursor == 0 ? "newest" : "\(CountFormatter.grouped(cursor)) newer"
            parts.append(Line("‖ held · \(newer)", .busy))
        } else {
            parts.append(Line("following", .dim))
        }
        return parts.joined(by: Line(" · ", .dim))
    }
}
