import FoundationEssentials
import Timekeeping
import Tokens

/// Notices that the machine slept or that somebody set the wall clock.
struct WakeWatch: Sendable, Hashable {
    /// A timer that fires this much late was not merely slow, in seconds.
    static let lateness = 5.0
    /// A wall clock that moved this much by itself was set, in seconds.
    static let step = 2.0
    /// Probes in a row before the network counts as absent.
    static let probes = 3

    var last: Moment?
    /// The deadline whose lateness was said.
    var noticed: Instant?
    /// The first refresh after a sleep waits for a probe that gets through.
    var mustProbe = false
    var isProbing = false
    var failedProbes = 0
    var cause = RefreshCause.wake
}

extension SessionMachine {
    mutating func observeClock(_ moment: Moment) {
        let expected = nextDeadline
        clock = moment
        defer { wake.last = moment }
        guard let last = wake.last else { return }
        let monotonic = moment.now.seconds(since: last.now)
        let step = moment.wall.timeIntervalSince(last.wall) - monotonic
        if abs(step) > WakeWatch.step {
            offset = nil
            emit(.wallStep(seconds: step))
        }
        // Whatever comes first after the sleep may start a renewal, not only the timer.
        if let expected, expected != wake.noticed,
            moment.now.seconds(since: expected) > WakeWatch.lateness
        {
            wake.noticed = expected
            noteSleep(moment.now - expected)
        }
    }

    /// After a sleep the network may still be away, and what was put off may go at once.
    mutating func noteSleep(_ slept: Duration) {
        wake.mustProbe = true
        emit(.wake(slept))
        if case .offline = state, flight == nil, timers[.retry] != nil {
            timers[.retry] = clock.now
        }
    }

    mutating func observeServer<Answer>(_ exchange: Exchange<Answer>) {
        guard let date = exchange.serverDate,
            let sample = ServerOffset(
                date: date,
                sentAt: exchange.sentAt.wall,
                receivedAt: exchange.endedAt.wall
            )
        else { return }
        let narrowed = offset?.narrowed(by: sample) ?? sample
        defer { offset = narrowed }
        guard let offset else { return emit(.skew(narrowed)) }
        if narrowed.low > offset.high || narrowed.high < offset.low
            || narrowed.width < 0.7 * offset.width
        {
            emit(.skew(narrowed))
        }
    }

    /// Asks whether the network is back before a one-time token is spent on it.
    mutating func probeBeforeFlight(cause: RefreshCause) {
        guard !wake.isProbing else { return }
        wake.isProbing = true
        wake.failedProbes = 0
        wake.cause = cause
        timers[.probe] = clock.now.advanced(bySeconds: 1)
        showFlight()
    }

    mutating func probeTimer() {
        guard wake.isProbing else { return }
        effects.append(.probe(begin(.probe)))
    }

    mutating func probed(_ id: OperationID, reached: Bool) {
        guard case .probe? = operations.removeValue(forKey: id), wake.isProbing else { return }
        emit(.probe(reached: reached))
        if reached {
            wake.isProbing = false
            wake.mustProbe = false
            beginFlight(wake.cause)
            return
        }
        wake.failedProbes += 1
        guard wake.failedProbes >= WakeWatch.probes else {
            timers[.probe] = clock.now.advanced(bySeconds: 1)
            return
        }
        wake.isProbing = false
        retryLater(
            RefreshFailure(kind: .notSent, message: "the network is not back"),
            retryAfter: nil
        )
    }
}
