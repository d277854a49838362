package import FoundationEssentials

/// The only source of time: the program's, its tests' and the simulation's.
///
/// Deadlines are monotonic; the wall clock serves what is stored, shown, or sent as an absolute
/// time. Both are read together as a `Moment` so that a decision sees one pair.
package protocol Timekeeper: Sendable {
    var now: Instant { get }
    var wall: Date { get }

    /// Returns at `deadline` or later.
    ///
    /// - Throws: `CancellationError` when the calling task is cancelled first.
    func sleep(until deadline: Instant) async throws
}

extension Timekeeper {
    package var moment: Moment {
        Moment(now: now, wall: wall)
    }
}

/// What both clocks said at one point.
package struct Moment: Sendable, Hashable {
    package var now: Instant
    package var wall: Date

    package init(now: Instant, wall: Date) {
        self.now = now
        self.wall = wall
    }

    /// The wall time that the wall clock will show at `instant` if nobody sets it.
    package func wallTime(at instant: Instant) -> Date {
        wall.addingTimeInterval(instant.seconds(since: now))
    }

    /// The instant at which the wall clock will show `date` if nobody sets it.
    package func instant(at date: Date) -> Instant {
        now.advanced(bySeconds: date.timeIntervalSince(wall))
    }
}
