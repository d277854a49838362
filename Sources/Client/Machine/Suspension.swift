import Basics
import Model

/// Detects that the computer was asleep, or the process was stopped.
struct SuspensionDetector: Sendable, Hashable {
    /// The lateness of a timer that means that the computer was asleep, in seconds.
    static let lateness = 5.0
    /// Probes in a row before the network counts as absent.
    static let probes = 3
    /// From one probe to the next, in seconds.
    static let probeGap = 1.0

    var wallClock = WallClockWatch()
    /// When the last interruption was noticed: what was overdue then was late because of it.
    var noticedAt = Instant.origin
    /// The first refresh after a sleep waits for a probe that gets through.
    var mustProbe = false
}

/// The handling of a sleep of the computer, or a change of its wall clock.
extension ClientMachine {
    /// Before each step.
    mutating func observeClock(_ moment: Moment) {
        let expected = sessionDeadline
        let suspension = moment.suspension(since: clock)
        clock = moment
        if let step = wake.wallClock.step(to: moment) {
            // To a token that lives for seconds, a small one matters as well.
            server.forgetOffset()
            if abs(step) > WallClockWatch.silent { emit(WallClockStepped(seconds: step)) }
        }
        // Any input after the sleep may start a renewal, not only the timer.
        if let suspension, suspension.inSeconds > SuspensionDetector.lateness {
            recordInterruption(Interruption(cause: .suspended, duration: suspension))
        } else if let expected {
            let since = max(expected, wake.noticedAt)
            guard moment.now.seconds(since: since) > SuspensionDetector.lateness else { return }
            let cause: Interruption.Cause = suspension == nil ? .unknown : .stopped
            recordInterruption(Interruption(cause: cause, duration: moment.now - since))
        }
    }

    /// Requests a probe after an interruption, and retries at once what was postponed.
    mutating func recordInterruption(_ interruption: Interruption) {
        wake.noticedAt = clock.now
        wake.mustProbe = true
        emit(interruption)
        stepFeed(.woke)
        // One that is overdue keeps its place among the timers.
        if case .expired = state, flight == nil, let retry = timers[.retry] {
            timers[.retry] = min(retry, noEarlierThanRequested(clock.now))
        }
    }

    /// Probes the network before a one-time token is sent.
    mutating func probeBeforeFlight(cause: RefreshCause) {
        guard !isProbing else { return }
        live?.renewal = .probing(cause, failures: 0)
        timers[.probe] = clock.now.advanced(bySeconds: SuspensionDetector.probeGap)
        showRenewal()
    }

    mutating func probeTimer() {
        guard isProbing else { return }
        effects.append(.probe(begin(.probe)))
    }

    mutating func probed(_ id: OperationID, reached: Bool) {
        guard case .probe? = operations.end(id),
            case .probing(let cause, let failures)? = live?.renewal
        else { return }
        emit(BackendProbed(reached: reached))
        if reached {
            live?.renewal = .none
            wake.mustProbe = false
            return beginFlight(cause)
        }
        guard failures + 1 >= SuspensionDetector.probes else {
            live?.renewal = .probing(cause, failures: failures + 1)
            timers[.probe] = clock.now.advanced(bySeconds: SuspensionDetector.probeGap)
            return
        }
        live?.renewal = .none
        experimentNotMade()
        retryLater(
            RefreshFailure(.networkAbsent),
            retryAfter: nil
        )
    }
}
