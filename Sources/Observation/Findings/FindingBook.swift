import Lifecycle
import Timekeeping

/// The findings of a run: one for all that one rule finds in a family at a path.
struct FindingBook: Sendable {
    private struct Key: Hashable {
        let rule: String
        let variant: String?
        let family: Int?
        let path: String?
        let experiment: String?
        let mark: String?
    }

    private struct Entry {
        var finding: ObservedFinding
        var lastOccurrence: Int
    }

    static let limit = 1_000

    private var entries: [Key: Entry] = [:]
    private var last = 0

    var all: [ObservedFinding] {
        entries.values.map(\.finding).sorted { $0.number < $1.number }
    }

    /// Forgets what was found; the numbers go on.
    mutating func forget() {
        entries = [:]
    }

    /// Takes in what a rule has found.
    ///
    /// - Returns: The finding, or `nil` if there are too many.
    mutating func take(
        _ draft: FindingDraft,
        by rule: FindingRule,
        at moment: Moment
    ) -> ObservedFinding? {
        let key = Key(
            rule: rule.name,
            variant: draft.variant,
            family: draft.family,
            path: draft.path,
            experiment: draft.experiment,
            mark: draft.mark
        )
        if var entry = entries[key] {
            if entry.lastOccurrence != draft.occurrence { entry.finding.count += 1 }
            entry.lastOccurrence = draft.occurrence
            entry.finding.lastAt = moment
            entry.finding.message = draft.message
            entry.finding.severity = draft.severity ?? rule.severity
            entry.finding.confidence = draft.confidence
            entry.finding.evidence = Self.merging(draft.evidence, into: entry.finding.evidence)
            entries[key] = entry
            return entry.finding
        }
        guard entries.count < Self.limit else { return nil }
        last += 1
        let finding = ObservedFinding(
            number: last,
            rule: rule.name,
            variant: draft.variant,
            severity: draft.severity ?? rule.severity,
            confidence: draft.confidence,
            evidence: draft.evidence,
            message: draft.message,
            remedy: rule.remedy,
            references: rule.references,
            path: draft.path,
            firstAt: moment,
            lastAt: moment,
            experiment: draft.experiment,
            mark: draft.mark
        )
        entries[key] = Entry(finding: finding, lastOccurrence: draft.occurrence)
        return finding
    }

    private static func merging(
        _ newer: [FindingEvidence],
        into older: [FindingEvidence]
    ) -> [FindingEvidence] {
        let subjects = Set(newer.map(\.subject))
        let kept = older.filter { !subjects.contains($0.subject) }
        return Array((kept + newer).suffix(ObservedFinding.evidenceLimit))
    }
}
