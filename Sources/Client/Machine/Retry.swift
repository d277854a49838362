import Basics
import Model
import Profiles

/// The handling of a refresh without new tokens.
extension ClientMachine {
    /// Client faults in a row before the profile itself is in doubt.
    static let clientFaultLimit = 3

    /// Ends the flight without a new pair; the refresh token is unchanged.
    mutating func flightFailed(_ failure: RefreshFailure, retryAfter: Double?) {
        guard let flight, let session = live else { return }
        if flight.isLast {
            endFlightOnceSaved()
            return refreshTokenEnded(number: flight.number, failure: failure)
        }
        if flight.hasSent, session.ledger.unsettledSends == 0 {
            endFlightOnceSaved()
            commit(currentRecord(journal: nil), as: .save)
        } else {
            endFlight()
        }
        retryLater(failure, retryAfter: retryAfter, flight: flight.number)
    }

    mutating func recordClientFault(_ failure: RefreshFailure) {
        live?.tally.clientFaults += 1
        guard live?.tally.clientFaults == Self.clientFaultLimit else { return }
        emit(ProtocolError(failure))
    }

    /// Counts the same answers to a request that has worked: there is hardly another reason for them
    /// than its token, but it may be another one.
    mutating func recordDoubt(_ failure: RefreshFailure) {
        guard let session = live, session.pair.generation > 1, failure.mayBeAboutToken else {
            return
        }
        let isSame = session.tally.doubtStatus == failure.status
        live?.tally.doubtStatus = failure.status
        live?.tally.doubts = isSame ? session.tally.doubts + 1 : 1
        guard live?.tally.doubts == Self.clientFaultLimit, failure.kind != .clientFault else {
            return
        }
        emit(ProtocolError(failure))
    }

    /// Whether the refresh token is probably no longer accepted, so that it is sent more rarely.
    private var isTokenInDoubt: Bool { (live?.tally.doubts ?? 0) >= Self.clientFaultLimit }

    /// Schedules the next attempt and publishes it.
    mutating func retryLater(
        _ failure: RefreshFailure,
        retryAfter: Double?,
        flight number: Int = 0
    ) {
        guard let held = live else { return }
        if let retryAfter {
            let bounded = retryAfter.clamped(to: 0...RetryPolicy.longestRetryAfter)
            let until = clock.now.advanced(bySeconds: bounded)
            live?.ledger.serverRequestedWait(until: until)
        }
        // An earlier answer may have requested a longer wait.
        let retryAfter = requestedWait
        let isGood = held.isUsable(at: clock.now)
        if isGood { live?.tally.transient += 1 } else { live?.tally.expired += 1 }
        live?.tally.inRound += 1
        guard !mustGiveUp else { return giveUp(failure, flight: number) }
        guard held.tally.lost == 0 else {
            live?.tally.sinceLoss += 1
            return retryAfterLostAnswer(failure, retryAfter: retryAfter, flight: number)
        }
        let wait = wait(retryAfter, isExpired: !isGood)
        let at = noEarlierThanRequested(clock.now.advanced(bySeconds: wait))
        let nextAt = isGood ? tryWhileUsable(at, retryAfter).map(noEarlierThanRequested) : at
        enterRetry(
            outlook(after: failure, nextAt: nextAt, notBefore: at),
            as: isGood ? LiveState.retrying : LiveState.expired,
            flight: number
        )
    }

    /// Sets the timer of the next try, and says what failed and what follows.
    private mutating func enterRetry(
        _ outlook: RetryOutlook,
        as liveState: (RetryOutlook) -> LiveState,
        flight number: Int
    ) {
        timers[.retry] = outlook.nextAt
        emitFailure(outlook.failure, flight: number, nextAt: outlook.nextAt)
        let next = liveState(outlook)
        setLiveState(next, why: .failure(outlook.failure))
        if case .expired = next {
            failWaiters(.notRenewed(retryAt: outlook.nextAt))
        } else {
            releaseUsers(outlook)
        }
        abandonLogoutEverywhere()
        finishRefresh(after: outlook)
    }

    /// The time until the next try in seconds, which grows with each failure.
    ///
    /// - Parameters:
    ///   - retryAfter: The wait that the server requested, in seconds.
    ///   - isExpired: Whether the access token can no longer be used.
    /// - Returns: The time, with jitter.
    mutating func wait(_ retryAfter: Double?, isExpired: Bool) -> Double {
        retries.delay(
            window: schedule.map { $0.usableUntil.seconds(since: $0.refreshAt) },
            failures: (live?.tally.inARow ?? 1) - 1,
            isExpired: isExpired && !isTokenInDoubt,
            random: jitter(),
            retryAfter: retryAfter
        )
    }

    /// The rest of the wait that the server has requested, in seconds, or `nil` if it is over.
    private var requestedWait: Double? {
        guard let notBefore = live?.ledger.notBefore, notBefore > clock.now else { return nil }
        return notBefore.seconds(since: clock.now)
    }

    /// Returns the instant of a retry, or a later one if the server has requested that.
    func noEarlierThanRequested(_ instant: Instant) -> Instant {
        max(instant, live?.ledger.notBefore ?? instant)
    }

    mutating func emitFailure(
        _ failure: RefreshFailure,
        flight number: Int,
        attempt: Int? = nil,
        nextAt: Instant? = nil
    ) {
        emit(
            RefreshFailed(
                flight: number,
                failure: failure,
                attempt: attempt ?? live?.tally.inARow ?? 0,
                nextAt: nextAt
            )
        )
    }

    /// The outlook after a failure: the next try by timer, or the next use of the access token once
    /// the attempts of the profile are used up, which then starts no try before the time of the
    /// next.
    private func outlook(
        after failure: RefreshFailure,
        nextAt: Instant?,
        notBefore: Instant
    ) -> RetryOutlook {
        let tally = live?.tally ?? FailureTally()
        let waitsForUse = configuration.attempts.map { tally.inRound >= $0 } ?? false
        return RetryOutlook(
            failures: tally.inARow,
            failure: failure,
            nextAt: waitsForUse ? nil : nextAt,
            hold: waitsForUse ? .use : nextAt == nil ? .expiry : nil,
            notBefore: waitsForUse ? notBefore : nil
        )
    }

    /// Serves those that wait with the old access token while it lives, unless the profile has it
    /// renewed first; none waits for a try that no timer starts.
    private mutating func releaseUsers(_ outlook: RetryOutlook) {
        grantWaiters()
        guard outlook.hold == .use || configuration.renewsBeforeUse else { return }
        failWaiters(.notRenewed(retryAt: outlook.nextAt))
    }

    private var mustGiveUp: Bool {
        guard let limit = configuration.giveUpAfter, let session = live,
            !session.isUsable(at: clock.now)
        else { return false }
        return session.tally.inARowWhileExpired >= limit
    }

    /// Returns when the next try begins while the access token is usable: at an instant, or at the
    /// last chance before that; `nil` if there is none before `usableUntil`.
    private func tryWhileUsable(_ next: Instant, _ retryAfter: Double?) -> Instant? {
        guard let session = live, let schedule = session.schedule else { return next }
        let lastChance = schedule.usableUntil.advanced(
            bySeconds: -retries.lastChanceLead(roundTrip: server.roundTrip)
        )
        let mayTakeLastChance =
            lastChance > clock.now
            && lastChance >= clock.now.advanced(bySeconds: retryAfter ?? 0)
        guard session.tally.transient <= RetryPolicy.budget,
            session.tally.clientFaults < Self.clientFaultLimit, !isTokenInDoubt
        else { return mayTakeLastChance ? lastChance : nil }
        return next > lastChance && mayTakeLastChance ? lastChance : next
    }

    // MARK: - A lost answer

    /// A refresh was sent, and its answer is missing or unusable: the token may be spent, or not.
    mutating func answerLost(_ failure: RefreshFailure) {
        guard let flight, let session = live else { return }
        var tally = session.tally
        if tally.lost == 0 { tally.firstLossAt = clock.now }
        tally.lost += 1
        tally.sinceLoss += 1
        tally.inRound += 1
        tally.lastLoss = failure.missingAnswer
        if !session.isUsable(at: clock.now) { tally.lostWhileExpired += 1 }
        live?.tally = tally
        if flight.isLast || mustGiveUp { endFlightOnceSaved() } else { endFlight() }
        guard !flight.isLast else {
            return refreshTokenEnded(number: flight.number, failure: failure)
        }
        guard !mustGiveUp else { return giveUp(failure, flight: flight.number) }
        retryAfterLostAnswer(failure, retryAfter: nil, flight: flight.number)
    }

    /// Schedules the same token again: five times in short order, then at growing intervals of up to
    /// a minute.
    private mutating func retryAfterLostAnswer(
        _ failure: RefreshFailure,
        retryAfter: Double?,
        flight number: Int
    ) {
        guard let session = live else { return }
        let tally = session.tally
        let tries = RetryPolicy.afterLostAnswers
        let isGood = session.isUsable(at: clock.now)
        let isClose = tally.sinceLoss <= tries.count
        let seconds =
            isClose
            ? max(0.25, (retryAfter ?? 0).clamped(to: 0...RetryPolicy.longestRetryAfter))
            // Longer than the last of them.
            : retries.delay(
                window: nil,
                failures: tally.sinceLoss - tries.count + 3,
                isExpired: true,
                random: jitter(),
                retryAfter: retryAfter
            )
        var nextAt = clock.now.advanced(bySeconds: seconds)
        if isClose, let first = tally.firstLossAt {
            let wait = tries[tally.sinceLoss - 1] * random.uniform(0.9...1)
            nextAt = max(nextAt, first.advanced(bySeconds: wait))
        }
        nextAt = noEarlierThanRequested(nextAt)
        enterRetry(
            outlook(after: failure, nextAt: nextAt, notBefore: nextAt),
            as: isGood ? LiveState.unknown : LiveState.expired,
            flight: number
        )
    }
}
