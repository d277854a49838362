import Basics
import Model
import Profiles

/// Publication: the last step of everything that obtains a pair.
extension ClientMachine {
    /// The facts of a renewal that are published beside the new pair.
    struct Renewal: Sendable {
        let flight: Int
        let cause: RefreshCause
        let roundTrip: Duration
        /// The remaining lifetime of the old access token.
        let remainingLead: Duration
        /// The fate of the answer to an earlier send of the same token, if it is missing.
        let recovered: MissingAnswer?
        /// Whether it was to replace the access token, so that a later expiry is expected.
        let isForAccessToken: Bool
    }

    /// Makes the pair the one in use, and publishes it.
    ///
    /// - Parameters:
    ///   - next: The pair, which is stored unless the vault cannot be written.
    ///   - origin: The origin of the pair.
    ///   - rotated: Whether its refresh token is a new one.
    ///   - renewal: The renewal that obtained it.
    ///   - request: The number of the refresh that brought it.
    ///   - journal: The journal of a process that may have sent its refresh token, and has recorded
    ///     no answer.
    mutating func publish(
        _ next: ScheduledPair,
        origin: PairDescription.Origin,
        rotated: Bool,
        renewal: Renewal? = nil,
        request: Int? = nil,
        journal: FlightJournal? = nil
    ) {
        let previous = held
        var ledger = live?.ledger ?? SessionLedger(next.pair, rules: configuration.rules)
        ledger.begin(next.pair, unsettledSends: journal?.sends ?? 0)
        var session = LiveSession(ledger: ledger, schedule: next.schedule)
        if journal != nil {
            session.tally = FailureTally(
                lost: 1,
                sinceLoss: 1,
                firstLossAt: clock.now,
                lastLoss: .unrecorded
            )
        }
        if countsAsExpired(next.pair, origin) {
            session.schedule = RenewalSchedule(refreshAt: clock.now, usableUntil: clock.now)
        }
        stage = .live(session)
        timers.clear(.retry, .refreshAt, .usableUntil, .refreshEnd)
        slowDownWithoutProgress(previous, origin: origin, renewal: renewal)
        if let renewal { emitRenewal(renewal, rotated: rotated) }
        emitPair(origin: origin, rotated: rotated, request: request)
        if origin == .refresh, let before = previous?.subject, let after = next.pair.subject,
            before != after
        {
            emit(UserChange(before: before, after: after, isUsed: true))
        }
        if origin == .refresh, !configuration.refreshNamesScope, let previous {
            let lost = next.pair.lostScopes(after: previous)
            if !lost.isEmpty { emit(ScopesLost(lost)) }
        }
        setRefreshEnd(of: next.pair)
        applySchedule(why: renewal.map { .renewal($0.cause) } ?? .pair(origin))
        if renewal != nil || origin == .adopted { experimentRenewed(origin) }
        grantWaiters()
        continueLogoutEverywhere()
        if let result = refreshResult(of: origin, renewal) { finish(.refresh(result)) }
    }

    /// Describes the pair in use.
    mutating func emitPair(
        origin: PairDescription.Origin,
        rotated: Bool,
        request: Int?,
        keepsAccess: Bool = false
    ) {
        guard let session = live else { return }
        let kinds = session.ledger.events(
            origin: origin,
            rotated: rotated,
            keepsAccess: keepsAccess,
            usableUntil: schedule?.usableUntil,
            captures: configuration.describe(session.pair.tokens.captures, naming: fingerprinter),
            request: request,
            naming: fingerprinter
        )
        for kind in kinds { emit(kind) }
    }

    /// Sets the timer of the refresh token's end: one that has passed, or that no refresh extends, has
    /// no flight.
    mutating func setRefreshEnd(of pair: SessionPair) {
        let isOver = pair.hasFixedExpiry || pair.hasRefreshEnded(at: clock.now)
        timers[.refreshEnd] = isOver || pair.tokens.refresh == nil ? nil : pair.refresh?.at
    }

    private func refreshResult(
        of origin: PairDescription.Origin,
        _ renewal: Renewal?
    ) -> RefreshResult? {
        switch origin {
        case .refresh: .renewed(roundTrip: renewal?.roundTrip)
        case .adopted: .adopted
        case .login: .loggedIn
        case .resumed, .imported, .joined: nil
        }
    }

    /// Whether the profile has the access token renewed before its first use, because nothing states
    /// when it ends; what a renewal has brought is used.
    private func countsAsExpired(_ pair: SessionPair, _ origin: PairDescription.Origin) -> Bool {
        guard configuration.renewsUnstated, pair.tokens.refresh != nil,
            pair.access?.expiry.isAssumed ?? true
        else { return false }
        return switch origin {
        case .login, .resumed, .imported: true
        case .refresh, .adopted, .joined: false
        }
    }

    private mutating func emitRenewal(_ renewal: Renewal, rotated: Bool) {
        emit(
            RefreshSucceeded(
                flight: renewal.flight,
                roundTrip: renewal.roundTrip,
                remainingLead: renewal.remainingLead,
                rotated: rotated
            )
        )
        if let missing = renewal.recovered { emit(GraceRecovered(after: missing)) }
    }

    /// Postpones the next renewal if the new token has expired on arrival, or expires no later than
    /// the old one, because it would be renewed again at once, endlessly.
    private mutating func slowDownWithoutProgress(
        _ previous: SessionPair?,
        origin: PairDescription.Origin,
        renewal: Renewal?
    ) {
        guard let session = live,
            isExpiredOnArrival(session, origin) || isNoLater(session.pair, than: previous, renewal)
        else {
            // Another process's pair that has ended since says nothing.
            let isOld = origin == .adopted && live?.isUsable(at: clock.now) == false
            if !isOld { pairsWithoutProgress = 0 }
            return
        }
        pairsWithoutProgress += 1
        // A backend that repeats the same successor may repeat one whose access token has expired.
        guard pairsWithoutProgress > 1 || session.isUsable(at: clock.now) else { return }
        emit(NoProgress())
        let delay = min(2 * Double(1 << min(pairsWithoutProgress, 8)), 300)
        let earliest = clock.now.advanced(bySeconds: delay)
        if let schedule = session.schedule {
            live?.schedule?.refreshAt = max(schedule.refreshAt, earliest)
        }
    }

    private func isExpiredOnArrival(_ session: LiveSession, _ origin: PairDescription.Origin)
        -> Bool
    {
        switch origin {
        case .login, .refresh: !session.isUsable(at: clock.now)
        // When its answer came is not stored.
        case .adopted: !session.isUsable(at: session.pair.issuedAt.now)
        case .resumed, .imported, .joined: false
        }
    }

    /// Whether a renewal has moved the access token's end on by less than half of the time since the
    /// old token was issued: one that is replaced soon after it was issued, because it was refused,
    /// cannot bring much more.
    private func isNoLater(
        _ pair: SessionPair,
        than previous: SessionPair?,
        _ renewal: Renewal?
    ) -> Bool {
        guard let renewal, renewal.isForAccessToken, let previous, let access = pair.access,
            let before = previous.access
        else { return false }
        let elapsed = pair.issuedAt.now.seconds(since: previous.issuedAt.now)
        return access.at.seconds(since: before.at)
            < min(max(1, access.lifetime.inSeconds / 20), elapsed / 2)
    }
}
