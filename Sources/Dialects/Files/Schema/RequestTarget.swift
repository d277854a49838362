/// A path and its fixed query, as a file has them in one text.
struct RequestTarget {
    let path: String
    let query: FixedQuery

    /// What must not stand in a target, because targets are shown and logged.
    private static let secretNames: Set = [
        "access_token", "client_secret", "code", "id_token", "password", "refresh_token", "token",
    ]

    /// Reads `/auth/token?grant_type=refresh_token`.
    ///
    /// - Throws: `DialectError` at the key.
    init(_ text: String, at key: String, in table: SchemaTable) throws(DialectError) {
        let halves = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(halves[0])
        query = halves.count > 1 ? FixedQuery(String(halves[1])) : .none
        guard path.hasPrefix("/"), !path.hasPrefix("//"), text.utf8.count <= 1024 else {
            let found = "\(text.quotedForError) is no path"
            throw table.error(at: key, found, "expected one that begins with a slash")
        }
        guard path.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") })
        else {
            let found = "\(text.quotedForError) holds what a path cannot"
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
            let found = "\(query.text.quotedForError) is no query"
            throw table.error(at: key, found, "expected NAME=VALUE, percent-encoded, no gaps")
        }
        for name in query.items.keys.sorted() where secretNames.contains(name.lowercased()) {
            let found = "the query would hold \(name.quotedForError)"
            let expected = "expected it in the body or a header: what is in a path is shown"
            throw table.error(at: key, found, expected)
        }
    }

    /// RFC 3986 §3.4.
    private static func isQueryByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~!$&'()*+,;=:@/?%".utf8.contains(byte)
        }
    }
}
