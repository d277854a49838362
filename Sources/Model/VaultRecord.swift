package import Basics
package import FoundationEssentials
package import Profiles

/// Everything that survives a process: one per profile, replaced as a whole.
package struct VaultRecord: Sendable, Hashable {
    package static let currentSchema = 1

    package var schema = VaultRecord.currentSchema
    package var dialect: String
    package var baseURL: String
    /// Identifies the login that all the record's pairs descend from; random.
    package var family: String
    /// The pair, or `nil` after the session has ended; the outbox and the tombstone remain.
    package var pair: StoredPair?
    /// How the last session ended, if there is no pair and that is known.
    package var ending: StoredEnding?
    /// The refresh in progress when the record was written.
    package var journal: FlightJournal?
    /// What the backend has not been notified of yet.
    package var outbox: [PendingRevocation] = []
    /// Counts logins and logouts; a commit for another epoch is refused.
    package var epoch: Int
    package var savedAt: Date

    package init(
        dialect: String,
        baseURL: String,
        family: String,
        pair: StoredPair?,
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
        let held = pair.map { [$0.tokens.access.secret, $0.tokens.refresh?.secret] } ?? []
        let owed = outbox.flatMap { [$0.access?.secret, $0.refresh?.secret] }
        let captures = [pair?.tokens.captures].compactMap(\.self) + outbox.map(\.captures)
        return (held + owed).compactMap(\.self) + captures.flatMap(\.secrets)
    }
}

/// A pair with what is known about it, in times that mean something to another process.
package struct StoredPair: Sendable, Hashable {
    package var generation: Int
    package var tokens: TokenPair
    /// The wall clock when its request was sent.
    package var sentAt: Date
    package var accessExpiry: Expiry?
    /// When the refresh token in use was issued, and its expiry according to that response.
    package var refreshSentAt: Date
    package var refreshExpiry: Expiry?
    /// When the login was sent, or `nil` if that is not known.
    package var beganAt: Date?
    package var subject: String?
    package var displayName: String?
    package var account: [AccountDetail] = []
    package var offset: ServerOffset?
    /// Whether the last refresh returned no new refresh token, so that this one was kept.
    package var isUnchanged = false
    /// The refresh token was accepted again after that: use does not spend it.
    package var isReusable = false
    /// A refresh that should have moved the refresh token's end on did not; without it here, each
    /// process would find that out for itself, again and again.
    package var hasFixedExpiry = false
    /// Why the refresh token was taken out: the backend refused it.
    package var ending: SignedOutReason?
    /// What was known of the refresh token then.
    package var refusal: RefusalEvidence?

    package init(
        generation: Int,
        tokens: TokenPair,
        sentAt: Date,
        accessExpiry: Expiry?,
        refreshSentAt: Date,
        refreshExpiry: Expiry?,
        subject: String? = nil,
        displayName: String? = nil,
        offset: ServerOffset? = nil
    ) {
        self.generation = generation
        self.tokens = tokens
        self.sentAt = sentAt
        self.accessExpiry = accessExpiry
        self.refreshSentAt = refreshSentAt
        self.refreshExpiry = refreshExpiry
        self.subject = subject
        self.displayName = displayName
        self.offset = offset
    }
}

/// How a session ended, for other processes and later runs.
package struct StoredEnding: Sendable, Hashable {
    /// The family of the session.
    package var family: String
    package var reason: SignedOutReason
    package var endedAt: Date
    /// What was known of the refresh token when the backend refused it, if that ended the session.
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
package struct FlightJournal: Sendable, Hashable {
    package var generation: Int
    /// How often this token may have been sent without a usable answer, this time included.
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
    /// What else its request sends.
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

/// A change of the record, and what must still be so for it to be made.
package struct VaultCommit: Sendable, Hashable {
    package enum Condition: Sendable, Hashable {
        /// The stored record is of this epoch and family, and its pair is not a newer one.
        case sameSession(epoch: Int, family: String)
        /// In addition, its pair is not newer than this one, so that an end here does not remove a
        /// pair that another process has renewed in the meantime.
        case samePair(epoch: Int, family: String, generation: Int)
        /// A login or a logout, which replaces any record.
        case always
        /// There is a record; only its outbox changes, and an entry of this identifier leaves it.
        case outbox(done: String?)
    }

    var record: VaultRecord
    var condition: Condition
    /// Whether the stored journal of the same pair stays: it is that of another process, which has
    /// the flight lock.
    package var keepsJournal = false

    package init(record: VaultRecord, condition: Condition) {
        self.record = record
        self.condition = condition
    }

    /// Returns whether the condition holds for the stored record; each vault checks this under its
    /// record lock.
    package func isAllowed(over stored: VaultRecord?) -> Bool {
        switch condition {
        case .always: true
        case .outbox: stored != nil
        case .sameSession(let epoch, let family):
            Self.holds(stored, epoch, family, upTo: record.pair?.generation ?? .max)
        case .samePair(let epoch, let family, let generation):
            Self.holds(stored, epoch, family, upTo: generation)
        }
    }

    private static func holds(
        _ stored: VaultRecord?,
        _ epoch: Int,
        _ family: String,
        upTo generation: Int
    ) -> Bool {
        guard let stored else { return false }
        return stored.epoch == epoch && stored.family == family
            && (stored.pair?.generation ?? 0) <= generation
    }

    /// Returns the record to store if the condition holds.
    ///
    /// The outbox is shared: revocations that another process has not sent yet stay in it.
    package func replacement(of stored: VaultRecord?) -> VaultRecord {
        var next = record
        if case .outbox = condition, let stored { next = stored }
        let known = Set(record.outbox.map(\.id))
        next.outbox = record.outbox + (stored?.outbox ?? []).filter { !known.contains($0.id) }
        if case .outbox(let done?) = condition { next.outbox.removeAll { $0.id == done } }
        if keepsJournal, let journal = stored?.journal, hasRefreshToken(of: stored) {
            next.journal = journal
        }
        return next
    }

    private func hasRefreshToken(of stored: VaultRecord?) -> Bool {
        stored?.family == record.family && stored?.pair?.generation == record.pair?.generation
            && stored?.pair?.tokens.refresh == record.pair?.tokens.refresh
    }
}

package enum CommitVerdict: Sendable, Hashable {
    case committed
    /// The pair is gone, as it was to be, and nothing could be written in its place: what the
    /// backend has not been notified of yet is known to this process alone.
    case erased(VaultProblem)
    /// The condition does not hold and nothing was written; the record is `nil` if it was removed.
    case superseded(by: VaultRecord?)
}
