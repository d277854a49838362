import Basics

/// Writes a parsed profile as TOML, without probable secrets.
struct TOMLWriter: Sendable, Equatable {
    let item: TOMLItem
    /// The name of the profile.
    let name: String
    /// The files, by whose order members are sorted, and then by their lines.
    let files: [String]
    /// The sources of the values that the metadata of an issuer states, by their dotted paths.
    var notes: [String: String] = [:]
    /// The address of the metadata.
    var provider: String?
    /// Comments below the first.
    var remarks: [String] = []

    var text: String {
        var document = TOMLDocument()
        let sources = files.map { $0.inOneLine(limit: 1000) }.joined(separator: ", then ")
        document.addComment("From \(sources).")
        for remark in remarks { document.addComment(remark.inOneLine(limit: 1000)) }
        document.set("name", to: name)
        write(item, at: [], into: &document)
        return document.text
    }

    /// Writes values on one line first, then the tables that have headers of their own.
    private func write(_ item: TOMLItem, at path: [String], into document: inout TOMLDocument) {
        let members = sorted(item)
        for (key, member) in members where !Self.hasHeader(member) {
            let value = value(of: member, at: path + [key])
            document.set(key, to: value, comment: note(on: member))
        }
        for (key, member) in members where Self.hasHeader(member) {
            let path = path + [key]
            switch member.value {
            case .list(let tables):
                for table in tables {
                    document.beginElement(of: path)
                    write(table, at: path, into: &document)
                }
            case .table(let members):
                // A table that contains only tables needs no header.
                if members.isEmpty || !members.values.allSatisfy(Self.hasHeader) {
                    document.beginTable(path)
                }
                write(member, at: path, into: &document)
            case .string, .integer, .number, .bool, .date:
                break
            }
        }
    }

    /// Returns the source of a value that the metadata states, as a comment.
    private func note(on item: TOMLItem) -> String? {
        guard let provider, item.file == provider, let source = notes[item.path] else { return nil }
        return "from \(provider.inOneLine(limit: 1000)): \(source)"
    }

    private func value(of item: TOMLItem, at path: [String]) -> TOMLDocument.Value {
        switch item.value {
        case .string(let text):
            .string(HiddenValues.isSecret(text, at: path) ? HiddenValues.mark : text)
        case .integer(let number): .integer(number)
        case .number(let number): .number(number)
        case .bool(let flag): .bool(flag)
        case .date: .string("")
        case .list(let items): .list(items.map { value(of: $0, at: path) })
        case .table:
            .table(sorted(item).map { ($0, value(of: $1, at: path + [$0])) })
        }
    }

    private func sorted(_ item: TOMLItem) -> [(key: String, value: TOMLItem)] {
        guard case .table(let members) = item.value else { return [] }
        return members.sorted { left, right in
            place(of: left.value) == place(of: right.value)
                ? left.key < right.key : place(of: left.value) < place(of: right.value)
        }
    }

    private func place(of item: TOMLItem) -> (Int, Int) {
        (files.firstIndex(of: item.file) ?? files.count, item.line)
    }

    /// Returns whether the table has a header; fields, headers and their contents are written on
    /// one line.
    private static func hasHeader(_ item: TOMLItem) -> Bool {
        switch item.value {
        case .table: !["fields", "headers"].contains(item.key)
        case .list(let items): !items.isEmpty && items.allSatisfy(isTable)
        case .string, .integer, .number, .bool, .date: false
        }
    }

    private static func isTable(_ item: TOMLItem) -> Bool {
        if case .table = item.value { true } else { false }
    }
}

/// Values that should not be in a file, and are not shown if they are.
enum HiddenValues {
    static let mark = "‹hidden›"

    /// Returns whether a fixed text under such a key is probably a secret.
    ///
    /// Only fixed headers and fields, and the arguments of a credential's command, can contain one;
    /// a text with a placeholder is none.
    static func isSecret(_ text: String, at path: [String]) -> Bool {
        guard PlaceholderText(text).names.isEmpty, let key = path.last?.asciiLowercased else {
            return false
        }
        let isFixed = path.dropLast().contains { $0 == "fields" || $0 == "headers" }
        return isFixed && secretNames.contains(where: key.contains) && !harmless.contains(key)
    }

    private static let secretNames = ["auth", "cookie", "key", "pass", "secret", "token"]
    private static let harmless = ["token_type", "token_type_hint", "requested_token_type"]
}
