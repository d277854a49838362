import Basics
import Profiles

extension AuthBackend {
    /// Ends the session that a token belongs to, or all sessions of its user.
    ///
    /// - Parameters:
    ///   - scope: The sessions to end, within the policy.
    ///   - refresh: A refresh token of the session that has not expired; a spent one can still end
    ///     one session, but only a live one can end all of them.
    ///   - access: A live access token, which is accepted as well.
    ///   - policy: The policy; a token of another policy is invalid here.
    ///   - now: Seconds since 1970.
    /// - Returns: Whether a token identifies the session and permits the scope. A session that has
    ///   already ended may be ended again.
    mutating func logout(
        _ scope: LogoutScope,
        refresh: RefreshToken?,
        access: AccessToken?,
        in policy: BackendPolicy,
        at now: Double
    ) -> Bool {
        let named = family(of: access, in: policy, at: now)
        switch scope {
        case .this:
            guard let family = named ?? family(of: refresh, in: policy, at: now, spent: true) else {
                return false
            }
            end(family, .logout, at: now)
        case .everywhere:
            guard let family = named ?? family(of: refresh, in: policy, at: now, spent: false),
                let user = families[family]?.user.id
            else { return false }
            for (id, family) in families
            where family.user.id == user && family.policy == policy.name {
                end(id, .logoutEverywhere, at: now)
            }
        }
        count(in: policy) { $0.logouts += 1 }
        return true
    }

    /// Ends a session on behalf of the operator.
    ///
    /// - Parameters:
    ///   - session: The session's id in the list of sessions.
    ///   - now: Seconds since 1970.
    /// - Returns: Whether there is such a session and it was still alive.
    package mutating func revoke(session: String, at now: Double) -> Bool {
        let found = families.first { $0.value.session == session && $0.value.end == nil }
        guard let id = found?.key else { return false }
        end(id, .revoked, at: now)
        return true
    }

    private func family(of token: AccessToken?, in policy: BackendPolicy, at now: Double) -> Int? {
        guard case .granted(let grant) = access(token, in: policy, at: now) else { return nil }
        return grant.family
    }

    private func family(
        of token: RefreshToken?,
        in policy: BackendPolicy,
        at now: Double,
        spent: Bool
    ) -> Int? {
        guard let token, let record = issuedRefresh[token],
            let family = families[record.family], family.policy == policy.name,
            now < record.expiresAt
        else { return nil }
        if spent { return record.family }
        if case .spent = record.use { return nil }
        return family.end == nil ? record.family : nil
    }
}
