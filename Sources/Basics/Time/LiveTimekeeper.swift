package import FoundationEssentials

/// The machine's clocks: `ContinuousClock`, which on Linux also counts while suspended, and the
/// wall clock.
package struct LiveTimekeeper: Timekeeper {
    private let clock = ContinuousClock()
    private let origin: ContinuousClock.Instant
    private let running = SuspendingClock()
    private let runningOrigin: SuspendingClock.Instant

    package init() {
        origin = clock.now
        runningOrigin = running.now
    }

    package var now: Instant {
        .origin + origin.duration(to: clock.now)
    }

    /// The one clock goes on while the machine is suspended, the other does not; while the process
    /// is stopped, both do.
    package var suspended: Duration? {
        origin.duration(to: clock.now) - runningOrigin.duration(to: running.now)
    }

    package var wall: Date {
        Date()
    }

    package func sleep(until deadline: Instant) async throws {
        try await clock.sleep(
            until: origin.advanced(by: deadline - .origin),
            tolerance: .zero
        )
    }
}
