package import Basics
package import FoundationEssentials
package import Profiles

/// Everything that survives a process: one per profile, replaced as a whole.
package struct VaultRecord: Sendable, Hashable {
    package static let currentSchema = 1

    package var dialect: String
    package var baseURL: String
    /// Identifies the login that all the record's pairs descend from; random.
    package var family: String
    /// The pair, or `nil` after the session has ended; the outbox and the tombstone remain.
    package var pair: PairRecord?
    /// The end of the last session, if there is no pair and that is known.
    package var ending: StoredEnding?
    /// The refresh in progress when the record was written.
    package var journal: FlightJournal?
    /// The logouts that the backend has not been notified of yet.
    package var outbox: [PendingRevocation] = []
    /// The client that the program has registered, or `nil` if it has registered none; it outlives
    /// sessions.
    package var client: RegisteredClient?
    /// Counts logins and logouts; a commit for another epoch is refused.
    package var epoch: Int
    package var savedAt: Date

    package init(
        dialect: String,
        baseURL: String,
        family: String,
        pair: PairRecord?,
        epoch: Int,
        savedAt: Date
    ) {
        self.dialect = dialect
        self.baseURL = baseURL
        self.family = family
        self.pair = pair
        self.epoch = epoch
        self.savedAt = savedAt
    }
}

extension VaultRecord {
    /// Every token and every captured value in it.
    package var secrets: [Secret] {
        let held =
            pair.map { [$0.tokens.access.secret, $0.tokens.refresh?.secret, $0.idToken] } ?? []
        let owed = outbox.flatMap { [$0.access?.secret, $0.refresh?.secret] }
        let captures = [pair?.tokens.captures].compactMap(\.self) + outbox.map(\.captures)
        return (held + owed + [client?.secret]).compactMap(\.self) + captures.flatMap(\.secrets)
    }
}

/// The end of a session, for other processes and later runs.
package struct StoredEnding: Sendable, Hashable {
    /// The family of the session.
    package var family: String
    package var reason: SignedOutReason
    package var endedAt: Date
    /// The evidence about the refresh token when the backend refused it, if that ended the session.
    package var refusal: RefusalEvidence?

    package init(
        family: String,
        reason: SignedOutReason,
        endedAt: Date,
        refusal: RefusalEvidence? = nil
    ) {
        self.family = family
        self.reason = reason
        self.endedAt = endedAt
        self.refusal = refusal
    }
}

/// Written before a refresh token is sent, so that its loss can be distinguished from its refusal.
package struct FlightJournal: Sendable, Hashable, Codable {
    package var generation: Int
    /// The number of times that this token may have been sent without a usable answer, this time
    /// included.
    package var sends: Int
    package var preparedAt: Date

    package init(generation: Int, sends: Int, preparedAt: Date) {
        self.generation = generation
        self.sends = sends
        self.preparedAt = preparedAt
    }
}

/// A refresh token that ended here and that the backend does not know of yet.
package struct PendingRevocation: Sendable, Hashable {
    package var id: String
    package var scope: LogoutScope
    package var refresh: RefreshToken?
    /// For logout endpoints that require it.
    package var access: AccessToken?
    /// The other values that its request sends.
    package var captures: CapturedValues
    /// When the token expires, so that it need not be revoked.
    package var expiresAt: Date?

    package init(
        id: String,
        scope: LogoutScope,
        refresh: RefreshToken?,
        access: AccessToken?,
        captures: CapturedValues = .none,
        expiresAt: Date?
    ) {
        self.id = id
        self.scope = scope
        self.refresh = refresh
        self.access = access
        self.captures = captures
        self.expiresAt = expiresAt
    }
}
