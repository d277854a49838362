import Dialects
package import Tokens

/// What a backend knows, as tests and people check against it: no token is in it, only their
/// fingerprints.
package struct BackendState: Sendable, Hashable, Codable {
    /// One login and what followed from it.
    package struct Session: Sendable, Hashable, Codable {
        package var dialect: String
        package var user: Int
        /// As a list of devices calls it.
        package var session: String
        package var family: Int
        package var generation: Int
        /// Refresh tokens that were exchanged.
        package var spent: Int
        /// Seconds since 1970, like every instant here.
        package var startedAt: Double
        /// Of the refresh token handed out last, or `nil` if nothing can be renewed any more.
        package var refresh: String?
        package var refreshExpiresAt: Double
        /// Of the access token handed out last.
        package var access: String?
        package var accessExpiresAt: Double
        /// `nil` while it lives: a `FamilyEnd.Reason`, or `expired`.
        package var ended: String?
        /// `nil` while it lives.
        package var endedAt: Double?
    }

    /// The oldest first.
    package var sessions: [Session]
    /// By dialect.
    package var counters: [String: BackendCounters]
}

extension AuthBackend {
    /// What there is to check.
    ///
    /// - Parameters:
    ///   - fingerprinter: Whose fingerprints to use; with the client's own, both can be compared.
    ///   - now: Seconds since 1970.
    /// - Returns: Every session that is remembered, ended ones too.
    package func state(fingerprints fingerprinter: Fingerprinter, at now: Double) -> BackendState {
        let sessions = families.sorted { $0.key < $1.key }.map { id, family in
            let isOver = family.end == nil && !family.isActive(at: now)
            return BackendState.Session(
                dialect: family.policy,
                user: family.user.id,
                session: family.session,
                family: id,
                generation: family.generation,
                spent: family.spent,
                startedAt: family.startedAt,
                refresh: family.refresh.map { fingerprinter.fingerprint(of: $0).digits },
                refreshExpiresAt: family.refreshDeadline,
                access: family.access.map { fingerprinter.fingerprint(of: $0).digits },
                accessExpiresAt: family.accessDeadline,
                ended: family.end?.reason.rawValue ?? (isOver ? "expired" : nil),
                endedAt: family.end?.at ?? (isOver ? family.deadline : nil)
            )
        }
        return BackendState(sessions: sessions, counters: counters)
    }
}

/// What a policy has seen so far.
package struct BackendCounters: Sendable, Hashable, Codable {
    package var logins = 0
    package var loginsRejected = 0
    package var refreshes = 0
    /// By `RefreshRefusalCause`.
    package var refreshesRefused: [String: Int] = [:]
    /// Uses of a spent refresh token, whatever the policy made of them.
    package var reuses = 0
    package var logouts = 0
    package var protected = 0
    /// By `UnauthorizedCause`.
    package var unauthorized: [String: Int] = [:]
    package var feedsOpened = 0
    /// By `UnauthorizedCause`.
    package var feedsRefused: [String: Int] = [:]

    package init() {}
}
