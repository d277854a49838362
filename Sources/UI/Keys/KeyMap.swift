/// The keys of a run: the usual ones, with the user's own in their place.
package struct KeyMap: Sendable, Equatable {
    package static let standard = KeyMap()

    /// The user's own keys, by the names of commands.
    private var own: [String: [Key]] = [:]

    private init() {}

    /// The names of the commands that can have other keys.
    package static let names = Set(KeyTable.commands.compactMap(\.name)).sorted()

    func keys(of command: KeyCommand) -> [Key] {
        command.name.flatMap { own[$0] } ?? command.keys
    }

    /// Returns the name of the first key of a command, for a text.
    func name(of command: KeyCommand) -> String {
        keys(of: command).prefix(1).map(KeyText.name).joined()
    }

    /// Returns the command of a key in a mode, or `nil` if there is none.
    func command(for key: Key, in mode: KeyMode) -> KeyCommand? {
        KeyTable.commands.first { $0.modes.contains(mode) && keys(of: $0).contains(key) }
            ?? (mode == .replay ? command(for: key, in: .panes) : nil)
    }

    package enum Mistake: Error, Equatable {
        /// The key is that of another command in the same mode; with its name if it has one.
        case taken(Key, by: String?)
        /// Ctrl-C always quits, Esc always goes back, and digits focus the panes.
        case reserved(Key)
    }

    /// Removes the keys of a command, so that others can have them.
    package mutating func clear(_ name: String) {
        own[name] = []
    }

    /// Gives a command other keys.
    package mutating func set(_ keys: [Key], for name: String) throws(Mistake) {
        for key in keys where Self.isReserved(key) { throw .reserved(key) }
        let modes = KeyTable.commands.filter { $0.name == name }.flatMap(\.modes)
        for other in KeyTable.commands
        where other.name != name && !other.modes.isDisjoint(with: modes) {
            if let key = keys.first(where: self.keys(of: other).contains) {
                throw .taken(key, by: other.name)
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
