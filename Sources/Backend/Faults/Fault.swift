package import Timekeeping

/// One way in which production fails: a value with a name.
///
/// Each has a file of its own and a line in `all`; every draw it makes comes from the run's
/// generator, so that the run can be replayed.
package struct Fault: Sendable {
    package typealias Hook =
        @Sendable (inout Exchange, inout AuthBackend, inout SeededGenerator) -> Void

    /// Lower-case with hyphens, unique: what a person types.
    package let name: String
    /// One line for the list of faults.
    package let summary: String
    /// Before the backend sees the request: delays it, answers in the backend's place, or changes
    /// what the backend knows.
    package let before: Hook?
    /// Once the backend has decided, and what it decided is true: changes the decision's words.
    package let decided: Hook?
    /// Once the answer is written: changes it, or how it is delivered.
    package let written: Hook?

    package init(
        name: String,
        summary: String,
        before: Hook? = nil,
        decided: Hook? = nil,
        written: Hook? = nil
    ) {
        self.name = name
        self.summary = summary
        self.before = before
        self.decided = decided
        self.written = written
    }

    /// Every fault that can be switched on, in the order in which it is listed.
    package static let all: [Fault] = [
        .dropAfterCommit, .dropRequest, .delay, .truncatedBody, .webPage, .refuseOnce, .rateLimit,
        .serverError, .errorAfterCommit, .bareRefusal, .earlyRevocation, .missingRefreshToken,
        .skewedDate, .notFound,
    ]
}
