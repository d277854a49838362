/// The keys of a run: those of the table, with the user's own in their place.
package struct KeyMap: Sendable, Equatable {
    package static let standard = KeyMap(bindings: KeyTable.bindings)

    package private(set) var bindings: [KeyBinding]

    /// Returns the meaning of a key in a mode, or `nil` if it has none.
    package func action(for key: Key, in mode: KeyMode) -> Action? {
        bindings.first { $0.modes.contains(mode) && $0.keys.contains(key) }?.action
            ?? (mode == .replay ? action(for: key, in: .panes) : nil)
    }

    /// The actions that can have other keys, by their names in a configuration file.
    package static let names: [String: Action] = [
        "renew": .renew, "send": .send, "request": .compose, "pause": .cyclePause,
        "log_out": .logOut, "log_out_everywhere": .logOutEverywhere, "log_in": .logIn,
        "statistics": .statistics, "second_opinion": .introspect, "try_vault": .tryVault,
        "sessions": .sessions,
        "faults": .faults, "experiments": .experiments,
        "next_pane": .nextPane, "previous_pane": .previousPane, "zoom": .zoom,
        "next_session": .nextSession, "previous_session": .previousSession,
        "earlier": .lifeline(.earlier), "later": .lifeline(.later),
        "zoom_in": .lifeline(.zoomIn), "zoom_out": .lifeline(.zoomOut),
        "filter": .filter, "next_match": .nextMatch, "previous_match": .previousMatch,
        "detail": .detail, "hold": .toggleFollow,
        "down": .move(.down), "up": .move(.up), "theme": .theme, "redraw": .redraw,
        "copy": .copy, "write": .writeRecording, "write_profile": .writeProfile,
        "family_tree": .familyTree, "newest_finding": .newestFinding,
        "all_sessions": .listAllSessions, "repeat_experiment": .repeatExperiment, "lock": .lock,
        "quit": .quit, "help": .help,
    ]

    package enum Mistake: Error, Equatable {
        /// The key already has this meaning in the same mode.
        case taken(Key, by: Action)
        /// Ctrl-C always quits, Esc always goes back, and digits focus the panes.
        case reserved(Key)
    }

    /// Removes the keys of an action, so that others can have them.
    package mutating func clear(_ action: Action) {
        for index in bindings.indices where bindings[index].action == action {
            bindings[index].keys = []
        }
    }

    /// Gives an action other keys.
    package mutating func set(_ keys: [Key], for action: Action) throws(Mistake) {
        for key in keys where Self.isReserved(key) { throw .reserved(key) }
        for index in bindings.indices where bindings[index].action == action {
            for other in bindings
            where other.action != action && !other.modes.isDisjoint(with: bindings[index].modes) {
                if let key = keys.first(where: other.keys.contains) {
                    throw .taken(key, by: other.action)
                }
            }
            bindings[index].keys = keys
        }
    }

    private static func isReserved(_ key: Key) -> Bool {
        switch key {
        case .control("c"), .escape: true
        case .character(let character): ("0"..."9").contains(character)
        default: false
        }
    }
}
