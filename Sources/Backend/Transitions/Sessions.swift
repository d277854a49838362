import Basics
package import Profiles

extension AuthBackend {
    /// Returns the active sessions of the token's user, the oldest first.
    mutating func sessions(
        for token: AccessToken?,
        in policy: BackendPolicy,
        at now: Double
    ) -> BackendResponse {
        switch protected(token, in: policy, at: now) {
        case .refused(let cause): .unauthorized(cause)
        case .granted(let grant): .sessions(sessions(of: grant, in: policy, at: now))
        }
    }

    /// Ends one session of the token's user, which may be the token's own.
    mutating func endSession(
        _ session: String,
        for token: AccessToken?,
        in policy: BackendPolicy,
        at now: Double
    ) -> BackendResponse {
        switch protected(token, in: policy, at: now) {
        case .refused(let cause): return .unauthorized(cause)
        case .granted(let grant):
            let isListed = sessions(of: grant, in: policy, at: now).contains { $0.id == session }
            return isListed && revoke(session: session, at: now) ? .sessionEnded : .sessionUnknown
        }
    }

    /// Names the session of a login for lists of sessions.
    ///
    /// - Parameters:
    ///   - facts: The facts of the login's answer.
    ///   - userAgent: The `User-Agent` of its request, of which the beginning is kept.
    package mutating func name(sessionOf facts: IssuedFacts, by userAgent: String) {
        guard let family = issuedAccess[facts.access]?.family else { return }
        let beginning = userAgent.unicodeScalars.prefix(80)
        families[family]?.name = String(String.UnicodeScalarView(beginning))
    }

    private func sessions(
        of grant: AccessGrant,
        in policy: BackendPolicy,
        at now: Double
    ) -> [SessionFacts] {
        families
            .filter { _, family in
                family.user.id == grant.user.id && family.policy == policy.name
                    && family.isActive(at: now)
            }
            .sorted { $0.key < $1.key }
            .map { id, family in
                SessionFacts(
                    id: family.session,
                    name: family.name,
                    startedAt: family.startedAt,
                    isCurrent: id == grant.family
                )
            }
    }
}
