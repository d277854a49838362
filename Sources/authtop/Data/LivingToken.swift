import Dashboard
import FoundationEssentials
import Lifecycle
import Tokens

/// A token that the backend goes on taking, though it is erased here.
struct LivingToken: Hashable {
    let secret: Secret
    /// When the backend is to refuse it; nil where nothing says so.
    let until: Date?

    /// Those of logouts that the backend has yet to be told of.
    static func owed(by record: VaultRecord) -> [LivingToken] {
        record.outbox.compactMap { entry in
            (entry.refresh?.secret ?? entry.access?.secret).map {
                LivingToken(secret: $0, until: entry.expiresAt)
            }
        }
    }

    /// The one that a session lives by.
    static func held(by record: VaultRecord) -> LivingToken? {
        guard let pair = record.pair else { return nil }
        guard let refresh = pair.tokens.refresh else {
            let end = pair.accessExpiry.map { pair.sentAt.addingTimeInterval($0.seconds) }
            return LivingToken(secret: pair.tokens.access.secret, until: end)
        }
        let end = pair.refreshExpiry.map { pair.refreshSentAt.addingTimeInterval($0.seconds) }
        return LivingToken(secret: refresh.secret, until: end)
    }

    func isOver(at now: Date) -> Bool { until.map { $0 <= now } ?? false }

    /// For a person.
    func words(_ fingerprinter: Fingerprinter, now: Date, _ clock: ClockWords) -> String {
        let end = until.map { "until \(clock.when($0, now: now))" } ?? "nobody knows until when"
        return "\(fingerprinter.fingerprint(of: secret)) is taken by the backend \(end)"
    }
}
