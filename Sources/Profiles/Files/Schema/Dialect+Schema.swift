import Basics

/// Parsing of a dialect's file.
extension Dialect {
    /// Parses the whole file; errors begin with the name `file`.
    init(toml: String, file: String) throws(DialectError) {
        let grants = try GrantChoice(in: try TOMLItem.reading(toml, file: file))
        let table = try SchemaTable(grants.chosen, keys: Self.keys)
        try self.init(table, name: try Self.name(in: table), others: grants.others)
    }

    static let keys =
        GrantChoice.keys + [
            "name", "title", "rotation", "error_message", "headers", ClientAuthentication.key,
            ClientAuthentication.idName, ClientAssertion.tableName, resourceName, "dpop", "tokens",
            "lifetimes", RegistrationExchange.key, "login", "refresh", "logout", "protected",
            "sessions", "introspection", "userinfo",
            "feed", "policy", "responses", Capture.key,
        ]

    /// Parses `table`, which is the file with the selected grant; `others` are the same file with
    /// each of the other grants.
    init(_ table: SchemaTable, name: String, others: [TOMLItem]) throws(DialectError) {
        let client =
            try table.choice(ClientAuthentication.key, as: ClientAuthentication.self) ?? .none
        let captures = try Capture.readAll(in: table)
        let login = try Self.login(in: table, client: client, captures: captures)
        let rotation = try table.choice("rotation", as: Rotation.self) ?? .maybe
        let refresh = try table.table("refresh", keys: RefreshExchange.keys)
            .map { table throws(DialectError) in
                try RefreshExchange(
                    table,
                    client: client,
                    captures: captures,
                    rotation: rotation
                )
            }
        let protected = try table.table("protected", keys: ProtectedExchange.keys)
            .map { table throws(DialectError) in
                try ProtectedExchange(table, captures: captures)
            }
        let sessions = try table.table("sessions", keys: SessionsExchange.keys)
            .map { table throws(DialectError) in
                try SessionsExchange(table, captures: captures)
            }
        let errorMessagePaths =
            try KeyPath.readList("error_message", in: table) ?? Self.usualErrorMessagePaths
        let implied = ResponseTemplates(
            impliedBy: login,
            refresh: refresh,
            protected: protected,
            sessions: sessions,
            captures: captures,
            errorMessagePaths: errorMessagePaths
        )
        self.init(
            name: name,
            title: try table.string("title") ?? name,
            rotation: rotation,
            tokens: try TokenFormats(try table.table("tokens", keys: TokenFormats.keys)),
            lifetimes: try DocumentedLifetimes(
                try table.table("lifetimes", keys: DocumentedLifetimes.keys)
            ),
            policy: try Self.policy(in: table, of: login),
            errorMessagePaths: errorMessagePaths,
            clientID: try Self.clientID(in: table),
            captures: captures,
            login: login,
            otherLogins: Self.otherLogins(in: others, client: client),
            refresh: refresh,
            logouts: try Self.logouts(in: table, client: client, captures: captures),
            protected: protected,
            sessions: sessions,
            introspection: try table.table("introspection", keys: IntrospectionExchange.keys)
                .map { table throws(DialectError) in
                    try IntrospectionExchange(table, client: client)
                },
            userinfo: try table.table("userinfo", keys: UserinfoExchange.keys)
                .map(UserinfoExchange.init),
            feed: try table.table("feed", keys: FeedExchange.keys)
                .map { table throws(DialectError) in
                    try FeedExchange(table, captures: captures)
                },
            answers: try ResponseTemplates(
                try table.table("responses", keys: ResponseTemplates.keys),
                captures: captures,
                implied: implied
            )
        )
        assertion = try ClientAssertion(
            try table.table(ClientAssertion.tableName, keys: ClientAssertion.keys)
        )
        try checkAssertion(in: table)
        endSession = try table.table("logout", keys: Self.logoutKeys)?
            .table(EndSessionExchange.tableName, keys: EndSessionExchange.keys)
            .map(EndSessionExchange.init)
        registration = try table.table(RegistrationExchange.key, keys: RegistrationExchange.keys)
            .map(RegistrationExchange.init)
        try Capture.check(captures, against: credentials.map(\.name), in: table)
        try add(headersOf: table)
        resource = try Self.resource(in: table, login: login, refresh: refresh)
        if let resource { addResource(resource) }
        bindsTokens = try table.bool("dpop") ?? false
        if bindsTokens { requireProofs() }
        guard !bindsTokens || feed?.negotiation == nil else {
            let found = "the request before a dial of the feed would have no proof"
            throw table.error(at: "dpop", found, "expected feed.negotiate = false")
        }
        guard case .scheme(let scheme)? = protected?.place else { return }
        guard !bindsTokens else {
            let found = "a token that is bound to a key has the scheme DPoP"
            throw table.error(at: "dpop", found, "expected no protected.scheme")
        }
        sendTokens(by: scheme)
    }

    /// Adds the headers of every request, but not those that a request defines itself.
    private mutating func add(headersOf table: SchemaTable) throws(DialectError) {
        let headers = try HeaderSchema.read(
            "headers",
            in: table,
            checking: { text, item throws(DialectError) in
                try PlaceholderScope().check(text, at: item, client: [], in: table)
            }
        )
        guard !headers.isEmpty else { return }
        let taken = tokenHeaderNames
        if let header = headers.first(where: { taken.contains($0.name.asciiLowercased) }) {
            let found = "\(header.name) is the place of a token or of the client's Basic"
            throw table.error(at: "headers", found)
        }
        changeRequests { request in
            let own = Set(request.headers.map { $0.name.asciiLowercased })
            request.headers += headers.filter { !own.contains($0.name.asciiLowercased) }
        }
    }

    private static let usualErrorMessagePaths = [
        "message", "msg", "detail", "error_description", "error", "title",
    ]

    private static func login(
        in table: SchemaTable,
        client: ClientAuthentication,
        captures: [Capture] = []
    ) throws(DialectError) -> LoginExchange {
        guard let login = try table.table("login", keys: LoginExchange.keys) else {
            throw table.missing("login")
        }
        return try LoginExchange(login, client: client, captures: captures)
    }

    /// Returns the other ways to log in; a grant that was not selected may be inconsistent with the
    /// rest of the file.
    private static func otherLogins(
        in files: [TOMLItem],
        client: ClientAuthentication
    ) -> [OtherLogin] {
        files.compactMap { file in
            do throws(DialectError) {
                let table = try SchemaTable(file, keys: Profile.keys)
                return OtherLogin(
                    exchange: try login(in: table, client: client),
                    policy: try policy(in: table, of: nil)
                )
            } catch {
                return nil
            }
        }
    }

    private static func clientID(in table: SchemaTable) throws(DialectError) -> String? {
        guard let id = try table.string(ClientAuthentication.idName) else { return nil }
        guard !id.isEmpty, id.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            let found = "\(id.quotedForError) is not a client's id"
            throw table.error(at: ClientAuthentication.idName, found, "expected printable ASCII")
        }
        return id
    }

    /// Fails if the login that is to be repeated automatically needs the user.
    private static func policy(
        in table: SchemaTable,
        of login: LoginExchange?
    ) throws(DialectError) -> DialectPolicy {
        let entry = try table.table("policy", keys: DialectPolicy.keys)
        let policy = try DialectPolicy(entry)
        let needsUser = login?.authorization != nil || login?.device != nil
        if policy.renewal == .login, needsUser, let entry {
            let found = "a login needs the user's browser, and cannot be repeated without the user"
            throw entry.error(at: "renew", found, "expected renew = \"refresh\"")
        }
        return policy
    }

    static func name(in table: SchemaTable) throws(DialectError) -> String {
        let name = try table.requiredString("name")
        guard isName(name) else {
            let expected = "expected small letters, digits and hyphens"
            throw table.error(at: "name", "found \(name.quotedForError)", expected)
        }
        return name
    }

    static func isName(_ name: String) -> Bool {
        let isPlain = name.utf8.allSatisfy { byte in
            PercentEncoding.isUnreserved(byte) && ![0x2E, 0x5F, 0x7E].contains(byte)
        }
        return isPlain && !name.isEmpty && name == name.asciiLowercased && name.utf8.count <= 40
    }

    static let logoutKeys = LogoutScope.allCases.map(\.rawValue) + [EndSessionExchange.tableName]

    private static func logouts(
        in table: SchemaTable,
        client: ClientAuthentication,
        captures: [Capture]
    ) throws(DialectError) -> [LogoutScope: LogoutExchange] {
        guard let table = try table.table("logout", keys: logoutKeys) else { return [:] }
        var logouts: [LogoutScope: LogoutExchange] = [:]
        for scope in LogoutScope.allCases {
            if let entry = try table.table(scope.rawValue, keys: LogoutExchange.keys) {
                logouts[scope] = try LogoutExchange(entry, client: client, captures: captures)
            }
        }
        return logouts
    }
}

extension TokenFormats {
    static let keys = ["access", "refresh"]

    init(_ table: SchemaTable?) throws(DialectError) {
        self.init(
            access: try table?.choice("access", as: TokenFormat.self) ?? .jwt,
            refresh: try table?.choice("refresh", as: TokenFormat.self) ?? .opaque
        )
    }
}

extension DocumentedLifetimes {
    static let keys = ["access", "refresh", "refresh_slides", "session"]

    init(_ table: SchemaTable?) throws(DialectError) {
        self.init(
            access: try table?.seconds("access"),
            refresh: try table?.seconds("refresh"),
            refreshSlides: try table?.bool("refresh_slides") ?? true,
            session: try table?.seconds("session")
        )
    }
}

extension DialectPolicy {
    static let keys = [
        "lead", "give_up_after", "renew", "retry", "attempts", "when_due", "unknown_expiry",
        "after_refusal", "another_user", "pause_on_blur", "lock_after", "erase_on_logout",
    ]

    init(_ table: SchemaTable?) throws(DialectError) {
        self.init(
            lead: try table?.seconds("lead"),
            giveUpAfter: try table?.integer("give_up_after", in: 1...1000),
            renewal: try table?.choice("renew", as: Renewal.self) ?? .refresh,
            retry: try table?.choice("retry", as: Retry.self) ?? .timer,
            attempts: try table?.integer("attempts", in: 1...1000),
            whenDue: try table?.choice("when_due", as: WhenDue.self) ?? .use,
            unknownExpiry: try table?.choice("unknown_expiry", as: UnknownExpiry.self) ?? .use,
            afterRefusal: try table?.choice("after_refusal", as: AfterRefusal.self) ?? .drain,
            anotherUser: try table?.choice("another_user", as: AnotherUser.self) ?? .refuse,
            pausesInBackground: try table?.bool("pause_on_blur") ?? false,
            lockAfter: try table?.seconds("lock_after"),
            erasesOnLogout: try table?.bool("erase_on_logout") ?? false
        )
        if let table, attempts != nil, retry == .onUse {
            let found = "with retry = \"on_use\", no timer starts a try"
            throw table.error(at: "attempts", found, "expected retry = \"timer\"")
        }
    }
}
