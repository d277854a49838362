import Basics

/// The authorization server that a profile names, whose metadata fills what the profile does not
/// say.
package struct ProfileIssuer: Sendable, Equatable {
    static let key = "issuer"

    /// The name of the profile.
    package let profile: String
    /// The issuer's URL, which its metadata must repeat exactly (RFC 8414 section 3.3).
    package let url: String
    /// The profile's requirements for TLS.
    package let transport: TransportRequirements
    private let file: String
    private let line: Int

    /// Finds the issuer of a profile; `nil` if its files name none.
    ///
    /// - Parameters:
    ///   - source: The profile's own file.
    ///   - known: The names that it may extend, to suggest one of them.
    ///   - lookup: Finds the file of a name.
    /// - Throws: `DialectError` with the file, the line and the cause.
    package init?(
        of source: ProfileSource,
        known: [String],
        lookup: @escaping (String) throws(DialectError) -> ProfileSource?
    ) throws(DialectError) {
        let chain = try ProfileChain(source, known: known, lookup: lookup)
        let table = try SchemaTable(chain.whole, keys: Profile.keys)
        guard let url = try Self.url(in: table), let item = table.item(Self.key) else { return nil }
        self.url = url
        profile = try Profile.name(in: table, of: source)
        transport = try TransportRequirements(table)
        file = item.file
        line = item.line
    }

    /// Returns an error at the key in the file.
    package func error(_ found: String) -> DialectError {
        DialectError(file: file, line: line, key: Self.key, found: found)
    }

    /// Reads the URL, which has no query and no fragment (RFC 8414 section 2).
    static func url(in table: SchemaTable) throws(DialectError) -> String? {
        guard let url = try table.string(key) else { return nil }
        let expected = "expected one such as https://auth.example.com"
        guard url.begins(with: "https://") || url.begins(with: "http://"), url.utf8.count <= 1000,
            url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !url.has("?"),
            !url.has("#")
        else { throw table.error(at: key, "\(url.quotedForError) is not an issuer", expected) }
        guard !url.has("@") else {
            throw table.error(at: key, "contains a user or password", expected)
        }
        return url
    }
}

extension ProfileChain {
    /// The meaning of the metadata for the profile, in texts for the user.
    func remarks(on dialect: Dialect, at baseURL: String?) -> [String] {
        let origins = dialect.tokenOrigins(at: baseURL)
        return absent.map { "No \($0.table): \($0.reason)." }
            + ["Tokens are sent to \(origins.joined(separator: ", "))."]
    }
}

extension Dialect {
    /// The origins that tokens are sent to, each with the requests that do.
    package func tokenOrigins(at baseURL: String?) -> [String] {
        var origins = [(origin: baseURL ?? "--base-url", exchanges: ["base_url"])]
        let withoutToken = ["login.authorize", RegistrationExchange.key]
        for (exchange, origin) in namedOrigins where !withoutToken.contains(exchange) {
            if let index = origins.firstIndex(where: { $0.origin == origin }) {
                origins[index].exchanges.append(exchange)
            } else {
                origins.append((origin, [exchange]))
            }
        }
        return origins.map { "\($0.origin) (\($0.exchanges.joined(separator: ", ")))" }
    }
}
