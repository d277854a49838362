import Basics
package import Profiles

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
        /// The registered client is still this one; only it changes.
        case client(replacing: RegisteredClient?)
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
        case .client(let replaced): stored?.client == replaced
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
        switch condition {
        case .outbox: next = stored ?? record
        case .client:
            next = stored ?? record
            next.client = record.client
            return next
        case .always, .sameSession, .samePair: next.client = stored?.client
        }
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
