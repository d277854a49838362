package import Timekeeping

/// A promise that was not kept.
package struct Breach: Sendable, Equatable {
    package struct Finding: Sendable, Equatable {
        package var invariant: Invariant
        package var words: String

        init(_ invariant: Invariant, _ words: String) {
            self.invariant = invariant
            self.words = words
        }
    }

    package var finding: Finding
    package var at: Instant
    package var process: Int?
    /// Counts the steps of all processes.
    package var step: Int
}
