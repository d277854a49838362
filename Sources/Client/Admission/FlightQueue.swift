package import Basics
import HeapModule

/// The urgency of a login or a renewal, the most urgent one first.
package enum FlightUrgency: Sendable, Hashable, Comparable {
    /// A caller or a request waits for its token.
    case awaited
    /// The access token in use may no longer be used from this instant on.
    case beforeEnd(Instant)
    /// There is no session yet.
    case login
}

/// The logins and renewals of a run: a limited number of them at a time, the most urgent ones first,
/// and those of the same urgency in the order in which they came.
struct FlightQueue: Sendable {
    private struct Entry: Sendable, Comparable {
        let urgency: FlightUrgency
        let number: Int

        static func < (left: Entry, right: Entry) -> Bool {
            (left.urgency, left.number) < (right.urgency, right.number)
        }
    }

    let limit: Int
    private var lastNumber = 0
    private var active: Set<Int> = []
    /// Those that wait, also some that have left since.
    private var entries = Heap<Entry>()
    private var waiting: Set<Int> = []

    /// - Parameter limit: The largest number at a time, at least 1.
    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// Whether a login or a renewal is in progress.
    func isActive(_ number: Int) -> Bool { active.contains(number) }

    /// Adds a login or a renewal.
    ///
    /// - Returns: Its number, and whether it begins at once.
    mutating func enter(_ urgency: FlightUrgency) -> (number: Int, begins: Bool) {
        lastNumber += 1
        guard active.count >= limit else {
            active.insert(lastNumber)
            return (lastNumber, true)
        }
        waiting.insert(lastNumber)
        entries.insert(Entry(urgency: urgency, number: lastNumber))
        return (lastNumber, false)
    }

    /// Removes a login or a renewal that has ended, or that waits no longer.
    ///
    /// - Returns: The number of the one that begins in its place, or `nil` if none does.
    mutating func leave(_ number: Int) -> Int? {
        guard active.remove(number) != nil else {
            waiting.remove(number)
            return nil
        }
        while let next = entries.popMin()?.number {
            guard waiting.remove(next) != nil else { continue }
            active.insert(next)
            return next
        }
        return nil
    }
}
