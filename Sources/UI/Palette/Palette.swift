/// A list of everything that can be done, and the text by which it is searched.
package struct Palette: EditableForm, Sendable, Equatable {
    /// The longest text, in UTF-8 bytes.
    static let sizeLimit = 256

    /// Where the keys of its actions go: the mode in which it was opened.
    let mode: KeyMode
    private(set) var text = ""
    /// The selected row, counted from the first one that matches.
    private(set) var selected = 0

    init(over mode: KeyMode) {
        self.mode = mode
    }

    mutating func select(_ row: Int) {
        selected = row
    }

    /// Replaces the text by a longer one.
    mutating func complete(to text: String) {
        change { $0 = text }
    }

    /// There is one field.
    mutating func move(by steps: Int) {}

    mutating func change(_ body: (inout String) -> Void) {
        body(&text)
        selected = 0
    }
}

/// A row of the palette.
struct PaletteRow<Action: Sendable>: Sendable {
    /// The text by which it is found.
    let title: String
    /// What the title leaves open.
    let help: String
    /// The name of a key that does the same here; empty if there is none.
    var key = ""
    /// Why it cannot be chosen now, or `nil` if it can.
    var obstacle: String?
    let action: Action
}

extension PaletteRow {
    /// The row of a command, whose title is its name in a configuration file, in words.
    init(
        _ command: some ListedCommand,
        help words: String,
        key: String,
        obstacle: String?,
        action: Action
    ) {
        title = command.name?.replacing("_", with: " ") ?? words
        help = command.name == nil ? "" : words
        self.key = key
        self.obstacle = obstacle
        self.action = action
    }
}
