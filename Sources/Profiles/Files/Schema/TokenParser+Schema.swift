import Basics

/// Parsing of the places of a response's parts, as a table of key paths.
extension TokenParser {
    static let keys = [
        "success", "access", "refresh", "access_expires", "refresh_expires", "subject",
        "display_name", "token_type", "account",
    ]

    /// The largest number of details that are shown.
    private static let detailLimit = 8

    init(_ table: SchemaTable) throws(DialectError) {
        guard let access = try JSONLocation.readList("access", in: table), !access.isEmpty else {
            throw table.missing("access")
        }
        self.init(
            success: try KeyPath.read("success", in: table),
            access: access,
            refresh: try JSONLocation.readList("refresh", in: table) ?? [],
            accessExpiry: try ExpiryField.readList("access_expires", in: table),
            refreshExpiry: try ExpiryField.readList("refresh_expires", in: table),
            subject: try JSONLocation.readList("subject", in: table) ?? [],
            displayName: try JSONLocation.readList("display_name", in: table) ?? [],
            tokenType: try JSONLocation.readList("token_type", in: table) ?? [],
            account: try KeyPath.readList("account", in: table) ?? []
        )
        guard account.count <= Self.detailLimit else {
            let found = "found \(account.count) key paths"
            throw table.error(at: "account", found, "expected at most \(Self.detailLimit)")
        }
        try Self.checkCookies(accessExpiry, of: access, at: "access_expires", in: table)
        try Self.checkCookies(refreshExpiry, of: refresh, at: "refresh_expires", in: table)
        let secrets = (access + refresh).map(\.text)
        if let path = account.first(where: secrets.contains) {
            throw table.error(at: "account", "\(path.quotedForError) is a token, and never shown")
        }
    }

    /// Fails if an expiry is that of a cookie that is not the token.
    private static func checkCookies(
        _ fields: [ExpiryField],
        of token: [JSONLocation],
        at key: String,
        in table: SchemaTable
    ) throws(DialectError) {
        let stray = fields.first { $0.kind == .cookie && !token.contains($0.place) }
        guard let stray else { return }
        let cookies = token.filter(\.isCookie).map { $0.text.quotedForError }
        throw table.error(
            at: key,
            "\(stray.place.text.quotedForError) is not the place of the token",
            cookies.isEmpty
                ? "expected it only for a token in a cookie"
                : "expected \(cookies.joined(separator: " or "))"
        )
    }
}

extension JSONLocation {
    /// Parses `KEY.PATH`, `header:NAME` or `cookie:NAME`, or a list of which the first present one
    /// applies.
    static func readList(
        _ key: String,
        in table: SchemaTable
    ) throws(DialectError) -> [JSONLocation]? {
        guard let items = try table.strings(key) else { return nil }
        var places: [JSONLocation] = []
        for case .string(let text) in items.map(\.value) {
            places.append(try read(text, at: key, in: table))
        }
        return places
    }

    static func read(
        _ text: String,
        at key: String,
        in table: SchemaTable
    ) throws(DialectError) -> JSONLocation {
        let halves = text.parts(at: ":", limit: 2, keepsEmpty: true)
        guard halves.count == 2, let kind = halves.first else {
            try KeyPath.check(text, at: key, in: table)
            return .json(text)
        }
        let name = String(halves[1])
        switch kind {
        case "header" where !name.isEmpty:
            try HeaderSchema.checkHeader(name, at: key, in: table)
            return .header(name)
        case "cookie" where !name.isEmpty:
            try HeaderSchema.checkName(name, at: key, in: table)
            return .cookie(name)
        case "json" where !name.isEmpty:
            try KeyPath.check(name, at: key, in: table)
            return .json(name)
        default:
            let expected = "expected one of KEY.PATH, header:NAME, cookie:NAME"
            throw table.error(at: key, "unknown place \(text.quotedForError)", expected)
        }
    }
}

extension ExpiryField {
    /// Parses `KIND:KEY.PATH`, or `jwt` for the token's own claims, which are always used.
    static func readList(
        _ key: String,
        in table: SchemaTable
    ) throws(DialectError) -> [ExpiryField] {
        var fields: [ExpiryField] = []
        for case .string(let text) in (try table.strings(key) ?? []).map(\.value)
        where text != "jwt" {
            let halves = text.parts(at: ":", limit: 2).map(String.init)
            guard halves.count == 2, let kind = Kind(rawValue: halves[0]) else {
                let kinds = Kind.allCases.map(\.example) + ["jwt"]
                let expected = "expected one of " + kinds.joined(separator: ", ")
                throw table.error(at: key, "unknown expiry \(text.quotedForError)", expected)
            }
            let place = try JSONLocation.read(
                kind == .cookie ? text : halves[1],
                at: key,
                in: table
            )
            fields.append(ExpiryField(kind: kind, place: place))
        }
        return fields
    }
}

extension ExpiryField.Kind {
    /// The notation in a file.
    fileprivate var example: String { self == .cookie ? "cookie:NAME" : "\(rawValue):KEY" }
}
