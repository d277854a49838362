/// The keys of a run: the usual ones, with the user's own in their place.
package struct KeyMap: Sendable, Equatable {
    package static let standard = KeyMap()

    /// The user's own keys, by the names of commands.
    private var own: [String: [Key]] = [:]

    private init() {}

    /// The names of the commands that can have other keys.
    package static let names = Set(KeyTable.screens.joined().compactMap(\.name)).sorted()

    func keys(of command: some ListedCommand) -> [Key] {
        command.name.flatMap { own[$0] } ?? command.keys
    }

    /// Returns the name of the first key of a command, for a text.
    func name(of command: KeyCommand) -> String { firstName(of: command) }

    /// Returns the name of the first key of a command of a screen beside the dashboard.
    func name<Screen>(of command: ScreenCommand<Screen>) -> String { firstName(of: command) }

    private func firstName(of command: some ListedCommand) -> String {
        keys(of: command).prefix(1).map(KeyText.name).joined()
    }

    /// Returns the dashboard's command of a key in a mode, or `nil` if there is none.
    func command(for key: Key, in mode: KeyMode) -> KeyCommand? {
        command(for: key, in: mode, among: KeyTable.commands)
            ?? (mode == .replay ? command(for: key, in: .panes) : nil)
    }

    /// Returns the command of a key in a mode, or `nil` if there is none in a list.
    func command<Command: ListedCommand>(
        for key: Key,
        in mode: KeyMode,
        among commands: [Command]
    ) -> Command? {
        commands.first { $0.modes.contains(mode) && keys(of: $0).contains(key) }
    }

    package enum Mistake: Error, Equatable {
        /// The key is that of another command of a screen in the same mode; with its name if it has
        /// one.
        case taken(Key, by: String?)
        /// Ctrl-C always quits, Esc always goes back, and digits focus the panes.
        case reserved(Key)
    }

    /// Removes the keys of a command, so that others can have them.
    package mutating func clear(_ name: String) {
        own[name] = []
    }

    /// Gives a command other keys, on all screens that have it.
    package mutating func set(
        _ keys: [Key],
        for name: String,
        on screens: [[any ListedCommand]] = KeyTable.screens
    ) throws(Mistake) {
        for key in keys where Self.isReserved(key) { throw .reserved(key) }
        for commands in screens {
            let modes = commands.filter { $0.name == name }.flatMap(\.modes)
            for other in commands
            where other.name != name && !other.modes.isDisjoint(with: modes) {
                if let key = keys.first(where: self.keys(of: other).contains) {
                    throw .taken(key, by: other.name)
                }
            }
        }
        own[name] = keys
    }

    private static func isReserved(_ key: Key) -> Bool {
        switch key {
        case .control("c"), .escape: true
        case .character(let character): ("0"..."9").contains(character)
        default: false
        }
    }
}
