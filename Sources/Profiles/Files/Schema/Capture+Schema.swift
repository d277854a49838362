import Basics

/// The names that the placeholders of a request may have.
struct PlaceholderScope {
    /// The credentials besides the client's.
    var credentials: [String] = []
    var captures: [Capture] = []
    /// Captures that have no value yet when the request is sent.
    var laterCaptures: [Capture] = []

    /// Fails if a text has a placeholder of another name.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - item: Its place in the file.
    ///   - client: The client's credentials.
    ///   - table: The table of the request.
    /// - Throws: `DialectError` at the text.
    func check(
        _ text: String,
        at item: TOMLItem,
        client: [String],
        in table: SchemaTable
    ) throws(DialectError) {
        let own = credentials
        let known = own + client.filter { !own.contains($0) } + captures.map(\.name)
        for name in PlaceholderText(text).names where !known.contains(name) {
            if laterCaptures.contains(where: { $0.name == name }) {
                let found = "{\(name)} is captured from the answer to this request"
                throw table.error(at: item, found, "expected it in a later one")
            }
            let expected =
                known.isEmpty
                ? "expected text without one"
                : "expected one of \(known.map { "{\($0)}" }.joined(separator: ", "))"
            let kind = captures.isEmpty && item.isField ? "credential" : "placeholder"
            throw table.error(at: item, "unknown \(kind) {\(name)}", expected)
        }
    }
}

extension PlaceholderScope {
    /// Fails if a path has a placeholder of another name than a captured value's or one of `segments`.
    func checkPath(
        _ path: String,
        naming segments: [String],
        at item: TOMLItem,
        in table: SchemaTable
    ) throws(DialectError) {
        guard path.has("{") else { return }
        let inPath = PlaceholderScope(
            credentials: segments,
            captures: captures,
            laterCaptures: laterCaptures
        )
        try inPath.check(path, at: item, client: [], in: table)
    }
}

extension TOMLItem {
    /// Whether it is in a table of fields.
    fileprivate var isField: Bool { path.parts(at: ".").contains("fields") }
}

extension Capture {
    static let key = "capture"

    /// Parses `[capture]`, a table of names and places, in the order of the names.
    static func readAll(in table: SchemaTable) throws(DialectError) -> [Capture] {
        guard let item = table.item(key) else { return [] }
        guard case .table(let members) = item.value else {
            let expected = "expected names and places, such as csrf = \"cookie:csrf_token\""
            throw table.error(at: item, "found \(item.kind)", expected)
        }
        guard members.count <= countLimit else {
            let found = "found \(members.count) captures"
            throw table.error(at: item, found, "expected at most \(countLimit)")
        }
        let entries = try SchemaTable(item, keys: Array(members.keys))
        var captures: [Capture] = []
        for (name, member) in members.sorted(by: { $0.key < $1.key }) {
            guard PlaceholderText("{\(name)}").names == [name] else {
                let expected = "expected small letters, digits and underscores"
                throw table.error(at: member, "found the name \(name.quotedForError)", expected)
            }
            guard !reserved.contains(name) else {
                let found = "{\(name)} stands for something else"
                throw table.error(at: member, found, "expected another name")
            }
            let text = try entries.requiredString(name)
            captures.append(
                Capture(name: name, place: try JSONLocation.read(text, at: name, in: entries))
            )
        }
        return captures
    }

    /// Fails if a credential has the same name.
    static func check(
        _ captures: [Capture],
        against credentials: [String],
        in table: SchemaTable
    ) throws(DialectError) {
        guard let capture = captures.first(where: { credentials.contains($0.name) }),
            let item = table.item(key)?.member(capture.name)
        else { return }
        let found = "{\(capture.name)} is a credential"
        throw table.error(at: item, found, "expected another name")
    }

    /// The placeholders that have a meaning of their own somewhere in a profile.
    private static let reserved = Set(
        AuthorizationExchange.placeholders + ClientAuthentication.basic.credentialNames
            + ClientAssertion.Signer.allCases.map(\.valueName) + [SessionEndExchange.placeholder]
            + ResponsePlaceholder.allCases.map(\.rawValue)
    )
}

extension Dialect {
    /// Returns a warning for each capture that no request sends again, and that nothing prints.
    func unusedCaptures(in table: SchemaTable) -> [DialectError] {
        let repeated = protected?.repeated(captures).captures ?? []
        let used = Set(requests.flatMap(\.captures) + repeated + (feed?.captures ?? []))
        let unused = captures.filter { capture in
            !used.contains(capture) && AWSCapture(rawValue: capture.name) == nil
        }
        return unused.compactMap { capture in
            guard let item = table.item(Capture.key)?.member(capture.name) else { return nil }
            let expected = "expected {\(capture.name)} in the headers, fields or path of a request"
            return table.error(at: item, "captured, and never sent", expected)
        }
    }
}
