package import Dialects
package import Tokens

/// A user and what proves to be them.
package struct Account: Sendable {
    package var user: BackendUser
    /// By the names under which dialects ask for them.
    package var credentials: [String: Secret]

    package init(user: BackendUser, credentials: [String: Secret]) {
        self.user = user
        self.credentials = credentials
    }

    /// The one that `authtop sandbox` prints: anybody may know it.
    package static let sandbox = Account(
        user: BackendUser(id: 123, email: "user@example.com", username: "sandbox"),
        credentials: [
            "email": Secret("user@example.com"),
            "username": Secret("sandbox"),
            "password": Secret("password"),
            "code": Secret("123456"),
            "identity_token": Secret("sandbox"),
            "client_id": Secret("sandbox"),
            "client_secret": Secret("secret"),
        ]
    )

    /// Whether everything that is asked for was given and is right; what was given beside it does
    /// not count.
    func admits(_ given: [String: Secret], asking names: Set<String>) -> Bool {
        guard !names.isEmpty else { return false }
        return names.allSatisfy { name in
            guard let given = given[name], let right = credentials[name] else { return false }
            guard name == "email" else { return given == right }
            return given.reveal().lowercased() == right.reveal().lowercased()
        }
    }
}
