import Basics

/// The way to log in that a file selects among those in `[grants]`.
///
/// A grant is a part of a dialect that applies as if it were written at the top of the file, unless
/// the top defines the same keys.
struct GrantChoice {
    /// The file with the selected grant applied.
    let chosen: TOMLItem
    /// The file with each of the other grants applied.
    let others: [TOMLItem]

    static let keys = ["grant", "grants"]

    /// The keys that a grant may have.
    static let parts = ["login", "refresh", "logout", "policy", "rotation", "lifetimes"]

    init(in file: TOMLItem) throws(DialectError) {
        let rest = file.without(Self.keys)
        guard let grants = file.member("grants") else {
            if let grant = file.member("grant") {
                throw Self.error(
                    grant,
                    "there are no grants to choose from",
                    "expected [grants] in the dialect"
                )
            }
            chosen = rest
            others = []
            return
        }
        guard case .table(let members) = grants.value, !members.isEmpty else {
            throw Self.error(grants, "found \(grants.kind)", "expected a table of grants")
        }
        for grant in members.values.sorted(by: { $0.line < $1.line }) {
            _ = try SchemaTable(grant, keys: Self.parts)
        }
        let name = try Self.name(in: file, among: members.keys.sorted())
        chosen = members[name].map(rest.laid(over:)) ?? rest
        others = members.sorted { $0.key < $1.key }.filter { $0.key != name }
            .map { rest.laid(over: $0.value) }
    }

    private static func name(
        in file: TOMLItem,
        among known: [String]
    ) throws(DialectError) -> String {
        let expected = "expected one of " + known.joined(separator: ", ")
        guard let grant = file.member("grant") else {
            throw DialectError(
                file: file.file,
                line: file.line,
                key: "grant",
                found: "missing",
                expected: expected
            )
        }
        guard case .string(let name) = grant.value else {
            throw error(grant, "found \(grant.kind)", expected)
        }
        guard known.contains(name) else {
            throw error(grant, "unknown grant \(name.quotedForError)", expected)
        }
        return name
    }

    private static func error(
        _ item: TOMLItem,
        _ found: String,
        _ expected: String
    ) -> DialectError {
        DialectError(
            file: item.file,
            line: item.line,
            key: item.path,
            found: found,
            expected: expected
        )
    }
}

/// Merging of a profile with the dialect that it extends.
extension TOMLItem {
    /// Returns this table with the members of `base` that it lacks; nested tables are merged
    /// likewise, all other values are replaced.
    func laid(over base: TOMLItem) -> TOMLItem {
        guard case .table(let own) = value, case .table(let inherited) = base.value else {
            return self
        }
        return with(
            inherited.merging(own) { inherited, own in
                own.laid(over: inherited)
            }
        )
    }

    func with(_ members: [String: TOMLItem]) -> TOMLItem {
        TOMLItem(file: file, line: line, key: key, parent: parent, value: .table(members))
    }

    /// Returns the member under the key, or `nil` if there is none or this is not a table.
    func member(_ key: some StringProtocol) -> TOMLItem? {
        guard case .table(let members) = value else { return nil }
        return members[String(key)]
    }

    /// Returns the table without the members of these names.
    func without(_ keys: [String]) -> TOMLItem {
        guard case .table(let members) = value else { return self }
        return with(members.filter { !keys.contains($0.key) })
    }

    /// Returns the table without the value at a dotted path.
    ///
    /// - Returns: The table, or `nil` if there is no value at the path.
    func without(path: some StringProtocol) -> TOMLItem? {
        guard case .table(var members) = value else { return nil }
        let parts = path.parts(at: ".", limit: 2, keepsEmpty: true)
        let key = String(parts[0])
        guard let member = members[key] else { return nil }
        if parts.count == 1 {
            members[key] = nil
        } else {
            guard let rest = member.without(path: parts[1]) else { return nil }
            members[key] = rest
        }
        return with(members)
    }

    /// The values in this table and the tables in it, but for tables.
    var leaves: [TOMLItem] {
        guard case .table(let members) = value else { return [self] }
        return members.values.flatMap(\.leaves)
    }

    /// The dotted paths of all values in this table.
    var paths: [String] {
        guard case .table(let members) = value else { return [] }
        return members.flatMap { key, member in
            [key] + member.paths.map { "\(key).\($0)" }
        }
    }
}
