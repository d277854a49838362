package import FoundationEssentials

/// The machine's clocks: `ContinuousClock`, which on Linux also counts while suspended, and the
/// wall clock.
package struct LiveTimekeeper: Timekeeper {
    private let clock = ContinuousClock()
    private let origin: ContinuousClock.Instant
    private let running = SuspendingClock()
    private let runningOrigin: SuspendingClock.Instant
    private let sleeps: SleepQueue

    package init() {
        let clock = clock
        let origin = clock.now
        self.origin = origin
        runningOrigin = running.now
        sleeps = SleepQueue(
            now: { .origin + origin.duration(to: clock.now) },
            wait: { deadline in
                let end = origin.advanced(by: deadline - .origin)
                try await clock.sleep(until: end, tolerance: .zero)
            }
        )
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
        try await sleeps.sleep(until: deadline)
    }
}
