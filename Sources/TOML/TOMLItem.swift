/// One value of a TOML file, with the place where it stands.
package struct TOMLItem: Sendable, Hashable {
    package indirect enum Value: Sendable, Hashable {
        case string(String)
        case integer(Int)
        case number(Double)
        case bool(Bool)
        case date
        case list([TOMLItem])
        case table([String: TOMLItem])
    }

    /// The file that it stands in, as it is named in errors.
    package let file: String
    /// Counted from 1.
    package let line: Int
    /// The key under which it stands; the position in a list.
    package let key: String
    /// Dotted, from the top of the file on; empty for the file itself.
    package let path: String
    package let value: Value

    package init(file: String = "", line: Int, key: String, path: String, value: Value) {
        self.file = file
        self.line = line
        self.key = key
        self.path = path
        self.value = value
    }

    /// Whether the byte may stand in a key without quotes.
    package static func isBareKeyByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
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
