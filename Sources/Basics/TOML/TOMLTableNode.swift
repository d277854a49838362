/// A table of a file that is still being read, with what TOML's rules against redefinition require.
final class TOMLTableNode {
    enum Origin {
        /// Named by a `[header]`, at most once.
        case header
        /// Named only as part of a longer header; may still get a header of its own.
        case implied
        /// Created by a dotted key; only further dotted keys may add to it.
        case dotted
    }

    private enum Member {
        case value(TOMLItem)
        case table(TOMLTableNode)
        case array([TOMLTableNode], line: Int)
    }

    private let line: Int
    private var origin: Origin
    private var members: [String: Member] = [:]

    init(line: Int, origin: Origin) {
        self.line = line
        self.origin = origin
    }

    /// Returns the table under the key, which is created if it is missing, or `nil` if the key has
    /// another value.
    func opened(_ key: String, line: Int, as origin: Origin) -> TOMLTableNode? {
        switch members[key] {
        case nil:
            let table = TOMLTableNode(line: line, origin: origin)
            members[key] = .table(table)
            return table
        case .table(let table):
            return origin == .dotted && table.origin != .dotted ? nil : table
        case .array(let tables, _):
            return origin == .dotted ? nil : tables.last
        case .value:
            return nil
        }
    }

    /// Returns the table that a header defines, or `nil` if it was already defined.
    func defined(_ key: String, line: Int) -> TOMLTableNode? {
        switch members[key] {
        case nil:
            return opened(key, line: line, as: .header)
        case .table(let table) where table.origin == .implied:
            table.origin = .header
            return table
        case .table, .array, .value:
            return nil
        }
    }

    /// Appends a table to an array of tables and returns it, or `nil` if the key has another value.
    func appended(_ key: String, line: Int) -> TOMLTableNode? {
        let table = TOMLTableNode(line: line, origin: .header)
        switch members[key] {
        case nil:
            members[key] = .array([table], line: line)
        case .array(var tables, let first):
            // Removed first, so that the list is not copied when it grows.
            members[key] = nil
            tables.append(table)
            members[key] = .array(tables, line: first)
        case .table, .value:
            return nil
        }
        return table
    }

    /// Adds a value; returns `false` if the key already has one.
    func insert(_ key: String, _ value: TOMLItem) -> Bool {
        guard members[key] == nil else { return false }
        members[key] = .value(value)
        return true
    }

    func item(key: String, in parent: String, of file: String) -> TOMLItem {
        let path = parent.isEmpty ? key : "\(parent).\(key)"
        let items = members.reduce(into: [String: TOMLItem]()) { items, member in
            items[member.key] =
                switch member.value {
                case .value(let item): item.placed(key: member.key, in: path)
                case .table(let table): table.item(key: member.key, in: path, of: file)
                case .array(let tables, let line):
                    Self.list(tables, key: member.key, in: path, of: file, at: line)
                }
        }
        return TOMLItem(file: file, line: line, key: key, parent: parent, value: .table(items))
    }

    private static func list(
        _ tables: [TOMLTableNode],
        key: String,
        in parent: String,
        of file: String,
        at line: Int
    ) -> TOMLItem {
        let path = parent.isEmpty ? key : "\(parent).\(key)"
        let items = tables.enumerated().map { index, table in
            table.item(key: "\(index)", in: path, of: file)
        }
        return TOMLItem(file: file, line: line, key: key, parent: parent, value: .list(items))
    }
}
