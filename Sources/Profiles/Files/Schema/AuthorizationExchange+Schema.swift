import Basics

extension AuthorizationExchange {
    static let keys = [
        "request", "scope", "redirect_port", "redirect_path", "issuer", "issuer_if_named", "pushed",
    ]

    /// Parses `[login.authorize]`.
    init(
        _ table: SchemaTable,
        client: ClientAuthentication
    ) throws(DialectError) {
        self.init(
            request: try RequestShape(table),
            scope: try Self.scope(in: table),
            redirectPort: try table.integer("redirect_port", in: 1...65_535),
            redirectPath: try table.string("redirect_path") ?? Self.usualRedirectPath,
            issuer: try Self.issuer("issuer", in: table),
            issuerIfNamed: try Self.issuer("issuer_if_named", in: table),
            pushed: try table.table("pushed", keys: PushedExchange.keys)
                .map { table throws(DialectError) in try PushedExchange(table, client: client) }
        )
        guard request.method == "GET" else {
            let found = "found the method \(request.method.quotedForError)"
            throw table.error(at: "request", found, "expected GET, which a browser opens")
        }
        guard RequestSyntax.isPath(redirectPath) else {
            let found = "\(redirectPath.quotedForError) is not a path"
            throw table.error(at: "redirect_path", found, "expected one such as /callback")
        }
        let reserved = Self.reservedParameters
        if let name = request.query.items.keys.sorted().first(where: reserved.contains) {
            let found = "the query contains \(name.quotedForError), which is added to it"
            throw table.error(at: "request", found, "expected other parameters only")
        }
    }

    private static func issuer(
        _ key: String,
        in table: SchemaTable
    ) throws(DialectError) -> String? {
        guard let issuer = try table.string(key) else { return nil }
        guard issuer.begins(with: "https://") || issuer.begins(with: "http://") else {
            let found = "\(issuer.quotedForError) is not an issuer"
            throw table.error(at: key, found, "expected one such as https://auth.example.com")
        }
        return issuer
    }

    static func scope(in table: SchemaTable) throws(DialectError) -> String? {
        guard let scope = try table.string("scope") else { return nil }
        guard !scope.isEmpty, scope.utf8.allSatisfy(isScopeByte) else {
            let found = "\(scope.quotedForError) is not a scope"
            throw table.error(at: "scope", found, "expected words such as openid email")
        }
        return scope
    }

    private static let reservedParameters: Set = [
        "client_id", "code_challenge", "code_challenge_method", "nonce", "redirect_uri",
        "request_uri", "response_type", "scope", "state",
    ]

    /// Returns whether the byte may be part of a scope (RFC 6749 section 3.3).
    private static func isScopeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20, 0x21, 0x23...0x5B, 0x5D...0x7E: true
        default: false
        }
    }
}

extension PushedExchange {
    static let keys = ["request", "headers", ClientAuthentication.key]

    /// Parses `[login.authorize.pushed]`.
    init(_ table: SchemaTable, client usual: ClientAuthentication) throws(DialectError) {
        let client = try ClientAuthentication.read(in: table, otherwise: usual)
        request = try RequestShape(table, client: client)
        request.encoding = .form
        guard request.method == "POST" else {
            let found = "found the method \(request.method.quotedForError)"
            throw table.error(at: "request", found, "expected POST (RFC 9126 section 2.1)")
        }
        guard request.credentialNames.contains(ClientAuthentication.idName) else {
            let expected = "expected client_auth = \"public\", \"basic\" or \"body\""
            throw table.error(at: "request", "the request does not name the client", expected)
        }
    }
}
