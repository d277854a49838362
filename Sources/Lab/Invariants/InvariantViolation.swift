import Basics

/// A promise that was not kept.
struct InvariantViolation: Sendable, Equatable {
    struct Finding: Sendable, Equatable {
        var invariant: Invariant
        var message: String

        init(_ invariant: Invariant, _ message: String) {
            self.invariant = invariant
            self.message = message
        }
    }

    var finding: Finding
    var at: Instant
    var process: Int?
    /// Counts the steps of all processes.
    var step: Int
}
