import Model

/// A list of everything that can be done, and the text by which it is searched.
struct Palette: EditableForm, Sendable, Equatable {
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

/// A row of the palette: an action, a pane among them, or a session to show.
enum PaletteRow: Sendable {
    case command(KeyCommand)
    case session(SessionID)

    /// The text by which it is found: the action's name in a configuration file, in words.
    var title: String {
        switch self {
        case .command(let command): command.name?.replacing("_", with: " ") ?? command.help
        case .session(let id): id.description
        }
    }

    /// What the title leaves open.
    var help: String {
        switch self {
        case .command(let command): command.name == nil ? "" : command.help
        case .session: "show this session"
        }
    }
}
