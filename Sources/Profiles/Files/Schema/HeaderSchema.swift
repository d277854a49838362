import Basics

/// Parsing of fixed header fields, as a table of names and values.
enum HeaderSchema {
    /// Parses the headers.
    ///
    /// - Parameters:
    ///   - key: The key of the table.
    ///   - table: The table of the key.
    ///   - check: Checks a value and its placeholders.
    /// - Returns: The headers in the order of their names; none without the key.
    /// - Throws: `DialectError` at the first mistake.
    static func read(
        _ key: String,
        in table: SchemaTable,
        checking check: (String, TOMLItem) throws(DialectError) -> Void
    ) throws(DialectError) -> [WireHeader] {
        guard let item = table.item(key) else { return [] }
        guard case .table(let members) = item.value else {
            throw table.error(at: item, "found \(item.kind)", "expected a table of headers")
        }
        var headers: [WireHeader] = []
        for (name, member) in members.sorted(by: { $0.key < $1.key }) {
            guard case .string(let value) = member.value else {
                throw table.error(at: member, "found \(member.kind)", "expected text in quotes")
            }
            guard RequestSyntax.isToken(name) else {
                let found = "\(name.quotedForError) cannot be the name of a header"
                throw table.error(at: member, found, "expected letters, digits and hyphens")
            }
            guard !reserved.contains(name.asciiLowercased) else {
                throw table.error(at: member, "the connection sets this header itself")
            }
            guard value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw table.error(at: member, "a header value with a line break or outside ASCII")
            }
            try check(value, member)
            headers.append(WireHeader(name, value))
        }
        return headers
    }

    /// Fails if the place's name is not a valid header name, or is that of a header that the
    /// connection sets.
    static func checkHeader(
        _ name: String,
        at key: String,
        in table: SchemaTable
    ) throws(DialectError) {
        try checkName(name, at: key, in: table)
        guard !reserved.contains(name.asciiLowercased) else {
            throw table.error(at: key, "the connection sets the header \(name) itself")
        }
    }

    /// Fails if the place's name is not a valid header or cookie name.
    static func checkName(
        _ name: String,
        at key: String,
        in table: SchemaTable
    ) throws(DialectError) {
        guard RequestSyntax.isToken(name) else {
            let found = "\(name.quotedForError) cannot be a name"
            throw table.error(at: key, found, "expected letters, digits and hyphens")
        }
    }

    private static let reserved: Set<String> = [
        "connection", "content-length", "host", "transfer-encoding", "upgrade",
    ]
}
