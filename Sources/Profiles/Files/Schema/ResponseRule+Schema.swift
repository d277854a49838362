import Basics

/// Parsing of a response rule, such as `status` with `except`, `key` with `equals` or `missing`,
/// and `empty_body`.
extension ResponseRule {
    static let keys = ["status", "except", "key", "equals", "missing", "empty_body"]

    /// The keys of a rule that ends a session.
    static let terminalKeys = keys + ["cause"]

    /// The keys of a rule that says nothing of the token.
    static let clientFaultKeys = keys + ["token_missing"]

    /// The keys of a rule by which an access token is refused.
    static let refusedKeys = [
        "status", "except", "key", "equals", "missing", "header", "words", "renew",
    ]

    static func readList(
        _ key: String,
        keys: [String] = keys,
        in table: SchemaTable
    ) throws(DialectError) -> [ResponseRule] {
        var rules: [ResponseRule] = []
        for entry in try table.tables(key, keys: keys) {
            rules.append(try ResponseRule(entry, readsHeaders: keys.contains("header")))
        }
        return rules
    }

    init(_ table: SchemaTable, readsHeaders: Bool = false) throws(DialectError) {
        self.init(
            statuses: try Self.statuses(in: table),
            key: try KeyPath.read("key", in: table),
            values: try Self.values(in: table),
            missing: try KeyPath.read("missing", in: table)
        )
        header = try Self.header(in: table)
        words = try Self.words(in: table)
        renews = try table.bool("renew") ?? true
        guard !statuses.isEmpty || asksBody || header != nil || !words.isEmpty else {
            let expected =
                readsHeaders
                ? "expected status, key, missing, header or words"
                : "expected status, key or missing"
            throw table.error(at: table.item, "a rule for every answer", expected)
        }
        if !values.isEmpty, key == nil { throw table.missing("key") }
        if key != nil, missing != nil {
            throw table.error(at: "missing", "a rule of its own", "expected it without key")
        }
        if let status = statuses.sorted().first(where: ResponseClass.isNeverTerminal) {
            let isExcepted = table.isStatusClass("status") && status == 429
            throw table.error(
                at: "status",
                "\(status) is never a verdict on a token",
                isExcepted ? "expected except = 429" : nil
            )
        }
        causes = try Self.causes(in: table)
        saysTokenIsMissing = try table.bool("token_missing") ?? false
        // A rule on the body cannot apply to a response without one.
        let usual = missing != nil || key != nil && (!values.isEmpty || statuses.isEmpty)
        if missing != nil, table.has("empty_body") {
            let found = "an empty answer cannot lack one key in particular"
            throw table.error(at: "empty_body", found, "expected it without missing")
        }
        withoutBody =
            try table.choice("empty_body", as: WithoutBody.self) ?? (usual ? .never : .twice)
        if statuses.isEmpty, withoutBody != .never, !readsHeaders {
            throw table.error(
                at: "empty_body",
                "a rule for every empty answer",
                "expected status"
            )
        }
    }

    /// Parses one or more statuses, or a class such as `4xx`, without those in `except`.
    private static func statuses(in table: SchemaTable) throws(DialectError) -> Set<Int> {
        guard let statuses = try table.statusClass("status") else {
            if table.has("except") {
                throw table.error(
                    at: "except",
                    "there is no status to except it from",
                    "expected status = \"4xx\""
                )
            }
            return try table.statuses("status") ?? []
        }
        let excepted = try table.statuses("except") ?? []
        if let stranger = excepted.subtracting(statuses).min() {
            throw table.error(at: "except", "\(stranger) is not among those that status names")
        }
        return statuses.subtracting(excepted)
    }

    /// Parses `NAME`, or `NAME: TEXT`.
    private static func header(
        in table: SchemaTable
    ) throws(DialectError) -> HeaderCondition? {
        guard let text = try table.string("header") else { return nil }
        let halves = text.parts(at: ":", limit: 2, keepsEmpty: true)
        let name = halves.first.map { String($0) } ?? ""
        try HeaderSchema.checkName(name, at: "header", in: table)
        guard halves.count == 2 else { return HeaderCondition(name: name) }
        let value = String(String(halves[1]).trimmingBlanks)
        guard !value.isEmpty else {
            let expected = "expected NAME, or NAME: TEXT"
            throw table.error(at: "header", "nothing follows the colon", expected)
        }
        return HeaderCondition(name: name, text: value)
    }

    private static func words(in table: SchemaTable) throws(DialectError) -> [String] {
        var words: [String] = []
        for item in try table.strings("words") ?? [] {
            guard case .string(let text) = item.value else { continue }
            guard (3...200).contains(text.utf8.count) else {
                let expected = "expected 3 to 200 bytes"
                throw table.error(at: item, "found \(text.quotedForError)", expected)
            }
            words.append(text)
        }
        return words
    }

    private static func causes(in table: SchemaTable) throws(DialectError) -> [RefusalCause] {
        var causes: [RefusalCause] = []
        for item in try table.strings("cause") ?? [] {
            guard case .string(let name) = item.value else { continue }
            guard let cause = RefusalCause(rawValue: name) else {
                let known = RefusalCause.allCases.map(\.rawValue).joined(separator: ", ")
                let found = "unknown cause \(name.quotedForError)"
                throw table.error(at: item, found, "expected one of \(known)")
            }
            causes.append(cause)
        }
        return causes
    }

    private static func values(in table: SchemaTable) throws(DialectError) -> [JSONValue] {
        guard let item = table.item("equals") else { return [] }
        var items = [item]
        if case .list(let elements) = item.value { items = elements }
        var values: [JSONValue] = []
        for item in items { values.append(try table.scalar(item)) }
        return values
    }
}
