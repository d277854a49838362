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
