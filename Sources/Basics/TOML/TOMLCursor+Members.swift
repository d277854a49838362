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
        let value = try value(depth: depth)
        let item = TOMLItem(file: file, line: line, key: "", parent: "", value: value)
        guard let last = keys.last, table.insert(last, item) else {
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

    mutating func value(depth: Int) throws(TOMLError) -> TOMLItem.Value {
        guard depth <= TOMLReader.depthLimit else {
            let expected = "expected at most \(TOMLReader.depthLimit) levels"
            throw error(at: line, .nestedTooDeeply, expected)
        }
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(try quoted())
        case UInt8(ascii: "["): return try list(depth: depth)
        case UInt8(ascii: "{"): return try inlineTable(depth: depth)
        default: return try scalar()
        }
    }

    private mutating func list(depth: Int) throws(TOMLError) -> TOMLItem.Value {
        take("[")
        var elements: [TOMLItem] = []
        while true {
            try skipBlank()
            if take("]") { return .list(elements) }
            let line = line
            let value = try value(depth: depth + 1)
            elements.append(TOMLItem(file: file, line: line, key: "", parent: "", value: value))
            try skipBlank()
            guard take(",") || isAt("]") else {
                throw unexpected("expected a comma or ] in the list")
            }
        }
    }

    private mutating func inlineTable(depth: Int) throws(TOMLError) -> TOMLItem.Value {
        take("{")
        let table = TOMLTableNode(line: line, origin: .header)
        skipSpaces()
        if take("}") { return .table([:]) }
        while true {
            skipSpaces()
            try member(of: table, depth: depth + 1)
            skipSpaces()
            if take("}") { return table.item(key: "", in: "", of: file).value }
            guard take(",") else { throw unexpected("expected a comma or } in the table") }
        }
    }
}
