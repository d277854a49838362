import Basics
import Client
import Model
import Simulation

/// 21: after a sleep, a renewal that begins then waits for a probe that gets through.
struct SuspendCheck {
    private struct Wake {
        let at: Instant
        var isProbed = false
    }

    /// Until the first renewal that began after it.
    private var wakes = PerProcess<Wake>()
    private var flightBegan = PerProcess<Instant>()
    private(set) var checked = 0

    /// A timer that was due for more than this is how a process knows that it slept, in seconds.
    private static let lateness = 5.0

    mutating func woke(_ process: Int, overdueSince deadline: Instant?, now: Instant) {
        guard let deadline, now.seconds(since: deadline) > Self.lateness else { return }
        wakes[process] = Wake(at: now)
        flightBegan[process] = nil
    }

    mutating func died(_ process: Int) {
        wakes[process] = nil
        flightBegan[process] = nil
    }

    mutating func handled(_ step: Step) {
        if case .probed(_, true) = step.input { wakes[step.process]?.isProbed = true }
        if step.effects.contains(where: \.isLock) { flightBegan[step.process] = step.now }
    }

    mutating func sends(_ sent: SentRequest) -> InvariantViolation.Finding? {
        guard let wake = wakes[sent.process], let began = flightBegan[sent.process],
            began >= wake.at
        else { return nil }
        checked += 1
        wakes[sent.process] = nil
        guard !wake.isProbed else { return nil }
        return InvariantViolation.Finding(
            .suspend,
            "a renewal after a sleep did not wait for a probe"
        )
    }
}
