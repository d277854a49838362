import Basics
package import Profiles

/// A theme is a file of TOML: the theme that it extends, and the appearance of styles.
extension Theme {
    /// The styles by the names that files have for them, in the order of the documentation.
    static let styles: [(name: String, style: Style)] = [
        ("dim", .dim), ("strong", .strong), ("border", .border), ("focus", .focus),
        ("title", .title), ("good", .good), ("busy", .busy), ("warning", .warning), ("bad", .bad),
        ("identity", .identity), ("key", .key), ("selected", .selected), ("header", .header),
        ("header_good", .headerGood), ("header_busy", .headerBusy),
        ("header_warning", .headerWarning), ("header_bad", .headerBad),
    ]

    /// Reads a theme.
    ///
    /// - Parameters:
    ///   - text: The text of the file.
    ///   - file: The name of the file, for errors.
    ///   - name: The name of the theme.
    ///   - known: The themes that it can extend: the first one unless it names another.
    /// - Throws: `DialectError` with the line and the key of a mistake.
    package init(
        toml text: String,
        file: String,
        name: String,
        extending known: [Theme] = []
    ) throws(DialectError) {
        let table = try SchemaTable(
            TOMLItem.reading(text, file: file),
            keys: ["extends", "ground", "styles"]
        )
        let base = try Self.base(in: table, among: known)
        var appearances = base?.appearances ?? [:]
        if let styles = try table.table("styles", keys: Self.styles.map(\.name)),
            case .table(let members) = styles.item.value
        {
            for (name, style) in Self.styles {
                guard let item = members[name] else { continue }
                appearances[style] = try Appearance(item, in: styles)
            }
        }
        let ground = try table.choice("ground", as: Ground.self)
        self.init(name: name, ground: ground ?? base?.ground ?? .dark, appearances)
    }

    private static func base(
        in table: SchemaTable,
        among known: [Theme]
    ) throws(DialectError) -> Theme? {
        guard let name = try table.string("extends") else { return known.first }
        guard let base = known.first(where: { $0.name == name }) else {
            let names = known.map(\.name).joined(separator: ", ")
            throw table.error(at: "extends", "no such theme", "expected one of \(names)")
        }
        return base
    }
}

extension Appearance {
    private static let keys = ["color", "on", "bold", "dim", "reversed", "underlined"]

    /// A color, or a table with colors and attributes.
    fileprivate init(_ item: TOMLItem, in parent: SchemaTable) throws(DialectError) {
        guard case .table(let members) = item.value else {
            self.init(foreground: try Self.color(item, in: parent))
            return
        }
        let table = try SchemaTable(item, keys: Self.keys)
        var appearance = Appearance()
        if let color = members["color"] {
            appearance.foreground = try Self.color(color, in: table)
        }
        if let color = members["on"] { appearance.background = try Self.color(color, in: table) }
        appearance.isBold = try table.bool("bold") ?? false
        appearance.isDim = try table.bool("dim") ?? false
        appearance.isReversed = try table.bool("reversed") ?? false
        appearance.isUnderlined = try table.bool("underlined") ?? false
        self = appearance
    }

    private static func color(
        _ item: TOMLItem,
        in table: SchemaTable
    ) throws(DialectError) -> Color {
        if case .integer(let number) = item.value, let number = UInt8(exactly: number) {
            return .palette(number)
        }
        if case .string(let text) = item.value, let color = Color(named: text) { return color }
        throw table.error(
            at: item,
            "found \(item.kind)",
            "expected 0 to 255, \"#rrggbb\", or one of \(Color.names.joined(separator: ", "))"
        )
    }
}
