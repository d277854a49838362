import Timekeeping
import Tokens

extension SessionMachine {
    mutating func runDueTimers() {
        for timer in timers.takeDue(at: clock.now) {
            switch timer {
            case .vaultRetry: unlockVault()
            case .refreshAt: refreshAtReached()
            case .usableUntil: usableUntilReached()
            case .retry: retryReached()
            case .refreshEnd: refreshEndReached()
            case .saveRetry: save()
            case .outbox: sendNextRevocation()
            case .stormEnd: breakerClosed()
            case .probe: probeTimer()
            }
        }
        expireWaiters()
    }

    private mutating func refreshAtReached() {
        guard state == .fresh, !flags.isPaused, !breaker.isOpen(at: clock.now) else { return }
        beginFlight(.timer)
    }

    private mutating func retryReached() {
        guard state.isLive, !flags.isPaused, !breaker.isOpen(at: clock.now) else { return }
        beginFlight(tally.lost > 0 ? .lostAnswer : .retry)
    }

    private mutating func usableUntilReached() {
        switch state {
        case .fresh:
            if flags.isPaused || flags.unsaved != nil || breaker.isOpen(at: clock.now) {
                waitWithoutToken()
            } else if held?.tokens.refresh == nil, !configuration.renewsByLogin {
                signOut(.accessExpired)
            } else {
                beginFlight(.timer)
            }
        case .renewing:
            move(to: .blocked, why: "the access token may no longer be used")
        case .retrying where flight != nil || wake.isProbing:
            move(to: .blocked, why: "the access token may no longer be used")
        case .retrying(var outlook), .unknown(var outlook):
            if flight == nil, !wake.isProbing, outlook.hold != .use {
                outlook.nextAt = nextTryOnceDead(planned: outlook.nextAt)
                outlook.hold = flags.isPaused ? .paused : nil
            }
            move(to: .offline(outlook), why: "the access token may no longer be used")
            if flight == nil, !wake.isProbing {
                failWaiters(.offline(retryAt: outlook.nextAt))
            }
        case .draining(let reason):
            signOut(reason)
        case .cold, .vaultUnavailable, .signedOut, .signingIn, .blocked, .offline, .signingOut:
            break
        }
    }

    /// When the next try is due that was planned while the access token was good.
    private mutating func nextTryOnceDead(planned: Instant?) -> Instant? {
        if flags.isPaused { return nil }
        if flags.unsaved != nil { return timers[.saveRetry] }
        let seconds = retries.delayWhenDead(
            failures: 0,
            random: jitter(),
            retryAfter: held?.notBefore?.seconds(since: clock.now)
        )
        let dead = clock.now.advanced(bySeconds: seconds)
        let next = max(min(planned ?? dead, dead), flags.breakerOpenUntil ?? clock.now)
        timers[.retry] = next
        return next
    }

    /// The access token ended while renewal is held back.
    mutating func waitWithoutToken() {
        let message: String
        var nextAt: Instant?
        var hold: RetryOutlook.Hold?
        if flags.isPaused {
            message = "renewal is paused"
            hold = .paused
        } else if flags.unsaved != nil {
            message = "the last pair is not saved yet"
            nextAt = timers[.saveRetry]
        } else {
            message = "renewal is held back"
            nextAt = flags.breakerOpenUntil
        }
        move(
            to: .offline(
                RetryOutlook(
                    failures: 0,
                    failure: RefreshFailure(kind: .notSent, message: message),
                    nextAt: nextAt,
                    hold: hold
                )
            ),
            why: message
        )
    }

    /// The refresh token has ended: one last flight, unless its end was only assumed.
    private mutating func refreshEndReached() {
        guard state.isLive, let end = held?.refresh, !end.expiry.isAssumed,
            held?.tokens.refresh != nil, !flags.isPaused
        else { return }
        if flight != nil {
            flight?.isLast = true
        } else {
            beginFlight(.timer, isLast: true)
        }
    }

    private mutating func breakerClosed() {
        flags.breakerOpenUntil = nil
        breaker.close()
        guard state.isLive, flight == nil, !flags.isPaused, let held else { return }
        let isDue = held.schedule.map { clock.now >= $0.refreshAt } ?? false
        if isDue || (state != .fresh && timers[.retry] == nil) { beginFlight(.timer) }
    }

    mutating func setPaused(_ isPaused: Bool, by cause: PauseCause) {
        guard flags.pauses.contains(cause) != isPaused else { return }
        if isPaused { flags.pauses.insert(cause) } else { flags.pauses.remove(cause) }
        emit(isPaused ? .paused(by: cause) : .resumed(by: cause))
        guard !flags.isPaused, state.isLive, flight == nil, let held else { return }
        switch state {
        case .retrying, .offline, .unknown: beginFlight(.timer)
        default:
            if let schedule = held.schedule, clock.now >= schedule.refreshAt { beginFlight(.timer) }
        }
    }

    mutating func openBreaker(until: Instant) {
        flags.breakerOpenUntil = until
        timers[.stormEnd] = until
        emit(.circuitBreakerOpened(until: until))
        failWaiters(.circuitBreakerOpened(until: until))
    }
}
