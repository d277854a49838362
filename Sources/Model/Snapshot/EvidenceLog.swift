package import Profiles

/// The evidence of the newest exchanges, within limits.
///
/// Successes have a limit of their own, so that polling does not displace failures.
package struct EvidenceLog: Sendable, Equatable {
    static let successLimit = 64
    static let failureLimit = 256

    private struct Entry: Sendable, Equatable, LogEntry {
        let number: Int
        let evidence: ResponseEvidence
    }

    private var successes = BoundedLog<Entry>(limit: successLimit)
    private var failures = BoundedLog<Entry>(limit: failureLimit)

    /// The evidence of an exchange, or `nil` if there was none, or it is no longer kept.
    package func evidence(numbered number: Int) -> ResponseEvidence? {
        (failures.entry(numbered: number) ?? successes.entry(numbered: number))?.evidence
    }

    /// Takes the evidence out of an exchange, so that it is not kept twice.
    mutating func move(from exchange: inout Exchange) {
        guard let evidence = exchange.evidence else { return }
        exchange.evidence = nil
        let isSuccess = (200..<300).contains(exchange.status ?? 0)
        insert(evidence, numbered: exchange.id, isSuccess: isSuccess)
    }

    mutating func insert(_ evidence: ResponseEvidence, numbered number: Int, isSuccess: Bool) {
        let entry = Entry(number: number, evidence: evidence)
        if isSuccess {
            successes.insert(entry)
        } else {
            failures.insert(entry)
        }
    }
}
