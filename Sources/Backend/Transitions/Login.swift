package import Basics
package import Profiles

extension AuthBackend {
    /// Starts a session.
    ///
    /// - Parameters:
    ///   - credentials: The credentials by their names in the dialect.
    ///   - policy: The policy, which says which of them are required.
    ///   - now: Seconds since 1970.
    /// - Returns: The first pair, or `nil` if the credentials are not those of an account.
    package mutating func login(
        _ credentials: [String: Secret],
        in policy: BackendPolicy,
        at now: Double
    ) -> IssuedFacts? {
        if credentials["code_verifier"] != nil {
            return redeem(credentials, in: policy, at: now)
        }
        if credentials["device_code"] != nil {
            return redeemDevice(credentials, in: policy, at: now)
        }
        let option = policy.login(with: Set(credentials.keys))
        let account = accounts.first { $0.admits(credentials, asking: option.credentials) }
        guard let account else {
            count(in: policy) { $0.loginsRejected += 1 }
            return nil
        }
        return begin(
            for: account.user,
            bringsRefreshToken: option.bringsRefreshToken,
            in: policy,
            at: now
        )?.facts
    }

    /// Starts a session of a user.
    mutating func begin(
        for user: BackendUser,
        bringsRefreshToken: Bool,
        grant: ResourceGrant? = nil,
        in policy: BackendPolicy,
        at now: Double
    ) -> (family: Int, facts: IssuedFacts)? {
        count(in: policy) { $0.logins += 1 }
        let id = open(
            Family(
                policy: policy.name,
                user: user,
                session: mint.uuid(),
                grant: grant,
                startedAt: now,
                refreshDeadline: now + policy.refreshLifetime
            ),
            at: now
        )
        let refresh = bringsRefreshToken ? issueRefresh(to: id, in: policy, at: now) : nil
        return issueAccess(to: id, with: refresh, in: policy, at: now).map { (id, $0) }
    }
}

/// A user and their credentials.
package struct Account: Sendable {
    var user: BackendUser
    /// The credentials by the names that dialects give them.
    package var credentials: [String: Secret]

    package init(user: BackendUser, credentials: [String: Secret]) {
        self.user = user
        self.credentials = credentials
    }

    /// The account that `authtop sandbox` prints; it is not secret.
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
            "subject_token": Secret("sandbox"),
            "assertion": Secret("sandbox"),
        ]
    )

    /// Returns whether all required credentials were given and are correct; any others are ignored.
    func admits(_ given: [String: Secret], asking names: Set<String>) -> Bool {
        guard !names.isEmpty else { return false }
        return names.allSatisfy { name in
            guard let given = given[name], let right = credentials[name] else { return false }
            guard name == "email" else { return given == right }
            return given.reveal().asciiLowercased == right.reveal().asciiLowercased
        }
    }
}
