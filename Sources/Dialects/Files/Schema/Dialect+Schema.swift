/// A dialect from the text of its file.
extension Dialect {
    /// Reads the whole file, or says what is wrong with it in an error that begins with the name
    /// `file`.
    package init(toml: String, file: String) throws(DialectError) {
        let item = try TOMLReader.read(toml, file: file)
        try self.init(try SchemaTable(item, file: file, keys: Self.keys))
    }

    private static let keys = [
        "name", "title", "rotation", "words", "tokens", "lifetimes", "login", "refresh", "logout",
        "protected", "sessions", "feed", "policy", "answers",
    ]

    private init(_ table: SchemaTable) throws(DialectError) {
        let name = try Self.name(in: table)
        guard let loginTable = try table.table("login", keys: LoginExchange.keys) else {
            throw table.missing("login")
        }
        let login = try LoginExchange(loginTable)
        let refresh = try table.table("refresh", keys: RefreshExchange.keys)
            .map(RefreshExchange.init)
        let protected = try table.table("protected", keys: ProtectedExchange.keys)
            .map(ProtectedExchange.init)
        let sessions = try table.table("sessions", keys: SessionsExchange.keys)
            .map(SessionsExchange.init)
        let words = try KeyPath.readList("words", in: table) ?? Self.usualWords
        let implied = AnswerBook(
            impliedBy: login,
            refresh: refresh,
            protected: protected,
            sessions: sessions,
            words: words
        )
        self.init(
            name: name,
            title: try table.string("title") ?? name,
            rotation: try table.choice("rotation", as: Rotation.self) ?? .maybe,
            tokens: try TokenFormats(try table.table("tokens", keys: TokenFormats.keys)),
            lifetimes: try DocumentedLifetimes(
                try table.table("lifetimes", keys: DocumentedLifetimes.keys)
            ),
            policy: try DialectPolicy(try table.table("policy", keys: DialectPolicy.keys)),
            words: words,
            login: login,
            refresh: refresh,
            logouts: try Self.logouts(in: table),
            protected: protected,
            sessions: sessions,
            feed: try table.table("feed", keys: FeedExchange.keys).map(FeedExchange.init),
            answers: try AnswerBook(
                try table.table("answers", keys: AnswerBook.keys),
                implied: implied
            )
        )
    }

    private static let usualWords = ["message", "detail", "error_description", "error", "title"]

    private static func name(in table: SchemaTable) throws(DialectError) -> String {
        let name = try table.requiredString("name")
        let isPlain = name.utf8.allSatisfy { byte in
            PercentEncoding.isUnreserved(byte) && ![0x2E, 0x5F, 0x7E].contains(byte)
        }
        guard isPlain, !name.isEmpty, name == name.lowercased(), name.utf8.count <= 40 else {
            let expected = "expected small letters, digits and hyphens"
            throw table.error(at: "name", "found \(name.quotedForError)", expected)
        }
        return name
    }

    private static func logouts(
        in table: SchemaTable
    ) throws(DialectError) -> [LogoutScope: LogoutExchange] {
        let scopes = LogoutScope.allCases.map(\.rawValue)
        guard let table = try table.table("logout", keys: scopes) else { return [:] }
        var logouts: [LogoutScope: LogoutExchange] = [:]
        for scope in LogoutScope.allCases {
            if let entry = try table.table(scope.rawValue, keys: LogoutExchange.keys) {
                logouts[scope] = try LogoutExchange(entry)
            }
        }
        return logouts
    }
}
