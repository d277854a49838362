package import Dialects
package import Tokens

extension AuthBackend {
    /// Begins a session.
    ///
    /// - Parameters:
    ///   - credentials: By their names in the dialect.
    ///   - realm: Says which of them are asked for.
    ///   - now: Seconds since 1970.
    /// - Returns: Nil when the credentials are no account's.
    package mutating func login(
        _ credentials: [String: Secret],
        in realm: Realm,
        at now: Double
    ) -> IssuedFacts? {
        let option = realm.login(with: Set(credentials.keys))
        let account = accounts.first { $0.admits(credentials, asking: option.credentials) }
        guard let account else {
            count(in: realm) { $0.loginsRejected += 1 }
            return nil
        }
        count(in: realm) { $0.logins += 1 }
        let id = open(
            Family(
                realm: realm.name,
                user: account.user,
                session: mint.uuid(),
                startedAt: now,
                refreshDeadline: now + realm.refreshLifetime
            ),
            at: now
        )
        let refresh = option.bringsRefreshToken ? issueRefresh(to: id, in: realm, at: now) : nil
        return issueAccess(to: id, with: refresh, in: realm, at: now)
    }
}
