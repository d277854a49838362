package import FoundationEssentials

/// The machine's clocks: `ContinuousClock`, which on Linux also counts while suspended, and the
/// wall clock.
package struct LiveTimekeeper: Timekeeper {
    private let clock = ContinuousClock()
    private let origin: ContinuousClock.Instant

    package init() {
        origin = clock.now
    }

    package var now: Instant {
        .origin + origin.duration(to: clock.now)
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
