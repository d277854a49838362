import Basics

/// Parsing of the request before a dial, `[feed.negotiate]`.
extension NegotiationExchange {
    static let keys = ["path", "parameters", "redirect", "redirect_token"]

    /// The most parameters.
    private static let limit = 8

    /// Fails if the table is wrong; `nil` if there is none, or it is `false`.
    init?(in feed: SchemaTable) throws(DialectError) {
        guard let item = feed.item("negotiate") else { return nil }
        if case .bool(false) = item.value { return nil }
        let table = try SchemaTable(item, keys: Self.keys)
        let target = try TargetParts(table.requiredString("path"), at: "path", in: table)
        guard target.origin == nil else {
            throw table.error(at: "path", "found a URL", "expected what follows the feed's path")
        }
        path = target.path
        query = target.query
        redirect = try KeyPath.read("redirect", in: table)
        redirectToken = try KeyPath.read("redirect_token", in: table)
        guard (redirect == nil) == (redirectToken == nil) else {
            let expected = "expected redirect and redirect_token, or neither"
            throw table.error(
                at: redirect == nil ? "redirect" : "redirect_token",
                "missing",
                expected
            )
        }
        parameters = try Self.parameters(in: table)
    }

    private static func parameters(in table: SchemaTable) throws(DialectError) -> [Parameter] {
        guard let item = table.item("parameters"), case .table(let members) = item.value,
            !members.isEmpty, members.count <= limit
        else {
            let expected = "expected 1 to \(limit) names, each with a key path in the answer"
            throw table.error(at: "parameters", "found none or too many", expected)
        }
        let names = members.keys.sorted()
        let own = try SchemaTable(item, keys: names)
        var parameters: [Parameter] = []
        for name in names {
            parameters.append(
                Parameter(name: name, paths: try KeyPath.readList(name, in: own) ?? [])
            )
        }
        return parameters
    }
}
