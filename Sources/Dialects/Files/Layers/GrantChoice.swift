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
