import Dialects
import FoundationEssentials
import Timekeeping
import Tokens

/// What the events tell of a renewal besides the new pair.
struct Renewal: Sendable, Hashable {
    var flight: Int
    var cause: RefreshCause
    var roundTrip: Duration
    /// What was left of the old access token.
    var leadLeft: Duration
    /// The answer to an earlier send of the same token had been lost.
    var recovered: Bool
}

/// How a pair becomes the one in use.
extension SessionMachine {
    /// The pair of a first login.
    mutating func firstPair(_ issued: IssuedTokens, sentAt: Moment) -> HeldPair {
        var pair = HeldPair(
            family: String(random.next(), radix: 16),
            generation: 1,
            tokens: TokenPair(access: issued.access, refresh: issued.refresh),
            issuedAt: sentAt,
            access: deadline(issued.accessEvidence, sentAt: sentAt),
            refresh: issued.refresh == nil ? nil : deadline(issued.refreshEvidence, sentAt: sentAt),
            refreshIssuedAt: sentAt,
            subject: issued.subject,
            displayName: issued.displayName,
            account: issued.account
        )
        pair.schedule = schedule(pair)
        return pair
    }

    /// The pair that follows: `new ?? old`, because an absent refresh token keeps the old one.
    mutating func successor(
        of old: HeldPair,
        issued: IssuedTokens,
        sentAt: Moment
    ) -> HeldPair {
        let refresh = issued.refresh ?? old.tokens.refresh
        let isNew = refresh != old.tokens.refresh
        var pair = HeldPair(
            family: old.family,
            generation: old.generation + 1,
            tokens: TokenPair(access: issued.access, refresh: refresh),
            issuedAt: sentAt,
            access: deadline(issued.accessEvidence, sentAt: sentAt),
            refresh: old.refresh,
            refreshIssuedAt: isNew ? sentAt : old.refreshIssuedAt,
            subject: issued.subject ?? old.subject,
            displayName: issued.displayName ?? old.displayName,
            account: issued.account.isEmpty ? old.account : issued.account
        )
        // What the same token says of itself was read when it was new, with a younger `iat`.
        let isStated = issued.refreshEvidence.contains { evidence in
            switch evidence {
            case .lifetime, .instant, .inferredZone: true
            case .webToken: old.refresh?.expiry.source != .webTokenLifetime
            case .documented: false
            }
        }
        if isNew || isStated || configuration.refreshSlides {
            if let end = deadline(issued.refreshEvidence, sentAt: sentAt) {
                // Its end counts from this answer, for whoever reads it in the vault too.
                pair.refresh = end
                pair.refreshIssuedAt = sentAt
            }
        }
        if isNew, issued.refreshEvidence.isEmpty { pair.refresh = old.refresh?.assumed }
        pair.isUnchanged = issued.refresh == nil
        let wasForIt = flight.map { $0.isForRefreshToken || $0.isLast } ?? false
        pair.hasFixedExpiry = (old.hasFixedExpiry || wasForIt) && !movesEndOn(old, pair)
        pair.schedule = schedule(pair)
        return pair
    }

    /// Whether the refresh token's end is noticeably later than before, be it the same token or
    /// not.
    private func movesEndOn(_ old: HeldPair, _ new: HeldPair) -> Bool {
        guard let before = old.refresh, let after = new.refresh else { return false }
        return after.at.seconds(since: before.at) >= max(1, before.lifetime.inSeconds / 20)
    }

    private func deadline(_ evidence: [ExpiryEvidence], sentAt: Moment) -> Deadline? {
        Expiry.weighing(evidence, sentAt: sentAt.wall, offset: offset)
            .map { Deadline($0, sentAt: sentAt.now) }
    }

    /// The refresh token's end where a refresh may move it on.
    func extendable(_ pair: HeldPair) -> Deadline? {
        guard pair.tokens.refresh != nil, !pair.hasFixedExpiry, configuration.rotation != .never
        else {
            return nil
        }
        return pair.refresh
    }

    mutating func schedule(_ pair: HeldPair) -> RenewalSchedule? {
        guard let access = pair.access else { return nil }
        return configuration.renewal.schedule(
            access: access,
            extendable: extendable(pair),
            roundTrip: roundTrip,
            jitter: jitter()
        )
    }

    /// Makes the pair the one in use, and tells everybody.
    mutating func publish(
        _ pair: HeldPair,
        origin: PairDescription.Origin,
        rotated: Bool,
        renewal: Renewal? = nil,
        tally: FailureTally = FailureTally()
    ) {
        let previous = held
        held = pair
        self.tally = tally
        timers.clear(.retry, .refreshAt, .usableUntil, .refreshEnd)
        slowDownWithoutProgress(previous, origin: origin, renewal: renewal)
        if let renewal { emitRenewal(renewal, rotated: rotated) }
        emit(.tokensIssued(describe(origin: origin, rotated: rotated)))
        emitMismatches()
        // An end that has passed, or that no refresh moves on, gets no flight of its own.
        let isOver = pair.hasFixedExpiry || pair.hasRefreshEnded(at: clock.now)
        timers[.refreshEnd] = isOver || pair.tokens.refresh == nil ? nil : pair.refresh?.at
        enterZone(why: renewal?.cause.rawValue ?? origin.rawValue)
        grantWaiters()
        continueLogoutEverywhere()
    }

    private mutating func emitRenewal(_ renewal: Renewal, rotated: Bool) {
        emit(
            .refreshSucceeded(
                flight: renewal.flight,
                roundTrip: renewal.roundTrip,
                leadLeft: renewal.leadLeft,
                rotated: rotated
            )
        )
        if renewal.recovered { emit(.graceRecovered) }
    }

    /// A new token that is dead on arrival, or ends no later than the old one, would be renewed
    /// again at once, for ever.
    private mutating func slowDownWithoutProgress(
        _ previous: HeldPair?,
        origin: PairDescription.Origin,
        renewal: Renewal?
    ) {
        guard let held, isDeadOnArrival(held, origin) || isNoLater(held, than: previous, renewal)
        else {
            noProgressCount = 0
            return
        }
        noProgressCount += 1
        // A backend that tells the same successor again may tell one whose access token is over.
        guard noProgressCount > 1 || held.isUsable(at: clock.now) else { return }
        emit(.noProgress)
        let delay = min(2 * Double(1 << min(noProgressCount, 8)), 300)
        let earliest = clock.now.advanced(bySeconds: delay)
        if let schedule = held.schedule {
            self.held?.schedule?.refreshAt = max(schedule.refreshAt, earliest)
        }
    }

    private func isDeadOnArrival(_ held: HeldPair, _ origin: PairDescription.Origin) -> Bool {
        switch origin {
        case .login, .refresh: !held.isUsable(at: clock.now)
        case .resumed, .adopted, .imported: false
        }
    }

    private func isNoLater(
        _ held: HeldPair,
        than previous: HeldPair?,
        _ renewal: Renewal?
    ) -> Bool {
        guard let renewal, renewal.cause != .person, let access = held.access,
            let before = previous?.access
        else { return false }
        return access.at.seconds(since: before.at) < max(1, access.lifetime.inSeconds / 20)
    }

    /// Where a pair stands by the clock, with the timers that this needs.
    mutating func enterZone(why: String) {
        guard let held else { return }
        guard tally.lost == 0 else { return enterUnknown(held) }
        if let ending = held.ending, held.tokens.refresh == nil, held.isUsable(at: clock.now) {
            let until = held.schedule?.usableUntil
            timers[.usableUntil] = until
            effects.append(.feed(.token(generation: held.generation, usableUntil: until)))
            return drain(ending)
        }
        guard let schedule = held.schedule else {
            move(to: .fresh, why: why)
            return effects.append(.feed(.token(generation: held.generation, usableUntil: nil)))
        }
        if clock.now >= schedule.usableUntil { return enterDead(held, schedule, why: why) }
        timers[.refreshAt] = max(schedule.refreshAt, clock.now)
        timers[.usableUntil] = schedule.usableUntil
        move(to: .fresh, why: why)
        effects.append(
            .feed(.token(generation: held.generation, usableUntil: schedule.usableUntil))
        )
        if clock.now >= schedule.refreshAt, !flags.isPaused, !breaker.isOpen(at: clock.now) {
            timers[.refreshAt] = nil
            beginFlight(.timer)
        }
    }

    /// A pair whose access token is over already: read from the vault, or dead on arrival.
    private mutating func enterDead(
        _ held: HeldPair,
        _ schedule: RenewalSchedule,
        why: String
    ) {
        // Without anything to renew with there is nothing to hold back: the session is over.
        let canRenew = held.tokens.refresh != nil || configuration.renewsByLogin
        guard noProgressCount > 1, canRenew else {
            move(to: .blocked, why: why)
            if !flags.isPaused || !canRenew { beginFlight(.timer) }
            if state == .blocked, flight == nil, !wake.isProbing { waitWithoutToken() }
            return
        }
        let failure = RefreshFailure(
            kind: .clientFault,
            message: "the new access token has already ended: compare the clocks"
        )
        let nextAt = max(schedule.refreshAt, clock.now.advanced(bySeconds: 1))
        timers[.retry] = nextAt
        move(
            to: .offline(RetryOutlook(failures: 1, failure: failure, nextAt: nextAt)),
            why: failure.message
        )
        failWaiters(.offline(retryAt: nextAt))
    }

    /// A pair from the vault whose refresh token was sent by a process that did not live to see the
    /// answer.
    private mutating func enterUnknown(_ held: HeldPair) {
        emit(.journalRecovered)
        let failure = RefreshFailure(kind: .unknown, message: "stopped while renewing")
        move(
            to: .unknown(RetryOutlook(failures: 1, failure: failure, nextAt: nil)),
            why: failure.message
        )
        if held.isUsable(at: clock.now) {
            timers[.usableUntil] = held.schedule?.usableUntil
            let until = held.schedule?.usableUntil
            effects.append(.feed(.token(generation: held.generation, usableUntil: until)))
        }
        if !flags.isPaused { beginFlight(.lostAnswer) }
    }

    mutating func adopt(_ stored: StoredPair, of record: VaultRecord) {
        endFlight()
        postponed = nil
        if flags.unsaved != nil {
            revokeOrphan(unless: record.family)
            noteSaved()
        }
        returnLock()
        timers[.probe] = nil
        wake.isProbing = false
        let times = StoredTimes(savedAt: record.savedAt, now: clock)
        if times.setBack == 0 { offset = offset ?? stored.offset }
        let rotated = stored.tokens.refresh != held?.tokens.refresh
        var pair = HeldPair(stored: stored, family: record.family, times: times)
        pair.schedule = schedule(pair)
        emit(.adopted(fromProcess: nil))
        publish(pair, origin: .adopted, rotated: rotated)
    }

    private func describe(origin: PairDescription.Origin, rotated: Bool) -> PairDescription {
        func description(_ secret: Secret) -> TokenDescription {
            TokenDescription(of: secret, fingerprint: fingerprinter.fingerprint(of: secret))
        }
        let access = held.map { description($0.tokens.access.secret) }
        return PairDescription(
            origin: origin,
            access: access ?? description(Secret("")),
            refresh: held?.tokens.refresh.map { description($0.secret) },
            issuedAt: held?.issuedAt ?? clock,
            accessExpiry: held?.access,
            refreshExpiry: held?.tokens.refresh == nil ? nil : held?.refresh,
            schedule: held?.schedule,
            rotated: rotated,
            subject: held?.subject,
            displayName: held?.displayName,
            account: held?.account ?? []
        )
    }

    private mutating func emitMismatches() {
        if let readings = held?.access?.expiry.mismatch, !readings.isEmpty {
            emit(.expiryMismatch(token: .access, readings: readings))
        }
        if let readings = held?.refresh?.expiry.mismatch, !readings.isEmpty {
            emit(.expiryMismatch(token: .refresh, readings: readings))
        }
    }
}
