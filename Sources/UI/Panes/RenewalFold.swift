import Basics
import Model

/// The events of one renewal as one line of the history: how it began, what it brought, and what
/// follows from that, all in the line of the new pair or of the failure.
enum RenewalFold {
    /// The places of a history that are shown, the newest first.
    static func places(_ log: BoundedLog<HistoryEntry>) -> [Int] {
        var hidden: Set<Int> = []
        var begun: Int?
        var succeeded: Int?
        // What follows directly from the new pair, once.
        var (awaitsState, awaitsPlan) = (false, false)
        // The next try, which the line of the failure names.
        var retry: Instant?
        for place in log.indices {
            let kind = log[place].kind
            if let change = kind as? SessionStateChanged {
                begun = change.to == .renewing || change.to == .blocked ? place : nil
                if awaitsState, change.to == .fresh { hidden.insert(place) }
                if let retry, change.to.outlook?.nextAt == retry { hidden.insert(place) }
                awaitsState = false
            } else if let failed = kind as? RefreshFailed {
                retry = failed.nextAt
            } else if kind is RefreshSucceeded {
                succeeded = place
            } else if let issued = kind as? TokensIssued {
                if issued.pair.origin == .refresh, let end = succeeded {
                    hidden.formUnion([begun, end].compactMap(\.self))
                    (awaitsState, awaitsPlan) = (true, true)
                }
                (begun, succeeded) = (nil, nil)
            } else if let planned = kind as? RenewalPlanned {
                if awaitsPlan || retry != nil && planned.plan.renewsAt == retry {
                    hidden.insert(place)
                }
                (awaitsPlan, retry) = (false, nil)
            } else {
                (awaitsState, awaitsPlan) = (false, false)
            }
        }
        return log.indices.reversed().filter { !hidden.contains($0) }
    }

    /// `‹3f9c21ab› renewed (timer) 6 s before the end, lives 20 s, refresh token rotated`, with the
    /// time that it took if that is long, or `nil` if the entry is no pair that a renewal has brought.
    static func text(_ entry: HistoryEntry, in log: BoundedLog<HistoryEntry>) -> String? {
        guard let issued = entry.kind as? TokensIssued, issued.pair.origin == .refresh else {
            return nil
        }
        let before = log[..<log.place(of: entry.number)].suffix(reach).reversed()
        var parts: [String]?
        for earlier in before {
            if let end = earlier.kind as? RefreshSucceeded, parts == nil {
                let took = end.roundTrip.inSeconds
                let long = took >= Self.long ? "in \(DurationFormatter.fine(took)), " : ""
                parts = [
                    long + end.lead("the end"),
                    issued.pair.accessExpiry.map { "lives \(ExpiryText.lifetime($0))" },
                    "refresh token \(end.rotated ? "rotated" : "unchanged")",
                ].compactMap(\.self)
            } else if earlier.kind is TokensIssued {
                break
            } else if let parts, let change = earlier.kind as? SessionStateChanged {
                let name = issued.pair.access.map { "\($0.fingerprint) " } ?? ""
                let why = change.why == .observed ? "" : "(\(CauseText().text(change.why))) "
                return "\(name)renewed \(why)" + parts.joined(separator: ", ")
            }
        }
        return nil
    }

    /// The number of entries before that of a pair among which its renewal is looked for.
    private static let reach = 16
    /// The seconds from which on a renewal took long.
    private static let long = 1.0
}

extension RefreshSucceeded {
    /// `6 s before the end`.
    func lead(_ end: String) -> String {
        let seconds = remainingLead.inSeconds
        let side = seconds >= 0 ? "before" : "after"
        return "\(DurationFormatter.long(abs(seconds))) \(side) \(end)"
    }
}
