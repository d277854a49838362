import Basics
import Model

/// The rows of the palette that match its text.
struct PaletteList {
    let viewModel: ViewModel
    let palette: Palette

    /// Every row, whatever is written.
    var all: [PaletteRow] {
        let sessions = viewModel.sessions.map { PaletteRow.session($0.id) }
        return KeyTable.commands.filter(isListed).map { .command($0) } + sessions
    }

    /// The rows that match, the nearest first; of equally near ones in the order of the help.
    var rows: [PaletteRow] {
        guard !palette.text.isEmpty else { return all }
        let needle = Needle(palette.text)
        let ranked = all.map { (row: $0, nearness: Nearness($0, to: needle)) }
        return Nearness.allCases.flatMap { nearness in
            ranked.filter { $0.nearness == nearness }.map(\.row)
        }
    }

    /// The selected row, or `nil` if none matches.
    var selected: PaletteRow? {
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

    /// Why a row cannot be chosen now, or `nil` if it can.
    func obstacle(to row: PaletteRow) -> String? {
        guard case .command(let command) = row else { return nil }
        return command.obstacle(in: viewModel.keyContext)
    }

    /// The name of a key that does the same here.
    func key(of row: PaletteRow) -> String {
        guard case .command(let command) = row else { return "" }
        let keys = viewModel.keys
        let key = keys.keys(of: command).first { key in
            keys.command(for: key, in: palette.mode)?.help == command.help
        }
        return key.map(KeyText.name) ?? ""
    }

    /// Whether a command is one of this screen, and none that only a key is for.
    private func isListed(_ command: KeyCommand) -> Bool {
        guard command.isInPalette else { return false }
        if viewModel.isObserved ? command.isForOwnSession : command.appOnly != nil { return false }
        if command.modes.contains(palette.mode) { return true }
        // A recording has the keys of the panes, too, but none that acts on a session.
        return palette.mode == .replay && command.modes.contains(.panes)
            && command.scope == .screen
    }

    /// How near a row is to the text.
    private enum Nearness: CaseIterable {
        case same
        case beginning
        case word
        case within
        case help

        init?(_ row: PaletteRow, to needle: Needle) {
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
}

extension String {
    fileprivate func commonBeginning(with other: String) -> String {
        let pairs = zip(unicodeScalars, other.unicodeScalars).prefix { $0 == $1 }
        return String(String.UnicodeScalarView(pairs.map(\.0)))
    }
}
