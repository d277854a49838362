package import Lifecycle
package import Timekeeping

/// What the simulation drives: the real machine, or one that a test has broken on purpose.
package protocol SimulatedClient: Sendable {
    mutating func handle(_ input: SessionInput, at moment: Moment) -> [SessionEffect]
    var nextDeadline: Instant? { get }
    /// The same without the feed.
    var sessionDeadline: Instant? { get }
    /// The same without the session.
    var feedDeadline: Instant? { get }
    var state: SessionState { get }
    var flags: SessionFlags { get }
    var held: SessionPair? { get }
    var schedule: RenewalSchedule? { get }
    var feedToken: FeedToken? { get }
}

extension ClientMachine: SimulatedClient {}
