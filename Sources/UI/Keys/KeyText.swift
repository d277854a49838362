/// The names of keys.
package enum KeyText {
    package static func name(_ key: Key) -> String {
        switch key {
        case .character(" "): "Space"
        case .character(let character): String(character)
        case .control(let character): "Ctrl-\(character.uppercased())"
        case .enter: "Enter"
        case .escape: "Esc"
        case .tab: "Tab"
        case .shiftTab: "Shift-Tab"
        case .backspace: "Backspace"
        case .delete: "Delete"
        case .up: "Up"
        case .down: "Down"
        case .left: "Left"
        case .right: "Right"
        case .pageUp: "PgUp"
        case .pageDown: "PgDn"
        case .home: "Home"
        case .end: "End"
        case .function(let number): "F\(number)"
        }
    }

    /// Returns the key with a name, or `nil` if there is none.
    package static func key(named name: String) -> Key? {
        let named: [Key] = [
            .character(" "), .enter, .escape, .tab, .shiftTab, .backspace, .delete, .up, .down,
            .left,
            .right, .pageUp, .pageDown, .home, .end,
        ]
        if let key = named.first(where: { Self.name($0).lowercased() == name.lowercased() }) {
            return key
        }
        if name.count == 1 { return name.first.map(Key.character) }
        if name.lowercased().hasPrefix("ctrl-"), name.count == 6, let letter = name.last,
            letter.isASCII, letter.isLetter
        {
            return .control(Character(letter.lowercased()))
        }
        if name.uppercased().hasPrefix("F"), let number = Int(name.dropFirst()),
            Key.functions.contains(number)
        {
            return .function(number)
        }
        return nil
    }

    static func names(_ keys: [Key]) -> String {
        keys.map(name).joined(separator: " ")
    }
}
