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
        case array([TOMLTableNode], key: String, line: Int)
    }

    /// The dotted path of what is in the table; empty in the top.
    let path: String
    private let line: Int
    private let key: String
    private let parent: String
    private var origin: Origin
    private var members: [String: Member] = [:]

    /// Creates a table under a key, or with its index in a list.
    init(line: Int, origin: Origin, key: String = "", parent: String = "") {
        self.line = line
        self.origin = origin
        self.key = key
        self.parent = parent
        path = TOMLItem.path(key, in: parent)
    }

    /// Returns the table under the key, which is created if it is missing, or `nil` if the key has
    /// another value.
    func opened(_ key: String, line: Int, as origin: Origin) -> TOMLTableNode? {
        switch members[key] {
        case nil:
            let table = TOMLTableNode(line: line, origin: origin, key: key, parent: path)
            members[key] = .table(table)
            return table
        case .table(let table):
            return origin == .dotted && table.origin != .dotted ? nil : table
        case .array(let tables, _, _):
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
        var tables: [TOMLTableNode] = []
        var first = line
        switch members[key] {
        case nil:
            break
        case .array(let present, _, let line):
            (tables, first) = (present, line)
            // Removed first, so that the list is not copied when it grows.
            members[key] = nil
        case .table, .value:
            return nil
        }
        let list = TOMLItem.path(key, in: path)
        let table = TOMLTableNode(
            line: line,
            origin: .header,
            key: "\(tables.count)",
            parent: list
        )
        tables.append(table)
        members[key] = .array(tables, key: key, line: first)
        return table
    }

    /// Adds a value under its key; returns `false` if there was one already.
    func insert(_ item: TOMLItem) -> Bool {
        members.updateValue(.value(item), forKey: item.key) == nil
    }

    /// The table as a value, with everything in it.
    func item(of file: String) -> TOMLItem {
        let items = members.mapValues { member in
            switch member {
            case .value(let item): item
            case .table(let table): table.item(of: file)
            case .array(let tables, let key, let line):
                TOMLItem(
                    file: file,
                    line: line,
                    key: key,
                    parent: path,
                    value: .list(tables.map { $0.item(of: file) })
                )
            }
        }
        return TOMLItem(file: file, line: line, key: key, parent: parent, value: .table(items))
    }
}
