import Basics

extension DeviceExchange {
    static let keys = RequestShape.keys + [ClientAuthentication.key, "scope"]

    /// Parses `[login.device]`.
    init(_ table: SchemaTable, client usual: ClientAuthentication) throws(DialectError) {
        let client = try ClientAuthentication.read(in: table, otherwise: usual)
        request = try RequestShape(table, client: client)
        guard request.credentialNames.contains(ClientAuthentication.idName) else {
            let expected = "expected client_auth = \"public\", \"basic\" or \"body\""
            throw table.error(at: "request", "the request does not name the client", expected)
        }
        guard let scope = try AuthorizationExchange.scope(in: table) else { return }
        request.fields["scope"] = .string(scope)
    }
}
