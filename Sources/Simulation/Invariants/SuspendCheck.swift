import Lifecycle
import Timekeeping

/// 21: after a sleep, a renewal that begins then waits for a probe that gets through.
struct SuspendCheck {
    private var mustProbe: [Int: Instant] = [:]
    private var flightBegan: [Int: Instant] = [:]
    private(set) var checked = 0

    /// A timer that was due for more than this is how a process knows that it slept, in seconds.
    private static let lateness = 5.0

    mutating func woke(_ process: Int, overdueSince deadline: Instant?, now: Instant) {
        guard let deadline, now.seconds(since: deadline) > Self.lateness else { return }
        mustProbe[process] = now
        flightBegan[process] = nil
    }

    mutating func died(_ process: Int) {
        mustProbe[process] = nil
        flightBegan[process] = nil
    }

    mutating func handled(_ step: Step) {
        if case .probed(_, true) = step.input { mustProbe[step.process] = nil }
        if step.effects.contains(where: \.isLock) { flightBegan[step.process] = step.now }
    }

    mutating func sends(_ sent: SentRequest) -> Breach.Finding? {
        guard let woke = mustProbe[sent.process] else { return nil }
        checked += 1
        guard let began = flightBegan[sent.process], began >= woke else { return nil }
        return Breach.Finding(.suspend, "a renewal after a sleep did not wait for a probe")
    }
}
