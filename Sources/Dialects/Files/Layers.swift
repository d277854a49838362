import TOML

/// The way to log in that a file chooses among those of `[grants]`.
///
/// A grant is a part of a dialect that stands in as if it were written at the top, unless the top
/// says otherwise.
struct GrantChoice {
    /// The file with the chosen grant in its place.
    let chosen: TOMLItem
    /// The file with each of the others in its place.
    let others: [TOMLItem]

    static let keys = ["grant", "grants"]

    /// What a grant may say.
    static let parts = ["login", "refresh", "logout", "policy", "rotation", "lifetimes"]

    init(in file: TOMLItem) throws(DialectError) {
        let rest = file.without(Self.keys)
        guard let grants = file.member("grants") else {
            if let grant = file.member("grant") {
                throw Self.error(
                    grant,
                    "there is none to choose",
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

/// One file laid over another: what a profile says, and what it leaves to the dialect it extends.
extension TOMLItem {
    /// This table with the members of `base` that it does not have itself; tables within them are
    /// laid over each other likewise, anything else is replaced.
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
        TOMLItem(file: file, line: line, key: key, path: path, value: .table(members))
    }

    /// The member under the key, where this is a table that has it.
    func member(_ key: some StringProtocol) -> TOMLItem? {
        guard case .table(let members) = value else { return nil }
        return members[String(key)]
    }

    /// Without the members of these names, where this is a table.
    func without(_ keys: [String]) -> TOMLItem {
        guard case .table(let members) = value else { return self }
        return with(members.filter { !keys.contains($0.key) })
    }

    /// Without what stands under a dotted path.
    ///
    /// - Returns: Nil where nothing stands there.
    func without(path: some StringProtocol) -> TOMLItem? {
        guard case .table(var members) = value else { return nil }
        let parts = path.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
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

    /// The dotted paths of everything that stands in this table, itself not among them.
    var paths: [String] {
        guard case .table(let members) = value else { return [] }
        return members.flatMap { key, member in
            [key] + member.paths.map { "\(key).\($0)" }
        }
    }
}
