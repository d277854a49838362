/// Parsing of the sandbox's responses, each with `status`, `headers` and `body`.
extension ResponseTemplates {
    static let keys = [
        "login", "login_rejected", "refresh", "refresh_refused", "logout", "logout_everywhere",
        "logout_refused", "protected", "unauthorized", "sessions", "malformed",
    ]

    static let sessionsKeys = ResponseTemplate.keys + ["item"]

    /// Parses the responses; those that the file does not define are the implied ones.
    ///
    /// - Parameters:
    ///   - table: The table of the responses, if there is one.
    ///   - captures: The captures, which a login and a refresh may bring.
    ///   - implied: The responses that are derived from the rest of the file.
    /// - Throws: `DialectError` at the first mistake.
    init(
        _ table: SchemaTable?,
        captures: [Capture],
        implied: ResponseTemplates
    ) throws(DialectError) {
        self = implied
        guard let table else { return }
        let issued = Set(ResponsePlaceholder.issued.map(\.rawValue) + captures.map(\.name))
        let user = Set(ResponsePlaceholder.user.map(\.rawValue))
        login = try Self.answer("login", in: table, issued) ?? login
        loginRejected = try Self.answer("login_rejected", in: table) ?? loginRejected
        refresh = try Self.answer("refresh", in: table, issued) ?? refresh
        (refreshRefused, refreshRefusedBy) = try Self.answers(
            "refresh_refused",
            by: RefreshRefusalCause.self,
            in: table,
            otherwise: refreshRefused
        )
        logouts[.this] = try Self.answer("logout", in: table) ?? logouts[.this]
        logouts[.everywhere] =
            try Self.answer("logout_everywhere", in: table) ?? logouts[.everywhere]
        logoutRefused = try Self.answer("logout_refused", in: table) ?? logoutRefused
        protected = try Self.answer("protected", in: table, user) ?? protected
        (unauthorized, unauthorizedBy) = try Self.answers(
            "unauthorized",
            by: UnauthorizedCause.self,
            in: table,
            otherwise: unauthorized
        )
        try readSessions(in: table)
        malformed = try Self.answer("malformed", in: table) ?? malformed
    }

    private mutating func readSessions(in table: SchemaTable) throws(DialectError) {
        guard let entry = try table.table("sessions", keys: Self.sessionsKeys) else { return }
        sessions = try ResponseTemplate(
            entry,
            placeholders: [ResponsePlaceholder.sessions.rawValue]
        )
        let item = ResponseTemplate(status: 200, body: try entry.requiredString("item"))
        try item.check(
            in: entry,
            at: "item",
            placeholders: Set(ResponsePlaceholder.session.map(\.rawValue))
        )
        session = item
    }

    private static func answer(
        _ key: String,
        in table: SchemaTable,
        _ placeholders: Set<String> = []
    ) throws(DialectError) -> ResponseTemplate? {
        guard let entry = try table.table(key, keys: ResponseTemplate.keys) else { return nil }
        return try ResponseTemplate(entry, placeholders: placeholders)
    }

    /// Parses a response and those that differ by cause, as `[responses.KEY]` and
    /// `[responses.KEY.CAUSE]`.
    private static func answers<Cause: RawRepresentable & CaseIterable & Hashable>(
        _ key: String,
        by type: Cause.Type,
        in table: SchemaTable,
        otherwise implied: ResponseTemplate
    ) throws(DialectError) -> (ResponseTemplate, [Cause: ResponseTemplate])
    where Cause.RawValue == String {
        let causes = Cause.allCases.map(\.rawValue)
        guard let entry = try table.table(key, keys: ResponseTemplate.keys + causes) else {
            return (implied, [:])
        }
        let isStated = ResponseTemplate.keys.contains(where: entry.has)
        let usual = isStated ? try ResponseTemplate(entry, placeholders: []) : implied
        var special: [Cause: ResponseTemplate] = [:]
        for cause in Cause.allCases {
            special[cause] = try answer(cause.rawValue, in: entry)
        }
        return (usual, special)
    }
}

extension ResponseTemplate {
    static let keys = ["status", "headers", "body"]

    init(_ table: SchemaTable, placeholders: Set<String>) throws(DialectError) {
        self.init(
            status: try table.integer("status", in: 200...599) ?? 200,
            headers: try HeaderSchema.read("headers", in: table) { _, _ in },
            body: try table.string("body") ?? ""
        )
        try check(in: table, at: "body", placeholders: placeholders)
    }

    func check(
        in table: SchemaTable,
        at key: String,
        placeholders: Set<String>
    ) throws(DialectError) {
        let known = placeholders.sorted()
        for name in placeholderNames where !known.contains(name) {
            let expected =
                known.isEmpty
                ? "expected none here"
                : "expected one of " + known.map { "{\($0)}" }.joined(separator: ", ")
            throw table.error(at: key, "unknown gap {\(name)}", expected)
        }
        guard isWellFormed else {
            throw table.error(at: key, "not JSON", "expected JSON, or headers with a Content-Type")
        }
    }
}
