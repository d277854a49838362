import Basics

/// Parsing of a token's place, such as `bearer`, `json:KEY`, `form:KEY`, `header:NAME`,
/// `cookie:NAME`, `query:NAME`.
extension TokenLocation {
    /// The message that has the token.
    enum Owner {
        case request
        /// The upgrade of a feed, which has no body.
        case feed
    }

    static func read(
        _ key: String,
        in table: SchemaTable,
        for owner: Owner
    ) throws(DialectError) -> TokenLocation? {
        guard let text = try table.string(key) else { return nil }
        let known = "expected one of " + Self.known(for: owner)
        if text == "bearer" { return .bearer }
        let halves = text.parts(at: ":", limit: 2, keepsEmpty: true)
        guard let kind = halves.first else { throw table.error(at: key, "found nothing", known) }
        let name = halves.count > 1 ? String(halves[1]) : ""
        let place: TokenLocation? =
            switch kind {
            case "json": .json(name)
            case "form": .form(name)
            case "header": .header(name)
            case "cookie": .cookie(name)
            case "query": .query(name)
            default: nil
            }
        guard let place else {
            throw table.error(at: key, "unknown place \(text.quotedForError)", known)
        }
        guard !name.isEmpty else {
            throw table.error(at: key, "\(text.quotedForError) has no name", known)
        }
        try place.check(name, at: key, in: table, for: owner)
        return place
    }

    private static func known(for owner: Owner) -> String {
        switch owner {
        case .request: "bearer, json:KEY, form:KEY, header:NAME, cookie:NAME, query:NAME"
        case .feed:
            "query:NAME, bearer, header:NAME, cookie:NAME, subprotocol, subprotocol:PREFIX, message"
        }
    }

    private func check(
        _ name: String,
        at key: String,
        in table: SchemaTable,
        for owner: Owner
    ) throws(DialectError) {
        let known = "expected one of " + Self.known(for: owner)
        switch (self, owner) {
        case (.json, .feed), (.form, .feed):
            throw table.error(at: key, "an upgrade has no body", known)
        case (.json(let path), _):
            try KeyPath.check(path, at: key, in: table)
        case (.header, _):
            try HeaderSchema.checkHeader(name, at: key, in: table)
        case (.cookie, _):
            try HeaderSchema.checkName(name, at: key, in: table)
        case (.bearer, _), (.scheme, _), (.form, _), (.query, _):
            return
        }
    }

    /// Parses the scheme of a token in `Authorization`, and returns the place with it.
    func read(scheme key: String, in table: SchemaTable) throws(DialectError) -> TokenLocation {
        guard let scheme = try table.string(key) else { return self }
        guard RequestSyntax.isToken(scheme), !scheme.isEqualIgnoringCase("basic") else {
            let found = "\(scheme.quotedForError) cannot be the scheme of a token"
            throw table.error(at: key, found, "expected a word such as \"token\" or \"JWT\"")
        }
        guard self == .bearer else {
            let found = "the token is not in the Authorization header"
            throw table.error(at: key, found, "expected token_in = \"bearer\"")
        }
        guard !scheme.isEqualIgnoringCase(ProofOfPossession.scheme) else {
            let found = "a token of this scheme needs proofs"
            throw table.error(at: key, found, "expected dpop = true")
        }
        return scheme.isEqualIgnoringCase("bearer") ? self : .scheme(scheme)
    }

    /// Returns whether tokens in both places would overwrite each other or share a field.
    func collides(with other: TokenLocation) -> Bool {
        if case .cookie = self, case .cookie = other { return self == other }
        guard let name = headerName, let otherName = other.headerName else { return self == other }
        return name.asciiLowercased == otherName.asciiLowercased
    }

    /// The header field that the place occupies, or `nil` if none.
    var headerName: String? {
        switch self {
        case .bearer, .scheme: "Authorization"
        case .header(let name): name
        case .cookie: "Cookie"
        case .json, .form, .query: nil
        }
    }

    /// The encoding of the body that the place requires, or `nil` if any.
    var encoding: BodyEncoding? {
        switch self {
        case .json: .json
        case .form: .form
        case .bearer, .scheme, .header, .cookie, .query: nil
        }
    }
}

/// Dotted key paths into a JSON body.
enum KeyPath {
    static func check(
        _ path: String,
        at key: String,
        in table: SchemaTable
    ) throws(DialectError) {
        let keys = path.parts(at: ".", keepsEmpty: true)
        guard keys.count <= 16, !keys.contains(where: \.isEmpty) else {
            let expected = "expected keys joined by dots, such as data.accessToken"
            throw table.error(at: key, "\(path.quotedForError) is not a key path", expected)
        }
    }

    /// Parses a path, or returns `nil` if the key is absent.
    static func read(_ key: String, in table: SchemaTable) throws(DialectError) -> String? {
        guard let path = try table.string(key) else { return nil }
        try check(path, at: key, in: table)
        return path
    }

    static func readList(_ key: String, in table: SchemaTable) throws(DialectError) -> [String]? {
        guard let items = try table.strings(key) else { return nil }
        var paths: [String] = []
        for case .string(let path) in items.map(\.value) {
            try check(path, at: key, in: table)
            paths.append(path)
        }
        return paths
    }
}
