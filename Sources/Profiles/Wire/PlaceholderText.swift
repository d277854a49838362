import Basics

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
        var text = String.UnicodeScalarView()
        func endText() {
            if !text.isEmpty { pieces.append(.text(String(text))) }
            text = String.UnicodeScalarView()
        }
        var rest = Substring(source).unicodeScalars
        while let brace = rest.firstIndex(where: { $0.value == 0x7B }) {
            text += rest[..<brace]
            rest = rest[brace...]
            let name = rest.dropFirst().prefix(while: Self.isNameScalar)
            if !name.isEmpty, name.endIndex < rest.endIndex, rest[name.endIndex] == "}" {
                endText()
                pieces.append(.placeholder(String(name)))
                rest = rest[rest.index(after: name.endIndex)...]
            } else {
                text.append("{")
                rest = rest.dropFirst()
            }
        }
        text += rest
        endText()
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
        guard let value = text.part(after: prefix)?.part(upTo: suffix) else { return nil }
        return (name, String(value))
    }

    private static func isNameScalar(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "0"..."9", "_": true
        default: false
        }
    }
}
