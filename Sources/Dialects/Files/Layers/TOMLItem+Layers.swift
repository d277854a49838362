import TOML

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
