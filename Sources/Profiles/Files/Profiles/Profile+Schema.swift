import Basics

/// Parsing of a profile, which is a whole dialect or extends one.
extension Profile {
    /// Parses the file and those that it extends.
    ///
    /// - Parameters:
    ///   - source: The profile's own file.
    ///   - known: The names that it may extend, to suggest one of them.
    ///   - provider: The statements of its issuer, which complement the files; without them, the
    ///     profile consists of the files alone.
    ///   - lookup: Finds the file of a name.
    /// - Throws: `DialectError` with the file, the line and the cause.
    package init(
        _ source: ProfileSource,
        known: [String],
        provider: ProviderDescription? = nil,
        lookup: @escaping (String) throws(DialectError) -> ProfileSource?
    ) throws(DialectError) {
        let chain = try ProfileChain(source, known: known, provider: provider, lookup: lookup)
        do throws(DialectError) {
            try self.init(source, chain, chain.whole, provider: provider)
        } catch {
            throw MergeMistake(chain) { whole throws(DialectError) in
                _ = try Profile(source, chain, whole, provider: provider)
            }.explained(error)
        }
    }

    /// Parses the merged files; `whole` is their contents.
    private init(
        _ source: ProfileSource,
        _ chain: ProfileChain,
        _ whole: TOMLItem,
        provider: ProviderDescription?
    ) throws(DialectError) {
        let grants = try GrantChoice(in: whole)
        let table = try SchemaTable(grants.chosen, keys: Self.keys)
        let dialect = try Dialect(table, name: chain.dialectName, others: grants.others)
        let name = try Self.name(in: table, of: source)
        let baseURL = try Self.baseURL(in: table)
        self.init(
            name: name,
            dialect: dialect,
            baseURL: baseURL,
            issuer: try ProfileIssuer.url(in: table),
            vault: try VaultChoice.read("vault", in: table),
            keep: try table.seconds("retention"),
            transport: try TransportRequirements(table),
            credentialCommands: try Self.commands(in: table, for: dialect),
            files: chain.files,
            warnings: dialect.unusedCaptures(in: table),
            writer: TOMLWriter(
                item: grants.chosen.without(["extends", "name"]),
                name: name,
                files: chain.layers.reversed(),
                notes: chain.notes,
                provider: provider?.address,
                remarks: provider == nil
                    ? [] : chain.remarks(on: dialect, at: baseURL)
            )
        )
    }

    static let keys =
        ["extends", "disable", "base_url", ProfileIssuer.key, "vault", "retention", "credentials"]
        + TransportRequirements.keys + Dialect.keys

    /// Returns whether the name consists of lower-case letters, digits and hyphens.
    package static func isName(_ name: String) -> Bool { Dialect.isName(name) }

    static func name(
        in table: SchemaTable,
        of source: ProfileSource
    ) throws(DialectError) -> String {
        if table.has("name") { return try Dialect.name(in: table) }
        guard Dialect.isName(source.name) else {
            let found = "missing, and the file name \(source.name.quotedForError) is not valid"
            throw table.error(at: "name", found, "expected small letters, digits and hyphens")
        }
        return source.name
    }

    /// Rejects only what could contain a secret; `BackendOrigin` validates the rest.
    private static func baseURL(in table: SchemaTable) throws(DialectError) -> String? {
        guard let text = try table.string("base_url") else { return nil }
        let expected = "expected one such as https://api.example.com"
        guard text.begins(with: "https://") || text.begins(with: "http://") else {
            throw table.error(at: "base_url", "not the URL of a backend", expected)
        }
        if let character = text.first(where: { "@?# \t".contains($0) }) {
            let found = "holds \(String(character).quotedForError)"
            throw table.error(at: "base_url", found, "\(expected): no user, no query")
        }
        return text
    }

    /// Parses `[credentials]` with `NAME_command = ["program", "argument"]`.
    private static func commands(
        in table: SchemaTable,
        for dialect: Dialect
    ) throws(DialectError) -> [String: [String]] {
        let names = dialect.credentials.map(\.name)
        let keys = names.map(commandKey)
        guard let item = table.item("credentials") else { return [:] }
        if let name = names.first(where: { item.member($0) != nil }) {
            let found = "a credential, which must not be in a file"
            throw try SchemaTable(item, keys: keys + names)
                .error(
                    at: name,
                    found,
                    "expected \(commandKey(of: name)) = [\"program\", \"argument\"]"
                )
        }
        let entries = try SchemaTable(item, keys: keys)
        var commands: [String: [String]] = [:]
        for name in names {
            commands[name] = try command(commandKey(of: name), in: entries)
        }
        return commands
    }

    /// Returns the key of the command that prints a credential.
    static func commandKey(of name: String) -> String { "\(name)_command" }

    /// Parses `NAME_command`; `nil` if it is not there.
    static func command(
        _ key: String,
        in table: SchemaTable
    ) throws(DialectError) -> [String]? {
        guard let item = table.item(key) else { return nil }
        guard case .list = item.value, let items = try table.strings(key) else {
            let expected = "expected a list such as [\"pass\", \"show\", \"name\"]"
            throw table.error(at: item, "found \(item.kind)", expected)
        }
        let arguments = items.compactMap { item -> String? in
            if case .string(let text) = item.value { text } else { nil }
        }
        guard let program = arguments.first, !program.isEmpty else {
            throw table.error(at: item, "names no program", "expected it as the first element")
        }
        guard !arguments.contains(where: { $0.utf8.contains(0) }) else {
            throw table.error(at: item, "an argument contains a null character")
        }
        return arguments
    }
}

extension VaultChoice {
    static func read(_ key: String, in table: SchemaTable) throws(DialectError) -> VaultChoice? {
        guard let text = try table.string(key) else { return nil }
        switch text {
        case "memory": return .memory
        case "file": return .file
        case let text where text.begins(with: "helper:"):
            let name = String(text.dropFirst("helper:".count))
            guard !name.isEmpty, name.utf8.allSatisfy(PercentEncoding.isUnreserved),
                !name.begins(with: ".")
            else {
                let expected = "expected a name such as helper:pass"
                throw table.error(at: key, "found \(text.quotedForError)", expected)
            }
            return .helper(name)
        default:
            let expected = "expected one of memory, file, helper:NAME"
            throw table.error(at: key, "unknown vault \(text.quotedForError)", expected)
        }
    }
}
