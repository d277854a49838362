import Basics

/// The rows of the palette that match its text.
struct PaletteList<Action: Sendable>: Sendable {
    private(set) var palette: Palette
    /// Every row, whatever is written.
    let all: [PaletteRow<Action>]

    /// The rows that match, the nearest first; of equally near ones in the order of the help.
    var rows: [PaletteRow<Action>] {
        guard !palette.text.isEmpty else { return all }
        let needle = Needle(palette.text)
        let ranked = all.map { (row: $0, nearness: Nearness($0, to: needle)) }
        return Nearness.allCases.flatMap { nearness in
            ranked.filter { $0.nearness == nearness }.map(\.row)
        }
    }

    /// The selected row, or `nil` if none matches.
    var selected: PaletteRow<Action>? {
        let rows = rows
        return rows.indices.contains(palette.selected) ? rows[palette.selected] : nil
    }

    /// The text up to which the titles that begin with what is written are the same; the selected
    /// title where they part at once.
    var completion: String? {
        let needle = Needle(palette.text)
        let titles = rows.map(\.title).filter { needle.begins($0) }
        guard let first = titles.first else { return selected?.title }
        let common = titles.dropFirst().reduce(first) { $0.commonBeginning(with: $1) }
        let isLonger = common.utf8.count > palette.text.utf8.count
        return isLonger ? common : selected?.title
    }

    /// Selects the row that is some rows further, and none beyond the ends.
    mutating func select(by step: Int) {
        palette.select(max(0, min(palette.selected + step, rows.count - 1)))
    }

    mutating func complete() {
        guard let completion else { return }
        palette.complete(to: completion)
    }
}

/// How near a row is to the text.
private enum Nearness: CaseIterable {
    case same
    case beginning
    case word
    case within
    case help

    init?<Action>(_ row: PaletteRow<Action>, to needle: Needle) {
        let title = row.title
        if needle.begins(title) {
            self = title.utf8.count == needle.text.utf8.count ? .same : .beginning
        } else if title.parts(at: " ").contains(where: { needle.begins(String($0)) }) {
            self = .word
        } else if needle.isIn(title) {
            self = .within
        } else if needle.isIn(row.help) {
            self = .help
        } else {
            return nil
        }
    }
}

extension String {
    fileprivate func commonBeginning(with other: String) -> String {
        let pairs = zip(unicodeScalars, other.unicodeScalars).prefix { $0 == $1 }
        return String(String.UnicodeScalarView(pairs.map(\.0)))
    }
}
