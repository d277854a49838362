import Basics

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

extension Interruption: EventKind {
    package static let name = "wake"
    package static let recordedAs = "wake._0"
    package static let summary = "The program did not run for a while."
    package static let fields: [EventField<Interruption>] = [
        .choice(
            "cause",
            "Whether the machine was suspended, the process was stopped, or it is unknown which."
        ) { $0.cause },
        .seconds(
            "late",
            "For how long: exact if the machine was suspended, at least that otherwise."
        ) { $0.duration.inSeconds },
    ]

    package var kept: (any EventKind)? { self }
    package var lifelineMark: LifelineMark? { .asleep }
    package var isNotice: Bool { true }
}
