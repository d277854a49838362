import TOML

extension ClientAssertion {
    static let tableName = "client_assertion"
    static let keys = ["key", "kid", "audience"]

    /// Parses `[client_assertion]`.
    init(_ table: SchemaTable?) throws(DialectError) {
        self.init()
        guard let table else { return }
        keyPath = try table.path("key")
        keyID = try Self.text("kid", in: table)
        audience = try Self.text("audience", in: table)
    }

    private static func text(
        _ key: String,
        in table: SchemaTable
    ) throws(DialectError) -> String? {
        guard let text = try table.string(key) else { return nil }
        guard (1...1000).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else {
            throw table.error(at: key, "found \(text.quotedForError)", "expected printable ASCII")
        }
        return text
    }
}

extension Dialect {
    /// Fails if the client signs with a key, and the file names none.
    func checkAssertion(in table: SchemaTable) throws(DialectError) {
        guard assertionSigners.contains(.key), assertion.keyPath == nil else { return }
        let expected = "expected \(ClientAssertion.tableName).key = \"~/client.pem\""
        throw table.error(
            at: ClientAuthentication.key,
            "\(ClientAuthentication.privateKey.rawValue) without a private key",
            expected
        )
    }
}
