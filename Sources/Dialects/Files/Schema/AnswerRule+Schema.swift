import Tokens

/// A meaning of an answer, as `status`, `key`, `is` and `without_body`.
extension AnswerRule {
    static let keys = ["status", "key", "is", "without_body"]

    static func readList(
        _ key: String,
        in table: SchemaTable
    ) throws(DialectError) -> [AnswerRule] {
        var rules: [AnswerRule] = []
        for entry in try table.tables(key, keys: keys) { rules.append(try AnswerRule(entry)) }
        return rules
    }

    init(_ table: SchemaTable) throws(DialectError) {
        self.init(
            statuses: try table.statuses("status") ?? [],
            key: try KeyPath.read("key", in: table),
            values: try Self.values(in: table)
        )
        guard !statuses.isEmpty || key != nil else {
            throw table.error(at: table.item, "a rule for every answer", "expected status or key")
        }
        if !values.isEmpty, key == nil { throw table.missing("key") }
        if let status = statuses.sorted().first(where: AnswerClass.isNeverTerminal) {
            throw table.error(at: "status", "\(status) is never a verdict on a token")
        }
        // What a body must say cannot be said without one.
        let usual = key != nil && (!values.isEmpty || statuses.isEmpty)
        withoutBody =
            try table.choice("without_body", as: WithoutBody.self) ?? (usual ? .never : .twice)
        if statuses.isEmpty, withoutBody != .never {
            throw table.error(
                at: "without_body",
                "a rule for every empty answer",
                "expected status"
            )
        }
    }

    private static func values(in table: SchemaTable) throws(DialectError) -> [JSONValue] {
        guard let item = table.item("is") else { return [] }
        var items = [item]
        if case .list(let elements) = item.value { items = elements }
        var values: [JSONValue] = []
        for item in items {
            switch item.value {
            case .string(let text): values.append(.string(text))
            case .integer(let number): values.append(.integer(Int64(number)))
            case .bool(let flag): values.append(.bool(flag))
            case .number, .date, .list, .table:
                let expected = "expected text, a whole number, true or false"
                throw table.error(at: item, "found \(item.kind)", expected)
            }
        }
        return values
    }
}
