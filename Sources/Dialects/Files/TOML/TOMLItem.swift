/// One value of a TOML file, with the place where it stands.
struct TOMLItem: Sendable, Hashable {
    indirect enum Value: Sendable, Hashable {
        case string(String)
        case integer(Int)
        case number(Double)
        case bool(Bool)
        case date
        case list([TOMLItem])
        case table([String: TOMLItem])
    }

    /// The file that it stands in, as it is named in errors.
    var file = ""
    /// Counted from 1.
    let line: Int
    /// The key under which it stands; the position in a list.
    let key: String
    /// Dotted, from the top of the file on; empty for the file itself.
    let path: String
    let value: Value

    /// What a person would call the value.
    var kind: String {
        switch value {
        case .string(let text): text.quotedForError
        case .integer(let number): "the number \(number)"
        case .number(let number): "the number \(number)"
        case .bool(let flag): "\(flag)"
        case .date: "a date"
        case .list: "a list"
        case .table: "a table"
        }
    }

    /// The value under another key; everything in it comes along.
    func placed(key: String, path: String) -> TOMLItem {
        let value: Value =
            switch value {
            case .list(let items):
                .list(
                    items.enumerated().map { index, item in
                        item.placed(key: "\(index)", path: "\(path).\(index)")
                    }
                )
            case .table(let members):
                .table(
                    members.reduce(into: [:]) { items, member in
                        items[member.key] = member.value.placed(
                            key: member.key,
                            path: "\(path).\(member.key)"
                        )
                    }
                )
            case .string, .integer, .number, .bool, .date: value
            }
        return TOMLItem(file: file, line: line, key: key, path: path, value: value)
    }

    /// The value as one of this file; everything in it comes along.
    func inFile(_ file: String) -> TOMLItem {
        let value: Value =
            switch value {
            case .list(let items): .list(items.map { $0.inFile(file) })
            case .table(let members): .table(members.mapValues { $0.inFile(file) })
            case .string, .integer, .number, .bool, .date: value
            }
        return TOMLItem(file: file, line: line, key: key, path: path, value: value)
    }
}
