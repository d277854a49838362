/// A time in which the program did not run.
package struct Interruption: Sendable, Hashable, Codable {
    package enum Cause: String, Sendable, Hashable, Codable, CaseIterable {
        /// The machine slept.
        case suspended
        /// The machine was awake: the process was stopped, or did not get to run.
        case stopped
        /// Nothing tells the two apart.
        case unknown
    }

    package var cause: Cause
    /// Exact if the machine slept; otherwise the time since the program should have run, so that it
    /// was at least as long.
    package var duration: Duration

    package init(cause: Cause, duration: Duration) {
        self.cause = cause
        self.duration = duration
    }
}
