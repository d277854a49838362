package import FoundationEssentials

/// The only source of time, for the program, its tests and the simulation.
///
/// Deadlines are monotonic; the wall clock is for times that are stored, shown or sent. Both are
/// read together as a `Moment`, so that a decision is based on one pair of readings.
package protocol Timekeeper: Sendable {
    var now: Instant { get }
    var wall: Date { get }

    /// Suspends until `deadline` or later.
    ///
    /// - Throws: `CancellationError` if the calling task is cancelled first.
    func sleep(until deadline: Instant) async throws
}

extension Timekeeper {
    package var moment: Moment {
        Moment(now: now, wall: wall)
    }
}

/// The readings of both clocks at one point in time.
package struct Moment: Sendable, Hashable {
    package var now: Instant
    package var wall: Date

    package init(now: Instant, wall: Date) {
        self.now = now
        self.wall = wall
    }

    /// Returns the time that the wall clock will show at `instant`, unless it is set in the
    /// meantime.
    package func wallTime(at instant: Instant) -> Date {
        wall.addingTimeInterval(instant.seconds(since: now))
    }

    /// Returns the instant at which the wall clock will show `date`, unless it is set in the
    /// meantime.
    package func instant(at date: Date) -> Instant {
        now.advanced(bySeconds: date.timeIntervalSince(wall))
    }
}
