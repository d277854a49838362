package import Basics
package import Model

/// The visible state of a machine between two inputs.
///
/// It is read at once, because each property of a machine that is read from another module copies
/// the machine. It is a reference, because a view is passed on often.
package final class MachineView: Sendable {
    package let state: SessionState
    package let flags: SessionFlags
    package let held: SessionPair?
    package let schedule: RenewalSchedule?
    package let feedToken: FeedToken?
    /// When the session wants a tick.
    package let sessionDeadline: Instant?
    /// When the feed wants one.
    package let feedDeadline: Instant?

    init(
        state: SessionState,
        flags: SessionFlags,
        held: SessionPair?,
        schedule: RenewalSchedule?,
        feedToken: FeedToken?,
        sessionDeadline: Instant?,
        feedDeadline: Instant?
    ) {
        self.state = state
        self.flags = flags
        self.held = held
        self.schedule = schedule
        self.feedToken = feedToken
        self.sessionDeadline = sessionDeadline
        self.feedDeadline = feedDeadline
    }

    /// When a tick is due, or `nil` if no timer runs.
    package var nextDeadline: Instant? {
        Instant.earlier(sessionDeadline, feedDeadline)
    }

    /// Whether the access token may be used.
    package func isUsable(at now: Instant) -> Bool {
        schedule.map { now < $0.usableUntil } ?? true
    }
}

extension ClientMachine {
    package var view: MachineView {
        MachineView(
            state: state,
            flags: flags,
            held: held,
            schedule: schedule,
            feedToken: feedToken,
            sessionDeadline: sessionDeadline,
            feedDeadline: feedDeadline
        )
    }
}

extension Instant {
    /// Returns the earlier of two deadlines, or `nil` if there is none.
    static func earlier(_ first: Instant?, _ second: Instant?) -> Instant? {
        guard let first, let second else { return first ?? second }
        return min(first, second)
    }
}
