import Dialects
import FoundationEssentials
import Timekeeping
import Tokens

/// What follows a refresh that brought no tokens.
extension SessionMachine {
    /// Client faults in a row before the profile itself is in doubt.
    static let clientFaultLimit = 3
    /// Between two refusals without a body of the dialect's shape, in seconds.
    static let bareRefusalGap = 5.0

    mutating func answeredWithout(_ failure: ResponseFailure) {
        switch failure {
        case .transient(let status, let message, let retryAfter):
            // A limit was answered before anything was done; an error page may hide a success.
            if status < 500 { held?.unsettledSends -= 1 }
            flightFailed(
                RefreshFailure(kind: .transient, status: status, message: message ?? ""),
                retryAfter: seconds(until: retryAfter)
            )
        case .clientFault(let status, let message):
            held?.unsettledSends -= 1
            tally.clientFaults += 1
            let failure = RefreshFailure(
                kind: .clientFault,
                status: status,
                message: message ?? "the backend does not understand the request"
            )
            if tally.clientFaults == Self.clientFaultLimit {
                emit(.protocolError(message: failure.message))
            }
            flightFailed(failure, retryAfter: nil)
        case .undecodable(let status, let message):
            answerLost(RefreshFailure(kind: .unknown, status: status, message: message))
        }
    }

    /// The server's wish as seconds from now, not undercut by a clock that may be off.
    func seconds(until retryAfter: RetryAfter?) -> Double? {
        switch retryAfter {
        case nil: nil
        case .seconds(let seconds)?: seconds
        case .date(let date)?:
            date.timeIntervalSince(clock.wall.addingTimeInterval(offset?.low ?? 0))
        }
    }

    mutating func flightFailed(_ failure: RefreshFailure, retryAfter: Double?) {
        let number = flight?.number ?? 0
        let hasSent = flight?.hasSent ?? false
        let isLast = flight?.isLast ?? false
        if isLast {
            endFlightOnceSaved()
        } else if hasSent, (held?.unsettledSends ?? 0) == 0 {
            endFlightOnceSaved()
            commit(currentRecord(journal: nil), as: .save)
        } else {
            endFlight()
        }
        guard !isLast else { return refreshTokenEnded(number: number, failure: failure) }
        retryLater(failure, retryAfter: retryAfter, flight: number)
    }

    /// Arms the next try and says so.
    mutating func retryLater(
        _ failure: RefreshFailure,
        retryAfter: Double?,
        flight number: Int = 0
    ) {
        guard let held else { return }
        if let retryAfter {
            let bounded = retryAfter.clamped(to: 0...RetryPolicy.longestRetryAfter)
            self.held?.notBefore = clock.now.advanced(bySeconds: bounded)
        }
        let isGood = held.isUsable(at: clock.now)
        if isGood { tally.transient += 1 } else { tally.dead += 1 }
        guard !mustGiveUp else { return giveUp(failure, flight: number) }
        guard tally.lost == 0 else {
            tally.sinceLoss += 1
            return askAgainLater(failure, retryAfter: retryAfter, flight: number)
        }
        var nextAt: Instant?
        if !configuration.retriesOnUse {
            nextAt = isGood ? nextTry(held, retryAfter: retryAfter) : nextDeadTry(retryAfter)
        }
        timers[.retry] = nextAt
        let outlook = outlook(after: failure, nextAt: nextAt)
        emit(
            .refreshFailed(
                flight: number,
                failure: failure,
                attempt: tally.inARow,
                nextAt: nextAt
            )
        )
        let why = failure.message
        if isGood {
            move(to: .retrying(outlook), why: why)
            releaseUsers()
        } else {
            move(to: .offline(outlook), why: why)
            failWaiters(.offline(retryAt: nextAt))
        }
        abandonLogoutEverywhere()
    }

    private func outlook(after failure: RefreshFailure, nextAt: Instant?) -> RetryOutlook {
        RetryOutlook(
            failures: tally.inARow,
            failure: failure,
            nextAt: nextAt,
            hold: configuration.retriesOnUse ? .use : nextAt == nil ? .expiry : nil
        )
    }

    /// Who waited for the renewal uses the old access token while it lives, because no other try
    /// will come by itself.
    private mutating func releaseUsers() {
        guard configuration.retriesOnUse else { return }
        grantWaiters()
        failWaiters(.offline(retryAt: nil))
    }

    private var mustGiveUp: Bool {
        guard let limit = configuration.giveUpAfter, let held, !held.isUsable(at: clock.now) else {
            return false
        }
        return tally.inARowWhileDead >= limit
    }

    /// The next try while the access token is good; nil when only `usableUntil` is left to wait
    /// for.
    private mutating func nextTry(_ held: HeldPair, retryAfter: Double?) -> Instant? {
        guard let schedule = held.schedule else {
            let seconds = retries.delayWhenDead(
                failures: tally.transient - 1,
                random: jitter(),
                retryAfter: retryAfter
            )
            return clock.now.advanced(bySeconds: seconds)
        }
        let lastChance = schedule.usableUntil.advanced(
            bySeconds: -retries.lastChanceLead(roundTrip: roundTrip)
        )
        let mayTakeLastChance =
            lastChance > clock.now
            && lastChance >= clock.now.advanced(bySeconds: retryAfter ?? 0)
        guard tally.transient <= RetryPolicy.budget,
            tally.clientFaults < Self.clientFaultLimit
        else { return mayTakeLastChance ? lastChance : nil }
        let delay = retries.delay(
            lifetime: held.access?.lifetime.inSeconds ?? 0,
            window: schedule.usableUntil.seconds(since: schedule.refreshAt),
            remaining: schedule.usableUntil.seconds(since: clock.now),
            failures: tally.transient - 1,
            random: jitter(),
            retryAfter: retryAfter
        )
        let next = clock.now.advanced(bySeconds: delay)
        return next > lastChance && mayTakeLastChance ? lastChance : next
    }

    private mutating func nextDeadTry(_ retryAfter: Double?) -> Instant {
        let seconds = retries.delayWhenDead(
            failures: tally.dead - 1,
            random: jitter(),
            retryAfter: retryAfter
        )
        return clock.now.advanced(bySeconds: seconds)
    }

    /// A refresh was sent and its answer is missing: the token may be spent, or not.
    mutating func answerLost(_ failure: RefreshFailure) {
        let number = flight?.number ?? 0
        let isLast = flight?.isLast ?? false
        if tally.lost == 0 { tally.firstLossAt = clock.now }
        tally.lost += 1
        tally.sinceLoss += 1
        if held?.isUsable(at: clock.now) == false { tally.lostWhileDead += 1 }
        if isLast || mustGiveUp { endFlightOnceSaved() } else { endFlight() }
        guard !isLast else { return refreshTokenEnded(number: number, failure: failure) }
        guard !mustGiveUp else { return giveUp(failure, flight: number) }
        askAgainLater(failure, retryAfter: nil, flight: number)
    }

    /// The same token again, five times close together and then as seldom as when offline.
    private mutating func askAgainLater(
        _ failure: RefreshFailure,
        retryAfter: Double?,
        flight number: Int
    ) {
        guard let held else { return }
        let tries = RetryPolicy.afterLostAnswers
        let isGood = held.isUsable(at: clock.now)
        let isClose = tally.sinceLoss <= tries.count
        let seconds =
            isClose
            ? max(0.25, (retryAfter ?? 0).clamped(to: 0...RetryPolicy.longestRetryAfter))
            : retries.delayWhenDead(
                failures: tally.sinceLoss - tries.count,
                random: jitter(),
                retryAfter: retryAfter
            )
        var nextAt: Instant? = clock.now.advanced(bySeconds: seconds)
        if configuration.retriesOnUse {
            nextAt = nil
        } else if isClose, let first = tally.firstLossAt {
            let wait = tries[tally.sinceLoss - 1] * random.uniform(0.9...1)
            nextAt = nextAt.map { max($0, first.advanced(bySeconds: wait)) }
        }
        timers[.retry] = nextAt
        let outlook = outlook(after: failure, nextAt: nextAt)
        emit(
            .refreshFailed(
                flight: number,
                failure: failure,
                attempt: tally.inARow,
                nextAt: nextAt
            )
        )
        if isGood, isClose {
            move(to: .unknown(outlook), why: failure.message)
        } else {
            move(to: .offline(outlook), why: failure.message)
        }
        if isGood { releaseUsers() } else { failWaiters(.offline(retryAt: nextAt)) }
        abandonLogoutEverywhere()
    }

    /// The backend says that the refresh token is no longer accepted.
    mutating func refused(_ refusal: Refusal) {
        guard let held, let flight else { return }
        let failure = RefreshFailure(
            kind: .refused,
            status: refusal.status,
            message: refusal.message ?? "refused without a word"
        )
        if refusal.isBare, flight.isLast {
            return flightFailed(failure, retryAfter: nil)
        }
        if refusal.isBare {
            let isSecond =
                held.bareRefusalAt.map {
                    clock.now.seconds(since: $0) >= Self.bareRefusalGap
                } ?? false
            if !isSecond {
                if held.bareRefusalAt == nil { self.held?.bareRefusalAt = clock.now }
                self.held?.unsettledSends -= 1
                return flightFailed(failure, retryAfter: Self.bareRefusalGap)
            }
        }
        let notice = RefusalNotice(failure: failure, reason: reason(of: held))
        effects.append(.loadRecord(begin(.readAfterRefusal(flight.number, notice))))
    }

    private func reason(of held: HeldPair) -> SignedOutReason {
        if held.unsettledSends > 1, configuration.rotation != .never { return .lostRotation }
        if let end = held.refresh?.at, clock.now >= end.advanced(bySeconds: -1) {
            return .refreshExpired
        }
        if held.isUnchanged, configuration.rotation != .never { return .consumeWithoutReturn }
        return .revoked
    }

    mutating func readAfterRefusal(
        _ number: Int,
        _ notice: RefusalNotice,
        _ result: Result<VaultRecord?, VaultProblem>
    ) {
        guard let flight, flight.number == number else { return }
        if case .success(let record) = result, follow(record) { return }
        endFlightOnceSaved()
        emit(
            .refreshFailed(
                flight: number,
                failure: notice.failure,
                attempt: tally.inARow + 1,
                nextAt: nil
            )
        )
        // A request was refused with this very access token: nothing is left to live on.
        guard let held, held.isUsable(at: clock.now), flight.cause != .unauthorized else {
            return signOut(notice.reason)
        }
        drain(notice.reason)
    }

    private mutating func refreshTokenEnded(number: Int, failure: RefreshFailure) {
        emit(
            .refreshFailed(
                flight: number,
                failure: failure,
                attempt: tally.inARow + 1,
                nextAt: nil
            )
        )
        guard let held, held.isUsable(at: clock.now) else { return signOut(.refreshExpired) }
        drain(.refreshExpired)
    }

    private mutating func giveUp(_ failure: RefreshFailure, flight number: Int) {
        emit(
            .refreshFailed(flight: number, failure: failure, attempt: tally.inARow, nextAt: nil)
        )
        signOut(.gaveUp)
    }

    /// The access token lives on until `usableUntil`; the refresh token is never sent again.
    mutating func drain(_ reason: SignedOutReason) {
        held?.tokens.refresh = nil
        held?.ending = reason
        timers.clear(.retry, .refreshAt, .refreshEnd)
        emit(.draining(endsAt: held?.schedule?.usableUntil, reason: reason))
        move(to: .draining(reason), why: reason.rawValue)
        commit(currentRecord(journal: nil), as: .save)
        abandonLogoutEverywhere()
        // No newer token will come for those who wait for one.
        grantWaiters()
        failWaiters(.signedOut(reason))
    }
}
