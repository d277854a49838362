import Basics
import Model

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
        /// The occurrence that the finding states, with its evidence: the newest of the worst ones.
        var stated: FindingDraft
    }

    static let limit = 1_000

    private var entries: [Key: Entry] = [:]
    private var last = 0
    /// The weight of the mildest finding, once there is no room for others.
    private var leastWeight: Int?

    var all: [ObservedFinding] {
        entries.values.map(\.finding).sorted { $0.number < $1.number }
    }

    /// The session of each finding, by its number, where it is one session's.
    var sessions: [Int: SessionID] {
        let pairs = entries.compactMap { key, entry in
            key.family.map { (entry.finding.number, SessionID(String($0))) }
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    /// Forgets what was found; the numbers go on.
    mutating func forget() {
        entries = [:]
        leastWeight = nil
    }

    /// Takes in what a rule has found.
    ///
    /// Of too many, the milder ones are not kept.
    ///
    /// - Returns: The finding, and whether one was dropped: this one if the finding is `nil`, otherwise one
    ///   that it replaced.
    mutating func take(
        _ draft: FindingDraft,
        by rule: FindingRule,
        at moment: Moment
    ) -> (finding: ObservedFinding?, isOneOmitted: Bool) {
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
            let known = Set(entry.finding.evidence)
            entry.finding.addition = draft.evidence.filter { !known.contains($0) }
            entry.lastOccurrence = draft.occurrence
            entry.finding.lastAt = moment
            let severity = draft.severity ?? rule.severity
            let isStated = entry.stated.occurrence == draft.occurrence
            // A proven finding stays proven, whatever milder comes later.
            if isStated || Self.weight(severity, draft.confidence) >= entry.finding.weight {
                entry.stated = draft
                entry.finding.message = draft.message
                entry.finding.severity = severity
                entry.finding.confidence = draft.confidence
            }
            entry.finding.evidence = Self.merging(
                draft.evidence,
                into: entry.finding.evidence,
                keeping: entry.stated.evidence
            )
            entries[key] = entry
            return (entry.finding, false)
        }
        let severity = draft.severity ?? rule.severity
        let isFull = entries.count >= Self.limit
        if isFull, !makeRoom(for: Self.weight(severity, draft.confidence)) { return (nil, true) }
        last += 1
        let finding = ObservedFinding(
            number: last,
            rule: rule.name,
            variant: draft.variant,
            severity: severity,
            confidence: draft.confidence,
            evidence: draft.evidence,
            message: draft.message,
            remedy: draft.remedy ?? rule.remedy,
            references: rule.references,
            path: draft.path,
            firstAt: moment,
            lastAt: moment,
            experiment: draft.experiment,
            mark: draft.mark
        )
        entries[key] = Entry(finding: finding, lastOccurrence: draft.occurrence, stated: draft)
        return (finding, isFull)
    }

    /// Drops the newest of the mildest findings for one that is worse.
    ///
    /// - Returns: Whether there was one.
    private mutating func makeRoom(for weight: Int) -> Bool {
        // Findings only grow worse.
        if let leastWeight, weight <= leastWeight { return false }
        let mildest = entries.max { left, right in
            let (left, right) = (left.value.finding, right.value.finding)
            return (-left.weight, left.number) < (-right.weight, right.number)
        }
        guard let mildest else { return false }
        leastWeight = mildest.value.finding.weight
        guard weight > mildest.value.finding.weight else { return false }
        entries[mildest.key] = nil
        return true
    }

    private static func merging(
        _ newer: [FindingEvidence],
        into older: [FindingEvidence],
        keeping stated: [FindingEvidence]
    ) -> [FindingEvidence] {
        let subjects = Set(newer.map(\.subject))
        var all = older.filter { !subjects.contains($0.subject) } + newer
        let needed = Set(stated.map(\.subject))
        while all.count > ObservedFinding.evidenceLimit {
            all.remove(at: all.firstIndex { !needed.contains($0.subject) } ?? 0)
        }
        return all
    }

    /// The weight of a finding: by its severity first, and then by how certain it is.
    fileprivate static func weight(
        _ severity: ObservedFinding.Severity,
        _ confidence: ObservedFinding.Confidence
    ) -> Int {
        let bySeverity =
            switch severity {
            case .note: 0
            case .risk: 2
            case .bug: 4
            }
        return bySeverity + (confidence == .certain ? 1 : 0)
    }
}

extension ObservedFinding {
    fileprivate var weight: Int { FindingBook.weight(severity, confidence) }
}
