import Dashboard
import FoundationEssentials
import Lifecycle
import Tokens

/// A token that the backend goes on taking, though it is erased here.
struct UnrevokedToken: Hashable {
    let secret: Secret
    /// When the backend is to refuse it, or `nil` if nothing says so.
    let until: Date?

    /// Those of logouts that the backend has not been notified of yet.
    static func owed(by record: VaultRecord) -> [UnrevokedToken] {
        record.outbox.compactMap { entry in
            (entry.refresh?.secret ?? entry.access?.secret).map {
                UnrevokedToken(secret: $0, until: entry.expiresAt)
            }
        }
    }

    /// The one that a session lives by.
    static func held(by record: VaultRecord) -> UnrevokedToken? {
        guard let pair = record.pair else { return nil }
        guard let refresh = pair.tokens.refresh else {
            let end = pair.accessExpiry.map { pair.sentAt.addingTimeInterval($0.seconds) }
            return UnrevokedToken(secret: pair.tokens.access.secret, until: end)
        }
        let end = pair.refreshExpiry.map { pair.refreshSentAt.addingTimeInterval($0.seconds) }
        return UnrevokedToken(secret: refresh.secret, until: end)
    }

    func isOver(at now: Date) -> Bool { until.map { $0 <= now } ?? false }

    /// For a person.
    func message(_ fingerprinter: Fingerprinter, now: Date, _ clock: ClockFormatter) -> String {
        let end = until.map { "until \(clock.when($0, now: now))" } ?? "nobody knows until when"
        return "\(fingerprinter.fingerprint(of: secret)) is taken by the backend \(end)"
    }
}
