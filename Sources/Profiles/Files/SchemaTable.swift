package import Basics

/// One table of a dialect's file, read key by key; every error has a line and says what was
/// expected.
package struct SchemaTable {
    package let item: TOMLItem
    private let members: [String: TOMLItem]

    /// Creates a table; fails if it has other keys than the given ones.
    package init(_ item: TOMLItem, keys: [String]) throws(DialectError) {
        self.item = item
        guard case .table(let members) = item.value else {
            throw Self.error(item, "found \(item.kind)", "expected a table")
        }
        self.members = members
        let unknown = members.values.filter { !keys.contains($0.key) }
        if let first = unknown.min(by: { ($0.line, $0.path) < ($1.line, $1.path) }) {
            let hint = NearestKey.hint(first.key, among: keys)
            throw Self.error(first, "unknown key \(first.key.quotedForError)", hint)
        }
    }

    func has(_ key: String) -> Bool { members[key] != nil }

    package func string(_ key: String) throws(DialectError) -> String? {
        guard let member = members[key] else { return nil }
        guard case .string(let text) = member.value else {
            throw error(at: member, "found \(member.kind)", "expected text in quotes")
        }
        return text
    }

    package func requiredString(_ key: String) throws(DialectError) -> String {
        guard let text = try string(key) else { throw missing(key) }
        return text
    }

    package func bool(_ key: String) throws(DialectError) -> Bool? {
        guard let member = members[key] else { return nil }
        guard case .bool(let flag) = member.value else {
            throw error(at: member, "found \(member.kind)", "expected true or false")
        }
        return flag
    }

    /// Returns a path that does not depend on the folder in which the program is started.
    func path(_ key: String) throws(DialectError) -> String? {
        guard let text = try string(key) else { return nil }
        guard text.begins(with: "/") || text.begins(with: "~/"), !text.utf8.contains(0) else {
            let expected = "expected a path that begins with / or ~/"
            throw error(at: key, "found \(text.quotedForError)", expected)
        }
        return text
    }

    func integer(_ key: String, in range: ClosedRange<Int>) throws(DialectError) -> Int? {
        guard let member = members[key] else { return nil }
        return try integer(member, in: range)
    }

    /// Returns a number of seconds, or a duration such as `90s`, `30m`, `12h`, `7d`.
    package func seconds(_ key: String) throws(DialectError) -> Double? {
        guard let member = members[key] else { return nil }
        let seconds: Double? =
            switch member.value {
            case .integer(let number): Double(number)
            case .number(let number): number
            case .string(let text): DurationParser.seconds(in: text)
            case .bool, .date, .list, .table: nil
            }
        guard let seconds, seconds > 0, seconds <= DurationParser.longest else {
            let expected = "expected a time such as 90s, 30m, 12h or 7d, at most 3650d"
            throw error(at: member, "found \(member.kind)", expected)
        }
        return seconds
    }

    /// Returns a value of a closed set.
    package func choice<Choice: RawRepresentable & CaseIterable>(
        _ key: String,
        as type: Choice.Type
    ) throws(DialectError) -> Choice? where Choice.RawValue == String {
        guard let member = members[key] else { return nil }
        guard let text = try string(key), let choice = Choice(rawValue: text) else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw error(at: member, "found \(member.kind)", "expected one of \(choices)")
        }
        return choice
    }

    /// Returns one text, or a list of them.
    package func strings(_ key: String) throws(DialectError) -> [TOMLItem]? {
        guard let member = members[key] else { return nil }
        let elements = Self.elements(of: member)
        for element in elements {
            guard case .string = element.value else {
                throw error(at: element, "found \(element.kind)", "expected text in quotes")
            }
        }
        return elements
    }

    /// Returns one HTTP status, or a list of them.
    func statuses(_ key: String) throws(DialectError) -> Set<Int>? {
        try integers(key, in: 100...599)
    }

    /// Returns one whole number, or a list of them.
    func integers(_ key: String, in range: ClosedRange<Int>) throws(DialectError) -> Set<Int>? {
        guard let member = members[key] else { return nil }
        var numbers = Set<Int>()
        for element in Self.elements(of: member) {
            numbers.insert(try integer(element, in: range))
        }
        return numbers
    }

    /// Returns whether the value is a text, as a class of statuses is.
    func isStatusClass(_ key: String) -> Bool {
        if case .string = members[key]?.value { true } else { false }
    }

    /// Returns every status of a class such as `4xx`, or `nil` if the key is absent or has single
    /// statuses.
    func statusClass(_ key: String) throws(DialectError) -> Set<Int>? {
        guard let member = members[key], case .string(let text) = member.value else { return nil }
        guard let digit = text.part(upTo: "xx").flatMap({ Int($0) }), (1...5).contains(digit)
        else {
            let expected = "expected a status, a list of them, or a class such as 4xx"
            throw error(at: member, "found \(text.quotedForError)", expected)
        }
        return Set(100 * digit..<100 * digit + 100)
    }

    package func table(_ key: String, keys: [String]) throws(DialectError) -> SchemaTable? {
        guard let member = members[key] else { return nil }
        return try SchemaTable(member, keys: keys)
    }

    /// Returns the tables of `[[key]]`; a single `[key]`, to which no other could be added, is a mistake.
    package func tables(_ key: String, keys: [String]) throws(DialectError) -> [SchemaTable] {
        guard let member = members[key] else { return [] }
        guard case .list(let elements) = member.value else {
            let path = member.path.parts(at: ".").filter { !$0.utf8.allSatisfy(\.isDigit) }
            throw error(
                at: member,
                "found \(member.kind)",
                "expected a list of tables, each with the header [[\(path.joined(separator: "."))]]"
            )
        }
        var tables: [SchemaTable] = []
        for element in elements {
            tables.append(try SchemaTable(element, keys: keys))
        }
        return tables
    }

    /// Returns the value of a key, of any type.
    func item(_ key: String) -> TOMLItem? { members[key] }

    package func error(
        at item: TOMLItem,
        _ found: String,
        _ expected: String? = nil
    ) -> DialectError {
        Self.error(item, found, expected)
    }

    /// Returns an error about a key of this table, whether or not it is present.
    package func error(at key: String, _ found: String, _ expected: String? = nil) -> DialectError {
        let path = item.path.isEmpty ? key : "\(item.path).\(key)"
        return DialectError(
            file: members[key]?.file ?? item.file,
            line: members[key]?.line ?? item.line,
            key: path,
            found: found,
            expected: expected
        )
    }

    /// Returns the value of an item as JSON: text, a whole number, true or false.
    func scalar(_ item: TOMLItem) throws(DialectError) -> JSONValue {
        switch item.value {
        case .string(let text): return .string(text)
        case .integer(let number): return .integer(Int64(number))
        case .bool(let flag): return .bool(flag)
        case .number, .date, .list, .table:
            let expected = "expected text, a whole number, true or false"
            throw error(at: item, "found \(item.kind)", expected)
        }
    }

    package func missing(_ key: String) -> DialectError {
        error(at: key, "missing")
    }

    private func integer(
        _ item: TOMLItem,
        in range: ClosedRange<Int>
    ) throws(DialectError) -> Int {
        guard case .integer(let number) = item.value, range.contains(number) else {
            let expected = "expected a number from \(range.lowerBound) to \(range.upperBound)"
            throw error(at: item, "found \(item.kind)", expected)
        }
        return number
    }

    private static func elements(of item: TOMLItem) -> [TOMLItem] {
        if case .list(let elements) = item.value { return elements }
        return [item]
    }

    private static func error(
        _ item: TOMLItem,
        _ found: String,
        _ expected: String?
    ) -> DialectError {
        DialectError(
            file: item.file,
            line: item.line,
            key: item.path.isEmpty ? nil : item.path,
            found: found,
            expected: expected
        )
    }
}
