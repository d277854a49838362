/// A text with placeholders such as `{email}`: lower-case letters, digits and underscores in
/// braces.
///
/// All other braces are text, so that JSON can be written unchanged.
struct PlaceholderText: Sendable, Hashable {
    enum Piece: Sendable, Hashable {
        case text(String)
        case placeholder(String)
    }

    let pieces: [Piece]

    init(_ source: String) {
        var pieces: [Piece] = []
        var text = ""
        var rest = Substring(source)
        while let brace = rest.firstIndex(of: "{") {
            text += rest[..<brace]
            rest = rest[brace...]
            let name = rest.dropFirst().prefix(while: Self.isNameCharacter)
            if !name.isEmpty, name.endIndex < rest.endIndex, rest[name.endIndex] == "}" {
                if !text.isEmpty { pieces.append(.text(text)) }
                pieces.append(.placeholder(String(name)))
                text = ""
                rest = rest[rest.index(after: name.endIndex)...]
            } else {
                text.append("{")
                rest = rest.dropFirst()
            }
        }
        text += rest
        if !text.isEmpty { pieces.append(.text(text)) }
        self.pieces = pieces
    }

    /// The names of the placeholders in their order, with repetitions.
    var names: [String] {
        pieces.compactMap { piece in
            if case .placeholder(let name) = piece { name } else { nil }
        }
    }

    /// Returns the text with its placeholders replaced; one without a value becomes empty.
    func filled(_ value: (String) -> String?) -> String {
        pieces.reduce(into: "") { result, piece in
            switch piece {
            case .text(let text): result += text
            case .placeholder(let name): result += value(name) ?? ""
            }
        }
    }

    /// Returns the name and the value of the only placeholder if `text` matches this one, or `nil`
    /// if there is not exactly one placeholder.
    func value(in text: String) -> (name: String, value: String)? {
        guard names.count == 1, let name = names.first else { return nil }
        var prefix = ""
        var suffix = ""
        var isBehind = false
        for piece in pieces {
            switch piece {
            case .placeholder: isBehind = true
            case .text(let text): if isBehind { suffix += text } else { prefix += text }
            }
        }
        guard text.hasPrefix(prefix), text.dropFirst(prefix.count).hasSuffix(suffix) else {
            return nil
        }
        return (name, String(text.dropFirst(prefix.count).dropLast(suffix.count)))
    }

    private static func isNameCharacter(_ character: Character) -> Bool {
        guard let byte = character.asciiValue else { return false }
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return true
        default: return byte == UInt8(ascii: "_")
        }
    }
}
