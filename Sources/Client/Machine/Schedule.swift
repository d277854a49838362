import Basics
import Model

/// The timers that the machine waits for besides answers.
enum SessionTimer: Int, Sendable, Hashable, CaseIterable {
    case vaultRetry
    case refreshAt
    case usableUntil
    case retry
    case refreshEnd
    case saveRetry
    case outbox
    /// The circuit breaker closes.
    case breakerOpenUntil
    case probe
    case experiment
    case authorization
    case devicePoll
}

/// At most one instant for each timer; small, so a plain array beats a dictionary.
struct TimerSet: Sendable, Hashable {
    private var instants: [Instant?] = Array(repeating: nil, count: SessionTimer.allCases.count)

    subscript(timer: SessionTimer) -> Instant? {
        get { instants[timer.rawValue] }
        set { instants[timer.rawValue] = newValue }
    }

    var earliest: Instant? {
        var earliest: Instant?
        for case let instant? in instants where earliest.map({ instant < $0 }) ?? true {
            earliest = instant
        }
        return earliest
    }

    /// Takes the timers that are due, the earliest first.
    mutating func takeDue(at now: Instant) -> [SessionTimer] {
        guard let earliest, earliest <= now else { return [] }
        let due = SessionTimer.allCases.compactMap { timer in
            self[timer].flatMap { $0 <= now ? (instant: $0, timer: timer) : nil }
        }
        for entry in due { self[entry.timer] = nil }
        return due.sorted { ($0.instant, $0.timer.rawValue) < ($1.instant, $1.timer.rawValue) }
            .map(\.timer)
    }

    mutating func clear(_ timers: SessionTimer...) {
        for timer in timers { self[timer] = nil }
    }
}

/// The decisions by the clock: when a pair is renewed, and what happens at its ends.
extension ClientMachine {
    /// Decides when a pair is to be renewed.
    ///
    /// - Parameters:
    ///   - pair: The pair.
    ///   - isSpread: Whether many sessions may have got theirs at the same time; not after a renewal
    ///     that was spread itself.
    /// - Returns: The instants, or `nil` if the expiry of its access token is unknown.
    mutating func schedule(_ pair: SessionPair, isSpread: Bool = true) -> RenewalSchedule? {
        guard let access = pair.access else { return nil }
        return configuration.renewal.schedule(
            access: access,
            extendable: SessionLedger.extendableEnd(of: pair, configuration.rules),
            roundTrip: server.roundTrip,
            jitter: jitter(),
            isSpread: isSpread
        )
    }

    mutating func runDueTimers() {
        for timer in timers.takeDue(at: clock.now) {
            switch timer {
            case .vaultRetry: reloadUnavailableVault()
            case .refreshAt: refreshAtReached()
            case .usableUntil: usableUntilReached()
            case .retry: retryReached()
            case .refreshEnd: refreshEndReached()
            case .saveRetry: save()
            case .outbox: sendNextRevocation()
            case .breakerOpenUntil: closeBreaker()
            case .probe: probeTimer()
            case .experiment: experimentTimedOut()
            case .authorization: authorizationTimedOut()
            case .devicePoll: pollForDevice()
            }
        }
        expireWaiters()
    }

    // MARK: - The instants of a pair

    /// Sets the state of the live session by the clock, and its timers.
    mutating func applySchedule(why: StateChangeCause) {
        guard let session = live else { return }
        guard session.tally.lost == 0 else { return enterUnknown(session) }
        let pair = session.pair
        let usableUntil = session.schedule?.usableUntil
        if let ending = pair.ending, pair.tokens.refresh == nil, session.isUsable(at: clock.now) {
            timers[.usableUntil] = usableUntil
            orderFeed(.token(generation: pair.generation, usableUntil: usableUntil))
            if let refusal = pair.refusal { emit(RefreshTokenRefused(refusal)) }
            return endOrDrain(ending, pair.refusal)
        }
        guard let schedule = session.schedule else {
            setLiveState(.fresh, why: why)
            return orderFeed(.token(generation: pair.generation, usableUntil: nil))
        }
        if clock.now >= schedule.usableUntil { return enterExpired(session, schedule, why: why) }
        timers[.refreshAt] = max(schedule.refreshAt, clock.now)
        timers[.usableUntil] = schedule.usableUntil
        setLiveState(.fresh, why: why)
        orderFeed(.token(generation: pair.generation, usableUntil: usableUntil))
        if clock.now >= schedule.refreshAt, pauses.isEmpty {
            timers[.refreshAt] = nil
            beginFlight(.timer)
        }
    }

    /// Sets the state of a session whose access token has expired already, in the vault or on
    /// arrival.
    private mutating func enterExpired(
        _ session: LiveSession,
        _ schedule: RenewalSchedule,
        why: StateChangeCause
    ) {
        // Without a way to renew, the session has ended.
        let canRenew = session.pair.tokens.refresh != nil || configuration.renewsByLogin
        guard pairsWithoutProgress > 1, canRenew else {
            setLiveState(.blocked, why: why)
            if pauses.isEmpty || !canRenew { beginFlight(.timer) }
            if state == .blocked, !isRenewing { waitWithoutToken() }
            return
        }
        let failure = RefreshFailure(.expiredOnArrival)
        let earliest = max(schedule.refreshAt, clock.now.advanced(bySeconds: 1))
        let nextAt = noEarlierThanRequested(earliest)
        timers[.retry] = nextAt
        setLiveState(
            .expired(RetryOutlook(failures: 1, failure: failure, nextAt: nextAt)),
            why: .failure(failure)
        )
        failWaiters(.notRenewed(retryAt: nextAt))
    }

    /// A pair from the vault whose refresh token may have been sent by a process that has recorded
    /// no answer.
    private mutating func enterUnknown(_ session: LiveSession) {
        emit(JournalRecovered())
        let failure = RefreshFailure(.interrupted)
        setLiveState(
            .unknown(RetryOutlook(failures: 1, failure: failure, nextAt: nil)),
            why: .failure(failure)
        )
        if session.isUsable(at: clock.now) {
            let until = session.schedule?.usableUntil
            timers[.usableUntil] = until
            orderFeed(.token(generation: session.pair.generation, usableUntil: until))
        }
        if pauses.isEmpty { beginFlight(.unrecordedAnswer) }
    }

    private mutating func refreshAtReached() {
        guard state == .fresh, pauses.isEmpty else { return }
        beginFlight(.timer)
    }

    private mutating func retryReached() {
        guard stage.isLive, pauses.isEmpty else { return }
        beginFlight(live?.tally.repeatCause ?? .retry)
    }

    private mutating func usableUntilReached() {
        guard stage.isLive, let session = live else { return }
        switch session.liveState {
        case .fresh:
            if !pauses.isEmpty || storage.unsaved != nil {
                waitWithoutToken()
            } else if session.pair.tokens.refresh == nil, !configuration.renewsByLogin {
                signOut(.accessExpired)
            } else {
                beginFlight(.timer)
            }
        case .renewing: setLiveState(.blocked, why: .accessTokenEnded)
        case .retrying where isRenewing: setLiveState(.blocked, why: .accessTokenEnded)
        case .retrying(var outlook), .unknown(var outlook):
            if !isRenewing, outlook.hold != .use {
                outlook.nextAt = nextTryOnceExpired(planned: outlook.nextAt)
                outlook.hold = pauses.isEmpty ? nil : .paused
            }
            setLiveState(.expired(outlook), why: .accessTokenEnded)
            if !isRenewing { failWaiters(.notRenewed(retryAt: outlook.nextAt)) }
        case .draining(let reason): signOut(reason)
        case .blocked, .expired: break
        }
    }

    /// When the next try is due that was planned while the access token was good.
    private mutating func nextTryOnceExpired(planned: Instant?) -> Instant? {
        if !pauses.isEmpty { return nil }
        if storage.unsaved != nil { return timers[.saveRetry] }
        let requested = live?.ledger.notBefore?.seconds(since: clock.now)
        let latest = clock.now.advanced(bySeconds: wait(requested, isExpired: true))
        let next = noEarlierThanRequested(min(planned ?? latest, latest))
        timers[.retry] = next
        return next
    }

    /// The access token ended while renewal is held back.
    private mutating func waitWithoutToken() {
        let cause: RefreshFailure.Cause
        var nextAt: Instant?
        var hold: RetryOutlook.Hold?
        if !pauses.isEmpty {
            cause = .paused
            hold = .paused
        } else if let problem = storage.unsaved {
            cause = .unsaved(problem)
            nextAt = timers[.saveRetry]
        } else {
            return
        }
        let failure = RefreshFailure(cause)
        setLiveState(
            .expired(
                RetryOutlook(
                    failures: 0,
                    failure: failure,
                    nextAt: nextAt,
                    hold: hold
                )
            ),
            why: .failure(failure)
        )
    }

    /// The refresh token has ended: one last flight, unless its end was only assumed.
    private mutating func refreshEndReached() {
        guard stage.isLive, let pair = held, let end = pair.refresh, !end.expiry.isAssumed,
            pair.tokens.refresh != nil, pauses.isEmpty
        else { return }
        if flight != nil {
            changeFlight { $0.isLast = true }
        } else {
            beginFlight(.timer, isLast: true)
        }
    }

    // MARK: - What holds renewals back

    mutating func openBreaker(until: Instant) {
        timers[.breakerOpenUntil] = until
        emit(CircuitBreakerOpened(until: until))
        failWaiters(.circuitBreakerOpened(until: until))
    }

    /// Ends what refusals hold back: a request with the token in use was accepted, or the time is over.
    mutating func closeBreaker() {
        breaker.close()
        timers[.breakerOpenUntil] = nil
    }

    /// Counts a login, of this process or one that it adopts: what its refusals showed before is
    /// void, and generations begin at 1 again.
    mutating func countLogin() {
        loginCount += 1
        breaker = Breaker()
        timers[.breakerOpenUntil] = nil
    }

    /// Whether a refused access token is renewed.
    var renewsOnRejection: Bool { !pauses.values.contains(.all) }

    /// Whether a pause or, for one that a refusal starts, the circuit breaker holds back a renewal with
    /// this cause.
    func isHeldBack(_ cause: RefreshCause) -> Bool {
        switch cause {
        case .user: false
        case .timer, .retry, .lostAnswer, .unusableAnswer, .unrecordedAnswer:
            !pauses.isEmpty
        case .unauthorized, .tokenRefused, .feed, .caller, .app:
            !renewsOnRejection || breaker.isOpen(at: clock.now)
        }
    }

    /// Whether requests go on with the access token after its end.
    var sendsExpiredTokens: Bool { pauses[.user] != nil }

    mutating func setPaused(_ extent: PauseExtent?, by cause: PauseCause) {
        guard pauses[cause] != extent else { return }
        pauses[cause] = extent
        if let extent {
            emit(RenewalPaused(extent, by: cause))
        } else {
            emit(RenewalResumed(by: cause))
        }
        guard !isHeldBack(.timer), stage.isLive, flight == nil else { return }
        switch state {
        case .retrying, .expired, .unknown: beginFlight(.timer)
        default:
            if let schedule, clock.now >= schedule.refreshAt { beginFlight(.timer) }
        }
    }
}
