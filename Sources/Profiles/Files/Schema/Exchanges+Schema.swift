import Basics

extension ClientAuthentication {
    static let key = "client_auth"

    /// Returns the exchange's own setting, or else that of the whole dialect.
    static func read(
        in table: SchemaTable,
        otherwise usual: ClientAuthentication
    ) throws(DialectError) -> ClientAuthentication {
        try table.choice(key, as: ClientAuthentication.self) ?? usual
    }
}

extension LoginExchange {
    init(
        _ table: SchemaTable,
        client usual: ClientAuthentication,
        captures: [Capture]
    ) throws(DialectError) {
        let client = try ClientAuthentication.read(in: table, otherwise: usual)
        let assertion = try table.table(GrantAssertion.tableName, keys: GrantAssertion.keys)
            .map(GrantAssertion.init)
        let signed = assertion == nil ? [] : [GrantAssertion.valueName]
        let names = try Self.credentialNames(in: table).filter { !signed.contains($0) }
        let authorization = try table.table("authorize", keys: AuthorizationExchange.keys)
            .map { table throws(DialectError) in
                try AuthorizationExchange(table, client: client)
            }
        let device = try table.table("device", keys: DeviceExchange.keys)
            .map { table throws(DialectError) in try DeviceExchange(table, client: client) }
        if device != nil, authorization != nil {
            let expected = "expected one of authorize, device"
            throw table.error(at: "device", "there is also an authorize", expected)
        }
        let step = authorization == nil ? "device" : "authorize"
        let granted =
            authorization.map { _ in AuthorizationExchange.placeholders }
            ?? device.map { _ in DeviceExchange.placeholders } ?? []
        guard
            let answer = try table.table("response", keys: TokenParser.keys)
        else { throw table.missing("response") }
        self.init(
            request: try RequestShape(
                table,
                scope: PlaceholderScope(
                    credentials: names + granted + signed,
                    laterCaptures: captures
                ),
                client: client
            ),
            credentials: names.map { CredentialSpec(name: $0) },
            reading: try TokenParser(answer)
        )
        self.authorization = authorization
        self.device = device
        self.assertion = assertion
        idToken = try table.table("id_token", keys: IDTokenExchange.keyNames)
            .map(IDTokenExchange.init)
        rejected = try table.statuses("rejected") ?? rejected
        kept = try table.string("refresh_from")
        if let kept, !names.contains(kept) {
            let found = "no credential is called \(kept.quotedForError)"
            throw table.error(at: "refresh_from", found, "expected one of the credentials")
        }
        let used = request.credentialNames
        if let unused = names.first(where: { !used.contains($0) }) {
            let found = "the credential \(unused.quotedForError) is not used"
            throw table.error(at: "credentials", found, "expected {\(unused)} in fields")
        }
        if let unused = signed.first(where: { !used.contains($0) }) {
            let expected = "expected it in fields, as with grant = \"jwt_bearer\""
            throw table.error(at: GrantAssertion.tableName, "{\(unused)} is not used", expected)
        }
        guard authorization != nil || device != nil else { return }
        if let unused = granted.first(where: { !used.contains($0) }) {
            let found = "the login's {\(unused)} is not used"
            let grant = authorization == nil ? "device_code" : "authorization_code"
            let expected = "expected it in fields, as with grant = \"\(grant)\""
            throw table.error(at: step, found, expected)
        }
        guard used.contains(ClientAuthentication.idName) else {
            let expected = "expected client_auth = \"public\", \"basic\" or \"body\""
            throw table.error(at: step, "the request does not name the client", expected)
        }
    }

    private static func credentialNames(in table: SchemaTable) throws(DialectError) -> [String] {
        var names: [String] = []
        for item in try table.strings("credentials") ?? [] {
            guard case .string(let name) = item.value else { continue }
            guard PlaceholderText("{\(name)}").names == [name] else {
                let expected = "expected small letters, digits and underscores"
                throw table.error(at: item, "found \(name.quotedForError)", expected)
            }
            guard !names.contains(name) else {
                throw table.error(at: item, "\(name.quotedForError) is listed twice")
            }
            names.append(name)
        }
        return names
    }

    static let keys =
        RequestShape.keys + [
            ClientAuthentication.key, "credentials", "response", "rejected", "refresh_from",
            "authorize", "device", GrantAssertion.tableName, "id_token",
        ]
}

extension RegistrationExchange {
    static let keys = RequestShape.keys.filter { $0 != "body" }

    init(_ table: SchemaTable) throws(DialectError) {
        request = try RequestShape(table)
        guard request.method == "POST" else {
            let found = "found the method \(request.method.quotedForError)"
            throw table.error(at: "request", found, "expected POST (RFC 7591)")
        }
        // Its body has members of its own.
        request.encoding = .json
    }
}

extension RefreshExchange {
    static let keys =
        RequestShape.keys
        + [
            ClientAuthentication.key, "token_in", "one_time", "response", "terminal",
            "client_faults", "reuse", "reuse_interval",
        ]

    init(
        _ table: SchemaTable,
        client usual: ClientAuthentication,
        captures: [Capture],
        rotation: Rotation
    ) throws(DialectError) {
        guard let place = try TokenLocation.read("token_in", in: table, for: .request) else {
            throw table.missing("token_in")
        }
        guard let answer = try table.table("response", keys: TokenParser.keys) else {
            throw table.missing("response")
        }
        self.init(
            request: try RequestShape(
                table,
                places: [("token_in", place)],
                scope: PlaceholderScope(captures: captures),
                client: try ClientAuthentication.read(in: table, otherwise: usual)
            ),
            place: place,
            reading: try TokenParser(answer),
            terminal: try ResponseRule.readList(
                "terminal",
                keys: ResponseRule.terminalKeys,
                in: table
            ),
            clientFaults: try ResponseRule.readList(
                "client_faults",
                keys: ResponseRule.clientFaultKeys,
                in: table
            ),
            isOneTime: try table.bool("one_time") ?? false,
            reuse: DocumentedReuse(
                outcome: try table.choice("reuse", as: DocumentedReuse.Outcome.self),
                interval: try table.seconds("reuse_interval")
            )
        )
        guard !terminal.isEmpty else {
            let expected = "expected at least one answer that ends a session"
            throw table.error(at: "terminal", "missing", expected)
        }
        if isOneTime, rotation == .never {
            throw table.error(at: "one_time", "a one-time token contradicts rotation = \"never\"")
        }
    }
}

extension LogoutExchange {
    static let keys =
        RequestShape.keys + [
            ClientAuthentication.key, "refresh_in", "access_in", "acknowledged", "without_refresh",
        ]

    init(
        _ table: SchemaTable,
        client usual: ClientAuthentication,
        captures: [Capture]
    ) throws(DialectError) {
        let refresh = try TokenLocation.read("refresh_in", in: table, for: .request)
        let access = try TokenLocation.read("access_in", in: table, for: .request)
        let places = [("refresh_in", refresh), ("access_in", access)]
        let client = try ClientAuthentication.read(in: table, otherwise: usual)
        self.init(
            request: try RequestShape(
                table,
                places: places,
                scope: PlaceholderScope(captures: captures),
                client: client
            ),
            refreshPlace: refresh,
            accessPlace: access
        )
        acknowledged = try table.statuses("acknowledged") ?? []
        withoutRefresh = try table.table("without_refresh", keys: AccessLogout.keys)
            .map { instead throws(DialectError) in
                try AccessLogout(instead, of: table, client: client, captures: captures)
            }
    }
}

extension EndSessionExchange {
    static let tableName = "end_session"
    static let keys = ["request", "redirect_port", "redirect_path"]

    /// Parses `[logout.end_session]`.
    init(_ table: SchemaTable) throws(DialectError) {
        self.init(
            request: try RequestShape(table),
            redirectPort: try table.integer("redirect_port", in: 1...65_535),
            redirectPath: try table.string("redirect_path") ?? Self.usualRedirectPath
        )
        guard request.method == "GET" else {
            let found = "found the method \(request.method.quotedForError)"
            throw table.error(at: "request", found, "expected GET, which a browser opens")
        }
        guard RequestSyntax.isPath(redirectPath) else {
            let found = "\(redirectPath.quotedForError) is not a path"
            throw table.error(at: "redirect_path", found, "expected one such as /logged-out")
        }
        guard redirectPort != nil || !table.has("redirect_path") else {
            let expected = "expected redirect_port as well: the provider must know the address"
            throw table.error(at: "redirect_path", "a path without a port", expected)
        }
    }
}

extension LogoutExchange.AccessLogout {
    static let keys = RequestShape.keys + [ClientAuthentication.key, "access_in"]

    /// Parses a logout, whose request is that of the whole `logout` unless it has its own.
    init(
        _ table: SchemaTable,
        of logout: SchemaTable,
        client usual: ClientAuthentication,
        captures: [Capture]
    ) throws(DialectError) {
        guard let place = try TokenLocation.read("access_in", in: table, for: .request) else {
            throw table.missing("access_in")
        }
        self.init(
            request: try RequestShape(
                table,
                base: logout,
                places: [("access_in", place)],
                scope: PlaceholderScope(captures: captures),
                client: try ClientAuthentication.read(in: table, otherwise: usual)
            ),
            place: place
        )
    }
}

extension ProtectedExchange {
    static let keys =
        RequestShape.keys + [
            "token_in", "scheme", "expired", "expired_errors", "not_expired_errors",
            "refused", "retry_headers", "second_401",
        ]

    init(_ table: SchemaTable, captures: [Capture]) throws(DialectError) {
        let place = try TokenLocation.read("token_in", in: table, for: .request) ?? .bearer
        self.init(
            request: try RequestShape(
                table,
                places: [("token_in", place)],
                scope: PlaceholderScope(captures: captures)
            ),
            place: try place.read(scheme: "scheme", in: table)
        )
        expired = try table.statuses("expired") ?? expired
        expiredErrors = try Self.errors("expired_errors", in: table) ?? expiredErrors
        keptErrors = try Self.errors("not_expired_errors", in: table) ?? keptErrors
        refused = try ResponseRule.readList("refused", keys: ResponseRule.refusedKeys, in: table)
        let scope = PlaceholderScope(captures: captures)
        retryHeaders = try HeaderSchema.read(
            "retry_headers",
            in: table,
            checking: { text, item throws(DialectError) in
                try scope.check(text, at: item, client: [], in: table)
            }
        )
        secondRefusal =
            try table.choice("second_401", as: SecondRefusal.self) ?? secondRefusal
        if let error = expiredErrors.intersection(keptErrors).min() {
            throw table.error(
                at: table.has("not_expired_errors") ? "not_expired_errors" : "expired_errors",
                "\(error.quotedForError) cannot both end a token and keep it"
            )
        }
    }

    private static func errors(
        _ key: String,
        in table: SchemaTable
    ) throws(DialectError) -> Set<String>? {
        guard let items = try table.strings(key) else { return nil }
        let errors = items.compactMap { item -> String? in
            if case .string(let text) = item.value { text.asciiLowercased } else { nil }
        }
        return Set(errors)
    }
}

extension IntrospectionExchange {
    static let keys = RequestShape.keys + [ClientAuthentication.key, "token_in"]

    init(_ table: SchemaTable, client usual: ClientAuthentication) throws(DialectError) {
        let place = try TokenLocation.read("token_in", in: table, for: .request) ?? Self.usualPlace
        self.init(
            request: try RequestShape(
                table,
                places: [("token_in", place)],
                client: try ClientAuthentication.read(in: table, otherwise: usual)
            ),
            place: place
        )
    }
}

extension UserinfoExchange {
    static let keys = RequestShape.keys + ["token_in"]

    init(_ table: SchemaTable) throws(DialectError) {
        let place = try TokenLocation.read("token_in", in: table, for: .request) ?? .bearer
        self.init(
            request: try RequestShape(table, places: [("token_in", place)]),
            place: place
        )
    }
}

extension SessionsExchange {
    static let keys =
        RequestShape.keys + [
            "token_in", "list", "id", "name", "started_at", "last_used_at", "is_current", "end",
        ]

    init(_ table: SchemaTable, captures: [Capture]) throws(DialectError) {
        let place = try TokenLocation.read("token_in", in: table, for: .request) ?? .bearer
        guard let id = try KeyPath.read("id", in: table) else { throw table.missing("id") }
        self.init(
            request: try RequestShape(
                table,
                places: [("token_in", place)],
                scope: PlaceholderScope(captures: captures)
            ),
            place: place,
            list: try KeyPath.read("list", in: table) ?? "",
            id: id,
            name: try KeyPath.read("name", in: table),
            startedAt: try KeyPath.read("started_at", in: table),
            lastUsedAt: try KeyPath.read("last_used_at", in: table),
            isCurrent: try KeyPath.read("is_current", in: table),
            end: try table.table("end", keys: SessionEndExchange.keys)
                .map { end throws(DialectError) in
                    try SessionEndExchange(end, captures: captures)
                }
        )
    }
}

extension SessionEndExchange {
    static let keys = RequestShape.keys + ["token_in"]

    init(_ table: SchemaTable, captures: [Capture]) throws(DialectError) {
        let place = try TokenLocation.read("token_in", in: table, for: .request) ?? .bearer
        self.init(
            request: try RequestShape(
                table,
                places: [("token_in", place)],
                scope: PlaceholderScope(captures: captures),
                segments: [Self.placeholder]
            ),
            place: place
        )
        let names = PlaceholderText(request.path).names
        guard names.count(where: { $0 == Self.placeholder }) == 1 else {
            let found = "\(request.path.quotedForError) does not name the session"
            let expected = "expected one {id}, as in DELETE /auth/sessions/{id}"
            throw table.error(at: "request", found, expected)
        }
    }
}
