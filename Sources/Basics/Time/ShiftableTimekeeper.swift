package import FoundationEssentials
import Synchronization

/// The clocks of another timekeeper, with a wall clock that can be off by a number of seconds.
///
/// The monotonic clock is that of the other timekeeper, as on a machine whose wall clock is set
/// wrong.
package final class ShiftableTimekeeper: Timekeeper {
    private let base: any Timekeeper
    private let seconds = Mutex(0.0)

    package init(_ base: any Timekeeper) {
        self.base = base
    }

    /// The difference by which the wall clock is ahead of the other timekeeper's, in seconds;
    /// negative if behind.
    var shift: Double { seconds.withLock { $0 } }

    package func shift(to seconds: Double) {
        self.seconds.withLock { $0 = seconds }
    }

    package var now: Instant { base.now }

    package var wall: Date { base.wall.addingTimeInterval(shift) }

    package var suspended: Duration? { base.suspended }

    package func sleep(until deadline: Instant) async throws {
        try await base.sleep(until: deadline)
    }
}
