package import Basics
import Profiles

/// The state of a backend, for tests and users to compare with: it contains fingerprints, never
/// tokens.
package struct BackendState: Sendable, Hashable, Codable {
    /// One login and the tokens issued because of it.
    struct Session: Sendable, Hashable, Codable {
        var dialect: String
        var user: Int
        /// The session's id in a list of devices.
        var session: String
        var family: Int
        var generation: Int
        /// The number of refresh tokens that were exchanged.
        var spent: Int
        /// Seconds since 1970, like all times here.
        var startedAt: Double
        /// The latest refresh token, or `nil` if no further refresh is possible.
        var refresh: String?
        var refreshExpiresAt: Double
        /// The latest access token.
        var access: String?
        var accessExpiresAt: Double
        /// A `FamilyEnd.Reason` or `expired`, or `nil` while the session is alive.
        var ended: String?
        /// The end, or `nil` while the session is alive.
        var endedAt: Double?
    }

    /// All sessions, the oldest first.
    var sessions: [Session]
    /// The counters by dialect.
    var counters: [String: BackendCounters]
}

extension AuthBackend {
    /// Returns the current state.
    ///
    /// - Parameters:
    ///   - fingerprinter: Computes the fingerprints; with the client's own, both sides can be
    ///     compared.
    ///   - now: Seconds since 1970.
    /// - Returns: Every session that is remembered, including ended ones.
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

/// The counters of a backend for one policy.
struct BackendCounters: Sendable, Hashable, Codable {
    var logins = 0
    var loginsRejected = 0
    var refreshes = 0
    /// The counts by `RefreshRefusalCause`.
    var refreshesRefused: [String: Int] = [:]
    /// The uses of a spent refresh token, regardless of how the policy treated them.
    var reuses = 0
    var logouts = 0
    var protected = 0
    /// The counts by `UnauthorizedCause`.
    var unauthorized: [String: Int] = [:]
    var feedsOpened = 0
    /// The counts by `UnauthorizedCause`.
    var feedsRefused: [String: Int] = [:]

    init() {}
}
