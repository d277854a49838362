import Basics

/// The issuer of a login's id token, and its keys.
struct IDTokenExchange: Sendable, Hashable {
    let issuer: String
    /// The URL of the keys, or `nil` if the signature is not checked.
    let keys: String?
}

extension IDTokenExchange {
    static let keyNames = ["issuer", "jwks_uri"]

    /// Parses `[login.id_token]`.
    init(_ table: SchemaTable) throws(DialectError) {
        issuer = try table.requiredString("issuer")
        keys = try table.string("jwks_uri")
        for (key, url) in [("issuer", issuer), ("jwks_uri", keys)] {
            guard let url, !url.begins(with: "https://"), !url.begins(with: "http://") else {
                continue
            }
            let found = "\(url.quotedForError) is not a URL"
            throw table.error(at: key, found, "expected one such as https://auth.example.com")
        }
    }
}
