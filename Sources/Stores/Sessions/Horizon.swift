package import FoundationEssentials

/// A moment, and the next one at which an answer to what was asked of it would be another.
///
/// Whatever depends on time asks `isReached`, so that the end of a result follows from the comparisons
/// that made it, and not from a second list of them.
package struct Horizon: Sendable {
    package let now: Date
    /// When something that was asked becomes true, or `nil` if nothing does.
    package private(set) var next: Date?

    package init(_ now: Date) {
        self.now = now
    }

    /// Returns whether a date is not in the future.
    package mutating func isReached(_ date: Date) -> Bool {
        if date <= now { return true }
        next = next.map { min($0, date) } ?? date
        return false
    }
}
