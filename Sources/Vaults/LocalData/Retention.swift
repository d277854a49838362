package import FoundationEssentials
package import Lifecycle

/// How long what was written of a profile is kept, when nobody uses it.
package struct Retention: Sendable, Hashable {
    /// 30 days, in seconds.
    package static let usual = 2_592_000.0

    private let keep: Double

    /// - Parameter keep: In seconds.
    package init(keep: Double = usual) {
        self.keep = keep
    }

    /// Whether something written then is to go; what the clock puts into the future is not.
    package func isOver(_ writtenAt: Date, at now: Date) -> Bool {
        now.timeIntervalSince(writtenAt) > keep
    }

    /// Whether a record is to go: only what a session left that is over, and of which nothing is
    /// owed to the backend.
    package func isOver(_ record: VaultRecord, at now: Date) -> Bool {
        record.pair == nil && record.outbox.isEmpty && isOver(record.savedAt, at: now)
    }
}
