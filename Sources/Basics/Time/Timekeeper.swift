package import FoundationEssentials

/// The only source of time, for the program, its tests and the simulation.
///
/// Deadlines are monotonic; the wall clock is for times that are stored, shown or sent. Both are
/// read together as a `Moment`, so that a decision is based on one pair of readings.
package protocol Timekeeper: Sendable {
    var now: Instant { get }
    var wall: Date { get }
    /// The time that the machine has been suspended so far, or `nil` if that is not known.
    var suspended: Duration? { get }

    /// Suspends until `deadline` or later.
    ///
    /// - Throws: `CancellationError` if the calling task is cancelled first.
    func sleep(until deadline: Instant) async throws
}

extension Timekeeper {
    package var suspended: Duration? { nil }

    package var moment: Moment {
        Moment(now: now, wall: wall, suspended: suspended)
    }
}

/// The readings of both clocks at one point in time.
package struct Moment: Sendable, Hashable, Codable {
    package var now: Instant
    package var wall: Date
    /// The time that the machine had been suspended by then, or `nil` if that is not known.
    ///
    /// Only the difference of two readings has a meaning.
    var suspended: Duration?

    package init(now: Instant, wall: Date, suspended: Duration? = nil) {
        self.now = now
        self.wall = wall
        self.suspended = suspended
    }

    /// Returns how long the machine was suspended since an earlier moment, or `nil` if that is not
    /// known.
    package func suspension(since earlier: Moment) -> Duration? {
        guard let suspended, let before = earlier.suspended else { return nil }
        return max(.zero, suspended - before)
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
