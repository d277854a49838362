/// A screen beside the dashboard, whose keys are a list of its own.
package protocol KeyedScreen: SendableMetatype {
    /// What the user can leave it for.
    associatedtype Choice: Sendable

    /// Its name in the manual page.
    static var title: String { get }
    /// Its commands, in the order of the last row, of the help and of the manual page.
    static var commands: [ScreenCommand<Self>] { get }
    var keys: KeyMap { get }
    /// Where keys go while the palette is not open.
    var pageMode: KeyMode { get }
    /// The palette of its commands while it is open.
    var palette: Palette? { get set }

    /// Changes the text that is being written, if there is one.
    mutating func edit(_ edit: FormEdit)
}

extension KeyedScreen {
    /// Where keys go.
    package var mode: KeyMode { palette == nil ? pageMode : .palette }

    /// Applies a key; one without a command is a letter of the text that is being written.
    ///
    /// - Returns: What it leads to besides a change of the screen.
    package mutating func perform(_ key: Key) -> ScreenOutcome<Choice>? {
        guard let command = keys.command(for: key, in: mode, among: Self.commands) else {
            if case .character(let character) = key { edit(.write(character)) }
            return nil
        }
        return command.effect(&self)
    }

    /// Pasted text goes into the text that is being written, and nowhere else.
    package mutating func paste(_ text: String) {
        for character in text.prefix(FormEdit.pasteLimit) { edit(.write(character)) }
    }

    /// Where no other text is written than that of the palette.
    package mutating func edit(_ edit: FormEdit) {
        palette?.apply(edit)
    }

    /// The last row: the keys that matter now, with their words.
    package func hints(columns: Int) -> Line {
        HintLine.line(hints(areLasting: false), lasting: lastingHints, columns: columns)
    }

    /// The keys that are named beside a notice too.
    var lastingHints: Line { HintLine.lasting(hints(areLasting: true)) }

    private func hints(areLasting: Bool) -> [Line] {
        Self.commands.filter { $0.modes.contains(mode) }.lines.compactMap { commands in
            guard commands[0].isLasting == areLasting, let words = commands[0].hint(self) else {
                return nil
            }
            // The arrow up stands before the one down.
            let names = commands.map(symbol).filter { !$0.isEmpty }.sorted()
            guard !names.isEmpty else { return nil }
            return Line(names.joined(separator: " "), .key) + Line(" \(words)")
        }
    }

    /// The key of a command in the last row, as an arrow if it has that of the terminal.
    private func symbol(_ command: ScreenCommand<Self>) -> String {
        let keys = keys.keys(of: command)
        return keys.contains(.down) ? "↓" : keys.contains(.up) ? "↑" : self.keys.name(of: command)
    }

    /// The commands with their keys, for the help.
    var helpDocument: Document {
        var document = Document(title: "")
        document.indent = HelpText.keysWidth
        document.addHeading("Keys")
        for commands in Self.commands.lines {
            document.add(HelpText.line(commands, commands.map(\.help), keys))
        }
        return document
    }

    /// The commands with their keys, in rows.
    package func help(columns: Int) -> [Line] { helpDocument.rows(columns: columns) }
}
