import Timekeeping
import Tokens

extension SessionMachine {
    mutating func runDueTimers() {
        for timer in timers.takeDue(at: clock.now) {
            switch timer {
            case .vaultRetry: unlockVault()
            case .soft: softReached()
            case .hard: hardReached()
            case .retry: retryReached()
            case .refreshEnd: refreshEndReached()
            case .saveRetry: save()
            case .outbox: sendNextRevocation()
            case .stormEnd: stormEnded()
            case .probe: probeTimer()
            }
        }
        expireWaiters()
    }

    private mutating func softReached() {
        guard state == .fresh, !flags.isPaused, !breaker.isOpen(at: clock.now) else { return }
        beginFlight(.timer)
    }

    private mutating func retryReached() {
        guard state.isLive, !flags.isPaused, !breaker.isOpen(at: clock.now) else { return }
        beginFlight(tally.lost > 0 ? .lostAnswer : .retry)
    }

    private mutating func hardReached() {
        switch state {
        case .fresh:
            if flags.isPaused || flags.unsaved != nil || breaker.isOpen(at: clock.now) {
                waitWithoutToken()
            } else if held?.tokens.refresh == nil, !traits.renewsByLogin {
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
        let next = max(min(planned ?? dead, dead), flags.stormUntil ?? clock.now)
        timers[.retry] = next
        return next
    }

    /// The access token ended while renewal is held back.
    mutating func waitWithoutToken() {
        let words: String
        var nextAt: Instant?
        var hold: RetryOutlook.Hold?
        if flags.isPaused {
            words = "renewal is paused"
            hold = .paused
        } else if flags.unsaved != nil {
            words = "the last pair is not saved yet"
            nextAt = timers[.saveRetry]
        } else {
            words = "renewal is held back"
            nextAt = flags.stormUntil
        }
        move(
            to: .offline(
                RetryOutlook(
                    failures: 0,
                    failure: RefreshFailure(kind: .notSent, words: words),
                    nextAt: nextAt,
                    hold: hold
                )
            ),
            why: words
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

    private mutating func stormEnded() {
        flags.stormUntil = nil
        breaker.close()
        guard state.isLive, flight == nil, !flags.isPaused, let held else { return }
        let isDue = held.schedule.map { clock.now >= $0.soft } ?? false
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
            if let schedule = held.schedule, clock.now >= schedule.soft { beginFlight(.timer) }
        }
    }

    mutating func openBreaker(until: Instant) {
        flags.stormUntil = until
        timers[.stormEnd] = until
        emit(.storm(until: until))
        failWaiters(.storm(until: until))
    }
}
