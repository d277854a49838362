package import Dialects
package import Tokens

extension AuthBackend {
    /// Begins a session.
    ///
    /// - Parameters:
    ///   - credentials: By their names in the dialect.
    ///   - policy: Says which of them are asked for.
    ///   - now: Seconds since 1970.
    /// - Returns: Nil when the credentials are no account's.
    package mutating func login(
        _ credentials: [String: Secret],
        in policy: BackendPolicy,
        at now: Double
    ) -> IssuedFacts? {
        let option = policy.login(with: Set(credentials.keys))
        let account = accounts.first { $0.admits(credentials, asking: option.credentials) }
        guard let account else {
            count(in: policy) { $0.loginsRejected += 1 }
            return nil
        }
        count(in: policy) { $0.logins += 1 }
        let id = open(
            Family(
                policy: policy.name,
                user: account.user,
                session: mint.uuid(),
                startedAt: now,
                refreshDeadline: now + policy.refreshLifetime
            ),
            at: now
        )
        let refresh = option.bringsRefreshToken ? issueRefresh(to: id, in: policy, at: now) : nil
        return issueAccess(to: id, with: refresh, in: policy, at: now)
    }
}

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
