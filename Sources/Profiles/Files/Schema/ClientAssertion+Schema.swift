import Basics

extension ClientAssertion {
    static let tableName = "client_assertion"
    static let keys = ["key", "kid", "audience"]

    /// Parses `[client_assertion]`.
    init(_ table: SchemaTable?) throws(DialectError) {
        self.init()
        guard let table else { return }
        keyPath = try table.path("key")
        keyID = try table.printable("kid")
        audience = try table.printable("audience")
    }
}

extension GrantAssertion {
    static let tableName = "assertion"
    static let keys = ["issuer", "subject", "audience", "scope"]

    /// Parses `[login.assertion]`.
    init(_ table: SchemaTable) throws(DialectError) {
        self.init()
        issuer = try table.printable("issuer")
        subject = try table.printable("subject")
        audience = try table.printable("audience")
        scope = try table.printable("scope")
    }
}

extension SchemaTable {
    /// Returns a text of printable ASCII.
    fileprivate func printable(_ key: String) throws(DialectError) -> String? {
        guard let text = try string(key) else { return nil }
        guard (1...1000).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else {
            throw error(at: key, "found \(text.quotedForError)", "expected printable ASCII")
        }
        return text
    }
}

extension Dialect {
    /// Fails if the client signs with a key, and the file names none.
    func checkAssertion(in table: SchemaTable) throws(DialectError) {
        guard needsSigningKey, assertion.keyPath == nil else { return }
        let expected = "expected \(ClientAssertion.tableName).key = \"~/client.pem\""
        guard assertionSigners.contains(.key) else {
            let found = "\(GrantAssertion.tableName) without a private key"
            throw table.error(at: "login", found, expected)
        }
        throw table.error(
            at: ClientAuthentication.key,
            "\(ClientAuthentication.privateKey.rawValue) without a private key",
            expected
        )
    }
}
