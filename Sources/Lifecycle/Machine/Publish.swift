import Dialects
import Timekeeping
import Tokens

/// Whatever brings a pair ends here: it is the one in use from now on, and everybody is told.
extension ClientMachine {
    /// What the events tell of a renewal besides the new pair.
    struct Renewal: Sendable {
        let flight: Int
        let cause: RefreshCause
        let roundTrip: Duration
        /// What was left of the old access token.
        let leadLeft: Duration
        /// The answer to an earlier send of the same token had been lost.
        let recovered: Bool
        /// It was due for the access token's sake, so that a later end is what it was for.
        let isForAccessToken: Bool
    }

    /// Makes the pair the one in use, and tells everybody.
    ///
    /// - Parameters:
    ///   - next: The pair, which the vault holds if it can be written at all.
    ///   - origin: Where it comes from.
    ///   - rotated: Whether its refresh token is a new one.
    ///   - renewal: The renewal that brought it.
    ///   - journal: Of a process that sent its refresh token and died before the answer.
    mutating func publish(
        _ next: ScheduledPair,
        origin: PairDescription.Origin,
        rotated: Bool,
        renewal: Renewal? = nil,
        journal: FlightJournal? = nil
    ) {
        let previous = held
        var ledger = live?.ledger ?? SessionLedger(next.pair, rules: configuration.rules)
        ledger.begin(next.pair, unsettledSends: journal?.sends ?? 0)
        var session = LiveSession(ledger: ledger, schedule: next.schedule)
        if journal != nil {
            session.tally = FailureTally(lost: 1, sinceLoss: 1, firstLossAt: clock.now)
        }
        stage = .live(session)
        timers.clear(.retry, .refreshAt, .usableUntil, .refreshEnd)
        slowDownWithoutProgress(previous, origin: origin, renewal: renewal)
        if let renewal { emitRenewal(renewal, rotated: rotated) }
        let kinds = ledger.events(
            origin: origin,
            rotated: rotated,
            usableUntil: schedule?.usableUntil,
            naming: fingerprinter
        )
        for kind in kinds { emit(kind) }
        // An end that has passed, or that no refresh moves on, gets no flight of its own.
        let pair = next.pair
        let isOver = pair.hasFixedExpiry || pair.hasRefreshEnded(at: clock.now)
        timers[.refreshEnd] = isOver || pair.tokens.refresh == nil ? nil : pair.refresh?.at
        enterZone(why: renewal.map { .renewal($0.cause) } ?? .pair(origin))
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
        _ previous: SessionPair?,
        origin: PairDescription.Origin,
        renewal: Renewal?
    ) {
        guard let session = live,
            isDeadOnArrival(session, origin) || isNoLater(session.pair, than: previous, renewal)
        else {
            pairsWithoutProgress = 0
            return
        }
        pairsWithoutProgress += 1
        // A backend that tells the same successor again may tell one whose access token is over.
        guard pairsWithoutProgress > 1 || session.isUsable(at: clock.now) else { return }
        emit(.noProgress)
        let delay = min(2 * Double(1 << min(pairsWithoutProgress, 8)), 300)
        let earliest = clock.now.advanced(bySeconds: delay)
        if let schedule = session.schedule {
            live?.schedule?.refreshAt = max(schedule.refreshAt, earliest)
        }
    }

    private func isDeadOnArrival(_ session: LiveSession, _ origin: PairDescription.Origin) -> Bool {
        switch origin {
        case .login, .refresh: !session.isUsable(at: clock.now)
        case .resumed, .adopted, .imported: false
        }
    }

    private func isNoLater(
        _ pair: SessionPair,
        than previous: SessionPair?,
        _ renewal: Renewal?
    ) -> Bool {
        guard let renewal, renewal.isForAccessToken, let access = pair.access,
            let before = previous?.access
        else { return false }
        return access.at.seconds(since: before.at) < max(1, access.lifetime.inSeconds / 20)
    }
}
