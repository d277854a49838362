/// A TOML file that is written, line by line.
package struct TOMLDocument {
    /// A value, which is written on one line.
    package indirect enum Value {
        case string(String)
        case integer(Int)
        case number(Double)
        case bool(Bool)
        case list([Value])
        case table([(key: String, value: Value)])
    }

    private var lines: [String] = []

    package init() {}

    package var text: String { lines.joined(separator: "\n") + "\n" }

    package mutating func addBlank() { lines.append("") }

    /// Adds a comment on a line of its own.
    package mutating func addComment(_ text: String) { lines.append(Self.comment(text)) }

    /// Adds a value, and a comment beside it if there is one.
    package mutating func set(_ path: [String], to value: Value, comment: String? = nil) {
        lines.append(Self.line(path, to: value) + Self.beside(comment))
    }

    package mutating func set(_ key: String, to value: Value, comment: String? = nil) {
        set([key], to: value, comment: comment)
    }

    package mutating func set(_ key: String, to text: String, comment: String? = nil) {
        set([key], to: .string(text), comment: comment)
    }

    /// Begins a table after a blank line.
    package mutating func beginTable(_ path: [String], comment: String? = nil) {
        lines += ["", "[\(Self.key(path))]\(Self.beside(comment))"]
    }

    /// Begins one more table of a list of tables after a blank line.
    package mutating func beginElement(of path: [String]) {
        lines += ["", "[[\(Self.key(path))]]"]
    }

    /// Returns the line that sets a value, for a file that already exists.
    package static func line(_ path: [String], to value: Value) -> String {
        "\(key(path)) = \(value.text)"
    }

    private static func beside(_ text: String?) -> String {
        text.map { "   \(comment($0))" } ?? ""
    }

    /// A comment, which has one line whatever the text is.
    private static func comment(_ text: String) -> String {
        var result = String.UnicodeScalarView("# ".unicodeScalars)
        result.append(contentsOf: text.unicodeScalars.map { $0.isUnseen ? " " : $0 })
        return String(result)
    }

    private static func key(_ path: [String]) -> String {
        path.map(TOMLText.key).joined(separator: ".")
    }
}

extension TOMLDocument.Value {
    fileprivate var text: String {
        switch self {
        case .string(let text): TOMLText.quoted(text)
        case .integer(let number): String(number)
        case .number(let number): String(number)
        case .bool(let flag): String(flag)
        case .list(let items): "[\(items.map(\.text).joined(separator: ", "))]"
        case .table(let members) where members.isEmpty: "{}"
        case .table(let members):
            "{ \(members.map { "\(TOMLText.key($0.key)) = \($0.value.text)" }.joined(separator: ", ")) }"
        }
    }
}
