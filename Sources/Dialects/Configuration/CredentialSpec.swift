/// One thing a person must give to log in, under the name that the login's template uses.
package struct CredentialSpec: Sendable, Hashable {
    package let name: String

    package init(name: String) {
        self.name = name
    }

    /// Whether typing it must not be seen: so it is unless it is known to be harmless.
    package var isSecret: Bool {
        !Self.harmless.contains(name)
    }

    private static let harmless: Set<String> = [
        "client_id", "domain", "email", "login", "phone", "realm", "scope", "tenant", "user",
        "username",
    ]
}

/// One way to log in, as the sandbox has to know it.
package struct LoginOption: Sendable, Hashable {
    /// The names of what it takes, the client's own among them.
    package var credentials: Set<String>
    /// False where the client logs in again instead of renewing (RFC 6749 section 4.4.3).
    package var bringsRefreshToken: Bool

    package init(credentials: Set<String>, bringsRefreshToken: Bool) {
        self.credentials = credentials
        self.bringsRefreshToken = bringsRefreshToken
    }
}

/// A login was asked for without one of the dialect's credentials, or with an empty one.
package struct MissingCredential: Error, Sendable, Equatable, CustomStringConvertible {
    package let name: String

    package init(name: String) {
        self.name = name
    }

    package var description: String { "the credential \"\(name)\" is missing" }
}
