import Basics

/// Parsing of a request, such as `request = "POST /auth/refresh"` with `body`, `fields` and
/// `headers`.
extension RequestShape {
    static let keys = ["request", "body", "fields", "headers"]

    /// Parses a request.
    ///
    /// `places` are the places of the tokens in the request, `scope` what its fields and headers
    /// may name besides the client's credentials; without a client, those alone. Its path may name
    /// captured values, and `segments`. If the table has no request or no headers, they are those of
    /// `base`.
    init(
        _ table: SchemaTable,
        base: SchemaTable? = nil,
        places: [(key: String, place: TokenLocation?)] = [],
        scope: PlaceholderScope = PlaceholderScope(),
        client: ClientAuthentication? = nil,
        segments: [String] = []
    ) throws(DialectError) {
        let line = table.has("request") ? table : base ?? table
        let (method, target) = try Self.line(in: line)
        if let item = line.item("request") {
            try scope.checkPath(target.path, naming: segments, at: item, in: line)
        }
        let placeholders = Placeholders(
            scope: scope,
            client: client?.placeholders ?? [],
            table: table
        )
        let own = try Self.fields(in: table, placeholders)
        let fields = own.merging(client?.fields ?? [:]) { own, _ in own }
        self.init(
            method: method,
            origin: target.origin,
            path: target.path,
            query: target.query,
            headers: try HeaderSchema.read(
                "headers",
                in: table.has("headers") ? table : base ?? table,
                checking: { text, item throws(DialectError) in try placeholders.check(text, item) }
            ),
            encoding: try Self.encoding(in: table, places: places, hasFields: !fields.isEmpty),
            fields: fields,
            sendsBasic: client == .basic
        )
        let used = self.placeholders
        captures = scope.captures.filter { used.contains($0.name) }
        try checkPlaces(table, places)
        try checkBody(table)
    }

    /// The placeholders of one request.
    private struct Placeholders {
        let scope: PlaceholderScope
        let client: [String]
        let table: SchemaTable

        func check(_ text: String, _ item: TOMLItem) throws(DialectError) {
            try scope.check(text, at: item, client: client, in: table)
        }
    }

    private static func line(
        in table: SchemaTable
    ) throws(DialectError) -> (method: String, target: TargetParts) {
        let text = try table.requiredString("request")
        let expected = "expected a method and a path such as POST /auth/refresh"
        let parts = text.parts(at: " ", keepsEmpty: true).map(String.init)
        guard parts.count == 2 else {
            throw table.error(at: "request", "found \(text.quotedForError)", expected)
        }
        guard ["DELETE", "GET", "PATCH", "POST", "PUT"].contains(parts[0]) else {
            let methods = "expected one of DELETE, GET, PATCH, POST, PUT"
            let found = "unknown method \(parts[0].quotedForError)"
            throw table.error(at: "request", found, methods)
        }
        return (parts[0], try TargetParts(parts[1], at: "request", in: table))
    }

    private static func encoding(
        in table: SchemaTable,
        places: [(key: String, place: TokenLocation?)],
        hasFields: Bool
    ) throws(DialectError) -> BodyEncoding {
        var encoding = try table.choice("body", as: BodyEncoding.self)
        for (key, place) in places {
            guard let needed = place?.encoding else { continue }
            guard encoding == nil || encoding == needed else {
                let body = encoding?.rawValue ?? ""
                let found = "the token needs a \(needed.rawValue) body, and this one is \(body)"
                throw table.error(at: key, found)
            }
            encoding = needed
        }
        if encoding == BodyEncoding.none, hasFields {
            throw table.error(at: "fields", "fields without a body")
        }
        return encoding ?? (hasFields ? .json : .none)
    }

    /// Fails if two values would share one header field, which would be malformed.
    private func checkPlaces(
        _ table: SchemaTable,
        _ places: [(key: String, place: TokenLocation?)]
    ) throws(DialectError) {
        for (position, entry) in places.enumerated() {
            guard let place = entry.place else { continue }
            for other in places[..<position] where other.place?.collides(with: place) ?? false {
                throw table.error(at: entry.key, "the same place as \(other.key)")
            }
            if case .query(let name) = place, query.items[name] != nil {
                let found = "\(name.quotedForError) is also in the path's query"
                throw table.error(at: entry.key, found)
            } else if case .cookie(let name) = place {
                let cookies = headers.filter(\.isCookie).flatMap { Cookies.pairs(in: $0.value) }
                if cookies.contains(where: { $0.name == name }) {
                    let found = "the cookie \(name) is also among the fixed headers"
                    throw table.error(at: entry.key, found)
                }
            } else if let name = place.headerName,
                headers.contains(where: { $0.name.asciiLowercased == name.asciiLowercased })
            {
                throw table.error(at: entry.key, "\(name) is also among the fixed headers")
            }
            if sendsBasic, place.headerName?.asciiLowercased == "authorization" {
                let expected = "expected client_auth = \"body\", or another place"
                throw table.error(at: entry.key, "the place of the client's Basic", expected)
            }
        }
        if sendsBasic, headers.contains(where: { $0.name.asciiLowercased == "authorization" }) {
            throw table.error(at: "headers", "Authorization is the place of the client's Basic")
        }
    }

    private static func fields(
        in table: SchemaTable,
        _ placeholders: Placeholders
    ) throws(DialectError) -> [String: JSONValue] {
        guard let item = table.item("fields") else { return [:] }
        guard case .object(let fields) = try value(of: item, in: table, placeholders)
        else {
            throw table.error(at: item, "found \(item.kind)", "expected a table of fields")
        }
        return fields
    }

    private static func value(
        of item: TOMLItem,
        in table: SchemaTable,
        _ placeholders: Placeholders
    ) throws(DialectError) -> JSONValue {
        switch item.value {
        case .string(let text):
            try placeholders.check(text, item)
            if Self.secretNames.contains(item.key.asciiLowercased), !text.isEmpty,
                PlaceholderText(text).names.isEmpty
            {
                let expected = "expected a placeholder such as {\(item.key)}"
                throw table.error(at: item, "a secret, which must not be in a file", expected)
            }
            return .string(text)
        case .integer(let number): return .integer(Int64(number))
        case .number(let number) where number.isFinite: return .number(number)
        case .bool(let flag): return .bool(flag)
        case .list(let items):
            var elements: [JSONValue] = []
            for item in items {
                elements.append(try value(of: item, in: table, placeholders))
            }
            return .array(elements)
        case .table(let items):
            var members: [String: JSONValue] = [:]
            for (key, item) in items.sorted(by: { $0.key < $1.key }) {
                members[key] = try value(of: item, in: table, placeholders)
            }
            return .object(members)
        case .number, .date:
            throw table.error(at: item, "found \(item.kind)", "expected text, a number or a table")
        }
    }

    /// The names of fields whose values differ between users of the same file.
    private static let secretNames: Set<String> = [
        "actor_token", "assertion", "client_assertion", "client_secret", "passwd", "password",
        "refresh_token", "secret", "subject_token",
    ]

    private func checkBody(_ table: SchemaTable) throws(DialectError) {
        if method == "GET", encoding != .none {
            throw table.error(at: "request", "GET has no body", "expected POST")
        }
        guard encoding == .form else { return }
        for (key, value) in fields.sorted(by: { $0.key < $1.key }) where value.displayText == nil {
            let found = "\(key.quotedForError) is nested"
            throw table.error(at: "fields", found, "expected text or a number in a form")
        }
    }
}

/// A path and its fixed query, after an origin if that is not the base URL's; one text in a file.
struct TargetParts {
    /// The scheme (`http` or `https`), host and port; the network validates the host.
    let origin: String?
    let path: String
    let query: FixedQuery

    /// The parameters that a target must not contain, because targets are shown and logged.
    private static let secretNames: Set = [
        "access_token", "client_secret", "code", "id_token", "password", "refresh_token", "token",
    ]

    /// Parses `/auth/token?grant_type=refresh_token` or `https://login.example.com/token`, for
    /// example.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - schemes: The schemes of a URL, in plain text and with TLS.
    ///   - key: The key of the text.
    ///   - table: The table of the key.
    /// - Throws: `DialectError` at the key.
    init(
        _ text: String,
        schemes: (plain: String, secure: String) = ("http", "https"),
        at key: String,
        in table: SchemaTable
    ) throws(DialectError) {
        var rest = text[...]
        if let mark = text.range(ofBytes: "://"), text.prefix(1) != "/" {
            let scheme = text[..<mark.lowerBound]
            guard scheme == schemes.plain || scheme == schemes.secure else {
                let expected = "expected \(schemes.secure)://HOST/PATH, or a path"
                throw table.error(
                    at: key,
                    "found the scheme \(String(scheme).quotedForError)",
                    expected
                )
            }
            let authority = text[mark.upperBound...].prefix { !"/?#\\".contains($0) }
            guard !authority.isEmpty, !authority.has("@"),
                authority.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
            else {
                let expected = "expected HOST or HOST:PORT, without a user"
                throw table.error(at: key, "a URL without a valid host", expected)
            }
            origin = "\(scheme == schemes.secure ? "https" : "http")://\(authority)"
            rest = text[authority.endIndex...]
        } else {
            origin = nil
        }
        let halves = rest.parts(at: "?", limit: 2, keepsEmpty: true)
        path = String(halves.first ?? "")
        query = halves.count > 1 ? FixedQuery(String(halves[1])) : .none
        // Without a host before it, it would name one.
        let isHost = origin == nil && path.begins(with: "//")
        guard path.begins(with: "/"), !isHost, text.utf8.count <= 1024 else {
            let found = "\(text.quotedForError) is not a path"
            let expected = "expected one that begins with a slash, or a whole URL"
            throw table.error(at: key, found, origin == nil ? expected : "expected HOST/PATH")
        }
        guard path.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") })
        else {
            let found = "\(text.quotedForError) contains characters that a path cannot"
            throw table.error(at: key, found, "expected no fragment, no space")
        }
        if halves.count > 1 { try Self.check(query, at: key, in: table) }
    }

    private static func check(
        _ query: FixedQuery,
        at key: String,
        in table: SchemaTable
    ) throws(DialectError) {
        guard !query.items.isEmpty, query.text.utf8.allSatisfy(isQueryByte) else {
            let found = "\(query.text.quotedForError) is not a query"
            throw table.error(at: key, found, "expected NAME=VALUE, percent-encoded")
        }
        for name in query.items.keys.sorted() where secretNames.contains(name.asciiLowercased) {
            let found = "the query would contain \(name.quotedForError)"
            let expected = "expected it in the body or a header, since paths are shown"
            throw table.error(at: key, found, expected)
        }
    }

    /// Returns whether the byte may be part of a query (RFC 3986 section 3.4).
    private static func isQueryByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~!$&'()*+,;=:@/?%".utf8.contains(byte)
        }
    }
}
