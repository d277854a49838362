/// A moment of a refresh at which the program can be made to kill itself, in the order of the
/// flight.
///
/// The names are those of `killpoint.c`.
enum KillPoint: String, Sendable, CaseIterable {
    case flightLocked = "flight-locked"
    case journalOpening = "journal-opening"
    case journalHalf = "journal-half"
    case journalWritten = "journal-written"
    case journalSynced = "journal-synced"
    case journalRenamed = "journal-renamed"
    case journalDurable = "journal-durable"
    case postOpening = "post-opening"
    case postHalf = "post-half"
    case postSent = "post-sent"
    case answerUnread = "answer-unread"
    case answerRead = "answer-read"
    case rotationOpening = "rotation-opening"
    case rotationHalf = "rotation-half"
    case rotationWritten = "rotation-written"
    case rotationSynced = "rotation-synced"
    case rotationRenamed = "rotation-renamed"
    case rotationDurable = "rotation-durable"
    case lockReleased = "lock-released"
    case feedDialing = "feed-dialing"

    /// The record at that point.
    enum Stored: Sendable {
        /// As the flight found it.
        case untouched
        /// The same pair, with the journal of the flight.
        case journalled
        /// The pair that the flight brought.
        case renewed
    }

    var stored: Stored {
        switch self {
        case .flightLocked, .journalOpening, .journalHalf, .journalWritten, .journalSynced:
            .untouched
        case .journalRenamed, .journalDurable, .postOpening, .postHalf, .postSent, .answerUnread,
            .answerRead, .rotationOpening, .rotationHalf, .rotationWritten, .rotationSynced:
            .journalled
        case .rotationRenamed, .rotationDurable, .lockReleased, .feedDialing:
            .renewed
        }
    }

    /// Whether the backend may have exchanged the stored token by then.
    var needsGrace: Bool {
        switch self {
        case .postSent, .answerUnread, .answerRead, .rotationOpening, .rotationHalf,
            .rotationWritten, .rotationSynced:
            true
        case .flightLocked, .journalOpening, .journalHalf, .journalWritten, .journalSynced,
            .journalRenamed, .journalDurable, .postOpening, .postHalf, .rotationRenamed,
            .rotationDurable, .lockReleased, .feedDialing:
            false
        }
    }
}

/// A moment of a logout, likewise.
enum LogoutKillPoint: String, Sendable, CaseIterable {
    case tombstoneOpening = "tombstone-opening"
    case tombstoneHalf = "tombstone-half"
    case tombstoneWritten = "tombstone-written"
    case tombstoneSynced = "tombstone-synced"
    case tombstoneRenamed = "tombstone-renamed"
    case tombstoneDurable = "tombstone-durable"
    case postOpening = "post-opening"
    case postHalf = "post-half"
    case postSent = "post-sent"
    case answerUnread = "answer-unread"
    case answerRead = "answer-read"

    /// Whether the session is over here by then.
    var isOver: Bool {
        switch self {
        case .tombstoneOpening, .tombstoneHalf, .tombstoneWritten, .tombstoneSynced: false
        case .tombstoneRenamed, .tombstoneDurable, .postOpening, .postHalf, .postSent,
            .answerUnread, .answerRead:
            true
        }
    }
}
