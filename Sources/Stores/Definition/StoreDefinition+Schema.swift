import Basics
package import Profiles

extension StoreDefinition {
    /// The most entries of a list in a file.
    private static let entryLimit = 64
    private static let titleLimit = 60

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - text: Its contents.
    ///   - file: Its path, for errors.
    ///   - name: Its name without the ending.
    /// - Throws: `DialectError` with the line and the key of a mistake.
    package init(toml text: String, file: String, name: String) throws(DialectError) {
        let root = try SchemaTable(
            .reading(text, file: file),
            keys: ["title", "renewal", "command", "one_time", "file"]
        )
        self.name = name
        title = try root.requiredString("title").inOneLine(limit: Self.titleLimit)
        renewal = try root.choice("renewal", as: Renewal.self)
        command = try root.string("command")?.inOneLine(limit: Self.titleLimit)
        isOneTime = try root.bool("one_time")
        let tables = try root.tables("file", keys: ["paths", "format", "session"])
        guard !tables.isEmpty else { throw root.missing("file") }
        var files: [StoreFiles] = []
        for table in tables { files.append(try StoreFiles(table)) }
        self.files = files
    }
}

extension StoreFiles {
    fileprivate init(_ table: SchemaTable) throws(DialectError) {
        var paths: [StorePath] = []
        for item in try table.strings("paths") ?? [] {
            guard case .string(let text) = item.value, let path = StorePath(text) else {
                throw table.error(
                    at: item,
                    "found \(item.kind)",
                    "expected a path that begins with ~/, / or a variable such as $CONFIG_HOME/"
                )
            }
            paths.append(path)
        }
        guard !paths.isEmpty else { throw table.missing("paths") }
        guard let format = try table.choice("format", as: Format.self) else {
            throw table.missing("format")
        }
        self.paths = paths
        self.format = format
        let tables = try table.tables("session", keys: SessionPlaces.keys)
        guard !tables.isEmpty else { throw table.missing("session") }
        var sessions: [SessionPlaces] = []
        for table in tables { sessions.append(try SessionPlaces(table)) }
        self.sessions = sessions
    }
}

extension SessionPlaces {
    static let keys = [
        "each", "where", "access", "refresh", "id_token", "access_end", "refresh_end",
        "refresh_limit", "lifetime", "issued", "account", "issuer", "client", "group",
        "renewed_from_elsewhere", "in_keyring",
    ]

    fileprivate init(_ table: SchemaTable) throws(DialectError) {
        each = try Self.paths("each", in: table).first
        access = try Self.paths("access", in: table)
        refresh = try Self.paths("refresh", in: table)
        idToken = try Self.paths("id_token", in: table)
        accessEnd = try Self.paths("access_end", in: table)
        refreshEnd = try Self.paths("refresh_end", in: table)
        refreshLimit = try Self.paths("refresh_limit", in: table)
        lifetime = try Self.paths("lifetime", in: table)
        issued = try Self.paths("issued", in: table)
        account = try Self.paths("account", in: table)
        issuer = try Self.paths("issuer", in: table)
        client = try Self.paths("client", in: table)
        group = try Self.paths("group", in: table)
        isRenewedFromElsewhere = try table.bool("renewed_from_elsewhere") ?? false
        inKeyring = try Self.paths("in_keyring", in: table)
        guard !access.isEmpty || !refresh.isEmpty || !idToken.isEmpty else {
            throw table.error(
                at: "access",
                "missing",
                "expected the place of a token: access, refresh or id_token"
            )
        }
        var conditions: [Condition] = []
        for item in try table.strings("where") ?? [] {
            guard case .string(let text) = item.value, let halves = text.halves(at: "="),
                let place = DocumentPath(String(halves.before.trimmingBlanks))
            else {
                throw table.error(at: item, "found \(item.kind)", "expected PLACE = VALUE")
            }
            conditions.append(
                Condition(place: place, value: String(halves.after.trimmingBlanks))
            )
        }
        self.conditions = conditions
    }

    private static func paths(
        _ key: String,
        in table: SchemaTable
    ) throws(DialectError) -> [DocumentPath] {
        var paths: [DocumentPath] = []
        for item in try table.strings(key) ?? [] {
            guard case .string(let text) = item.value, let path = DocumentPath(text) else {
                throw table.error(
                    at: item,
                    "found \(item.kind)",
                    "expected keys with a point between them, such as tokens.access_token"
                )
            }
            paths.append(path)
        }
        return paths
    }
}
