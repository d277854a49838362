/// Parsing of keys, key–value pairs, arrays and inline tables.
extension TOMLCursor {
    /// Parses `a.b = value` and adds it to the table.
    mutating func member(of table: TOMLTableNode, depth: Int = 0) throws(TOMLError) {
        let line = line
        let keys = try keyPath()
        guard take("=") else { throw unexpected("expected = after the key") }
        skipSpaces()
        var table = table
        for key in keys.dropLast() {
            guard let inner = table.opened(key, line: line, as: .dotted) else {
                throw error(at: line, .duplicateKey(key))
            }
            table = inner
        }
        let item = try item(keys.last ?? "", in: table.path, at: line, depth: depth)
        guard table.insert(item) else {
            throw error(at: line, .duplicateKey(keys.joined(separator: ".")))
        }
    }

    /// Parses one or more keys joined by dots, and skips the whitespace behind them.
    mutating func keyPath() throws(TOMLError) -> [String] {
        var keys: [String] = []
        repeat {
            skipSpaces()
            keys.append(try key())
            guard keys.count <= TOMLReader.depthLimit else {
                let expected = "expected at most \(TOMLReader.depthLimit) keys joined by dots"
                throw error(at: line, .nestedTooDeeply, expected)
            }
            skipSpaces()
        } while take(".")
        return keys
    }

    private mutating func key() throws(TOMLError) -> String {
        switch current {
        case UInt8(ascii: "\"") where !isAt("\"\"\""): return try quoted()
        case UInt8(ascii: "'") where !isAt("'''"): return try quoted()
        default:
            let key = text(while: TOMLItem.isBareKeyByte)
            guard !key.isEmpty else { throw unexpected("expected a key") }
            return key
        }
    }

    /// Parses a value, found by `line`, under a key of what has the path `parent`.
    private mutating func item(
        _ key: String,
        in parent: String,
        at line: Int,
        depth: Int
    ) throws(TOMLError) -> TOMLItem {
        guard depth <= TOMLReader.depthLimit else {
            let expected = "expected at most \(TOMLReader.depthLimit) levels"
            throw error(at: line, .nestedTooDeeply, expected)
        }
        let value: TOMLItem.Value =
            switch current {
            case UInt8(ascii: "\""), UInt8(ascii: "'"): .string(try quoted())
            case UInt8(ascii: "["): .list(try list(TOMLItem.path(key, in: parent), depth))
            case UInt8(ascii: "{"): try inlineTable(key, in: parent, depth)
            default: try scalar()
            }
        return TOMLItem(file: file, line: line, key: key, parent: parent, value: value)
    }

    private mutating func list(_ path: String, _ depth: Int) throws(TOMLError) -> [TOMLItem] {
        take("[")
        var elements: [TOMLItem] = []
        while true {
            try skipBlank()
            if take("]") { return elements }
            let index = "\(elements.count)"
            elements.append(try item(index, in: path, at: line, depth: depth + 1))
            try skipBlank()
            guard take(",") || isAt("]") else {
                throw unexpected("expected a comma or ] in the list")
            }
        }
    }

    private mutating func inlineTable(
        _ key: String,
        in parent: String,
        _ depth: Int
    ) throws(TOMLError) -> TOMLItem.Value {
        take("{")
        let table = TOMLTableNode(line: line, origin: .header, key: key, parent: parent)
        skipSpaces()
        if take("}") { return .table([:]) }
        while true {
            skipSpaces()
            try member(of: table, depth: depth + 1)
            skipSpaces()
            if take("}") { return table.item(of: file).value }
            guard take(",") else { throw unexpected("expected a comma or } in the table") }
        }
    }
}
