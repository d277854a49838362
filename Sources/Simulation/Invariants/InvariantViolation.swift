package import Basics

/// A promise that was not kept.
package struct InvariantViolation: Sendable, Equatable {
    package struct Finding: Sendable, Equatable {
        package var invariant: Invariant
        package var message: String

        init(_ invariant: Invariant, _ message: String) {
            self.invariant = invariant
            self.message = message
        }
    }

    package var finding: Finding
    package var at: Instant
    package var process: Int?
    /// Counts the steps of all processes.
    package var step: Int
}
