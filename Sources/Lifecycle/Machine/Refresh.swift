import Dialects
import Timekeeping
import Tokens

/// The flight is the only code that sends a refresh token. From top to bottom: acquire the lock,
/// read the vault again, adopt what is newer or write the journal, send, commit, publish.
extension ClientMachine {
    /// A person wants the pair renewed.
    mutating func refreshNow() {
        switch state {
        case .fresh, .renewing, .retrying, .blocked, .offline, .unknown:
            guard flight == nil else { return }
            beginFlight(.person)
        case .draining:
            emit(.actionRejected(message: "the refresh token is refused: log in again"))
        case .signedOut, .signingIn, .signingOut, .cold, .vaultUnavailable:
            emit(.actionRejected(message: "there is no session to renew"))
        }
    }

    // MARK: - Acquire the lock

    mutating func beginFlight(_ cause: RefreshCause, isLast: Bool = false) {
        guard stage.isLive, let session = live, flight == nil else { return }
        guard session.pair.tokens.refresh != nil else { return renewWithoutRefreshToken() }
        guard storage.unsaved == nil else {
            flightLock.postponed = PostponedFlight(cause: cause, isLast: isLast)
            timers[.saveRetry] = clock.now
            return
        }
        if let notBefore = session.ledger.notBefore, notBefore > clock.now, cause != .person {
            return waitUntil(notBefore)
        }
        guard flightLock.keptUntilSaved == nil else {
            flightLock.postponed = PostponedFlight(cause: cause, isLast: isLast)
            return
        }
        guard !wake.mustProbe else { return probeBeforeFlight(cause: cause) }
        lastFlight += 1
        let lock = begin(.lockFlight(lastFlight))
        let flight = Flight(
            number: lastFlight,
            cause: cause,
            lock: lock,
            isLast: isLast || session.pair.hasRefreshEnded(at: clock.now),
            isForRefreshToken: isDueForRefreshToken(session)
        )
        live?.renewal = .flight(flight)
        timers.clear(.retry, .refreshAt)
        showRenewal()
        effects.append(.lockFlight(lock))
    }

    /// The server asked not to be called before then.
    private mutating func waitUntil(_ notBefore: Instant) {
        guard configuration.retriesOnUse, state != .fresh else {
            timers[.retry] = notBefore
            return
        }
        grantWaiters()
        failWaiters(.offline(retryAt: notBefore))
    }

    /// Whether the schedule's `refreshAt` comes from the refresh token's end.
    private func isDueForRefreshToken(_ session: LiveSession) -> Bool {
        guard let access = session.pair.access, session.ledger.extendableEnd != nil,
            let schedule = session.schedule, clock.now >= schedule.refreshAt
        else { return false }
        let byAccess = configuration.renewal.schedule(
            access: access,
            extendable: nil,
            roundTrip: server.roundTrip,
            jitter: 1
        )
        return schedule.refreshAt < byAccess.refreshAt
    }

    /// The next try has begun.
    mutating func showRenewal() {
        guard stage.isLive, let session = live else { return }
        switch session.standing {
        case .retrying(let outlook): showNextTry(.retrying(outlook.underWay))
        case .offline(let outlook): showNextTry(.offline(outlook.underWay))
        case .unknown(let outlook): showNextTry(.unknown(outlook.underWay))
        case .fresh:
            let isUsable = session.isUsable(at: clock.now)
            stand(isUsable ? .renewing : .blocked, why: flight?.cause.rawValue ?? "")
        case .renewing, .blocked, .draining: break
        }
    }

    /// That a try is under way is no change of state.
    private mutating func showNextTry(_ standing: Standing) {
        live?.standing = standing
        announced = state
    }

    private mutating func renewWithoutRefreshToken() {
        if case .draining = state { return }
        if configuration.renewsByLogin { return logIn() }
        endWithoutRenewal()
    }

    /// Nothing can renew what is held: it lives on until its end, if that is still to come.
    mutating func endWithoutRenewal() {
        guard let session = live else { return }
        let reason = session.pair.ending ?? .accessExpired
        guard session.isUsable(at: clock.now) else { return signOut(reason) }
        drain(reason)
    }

    // MARK: - Read the vault again

    mutating func flightLocked(_ id: OperationID, _ result: Result<Bool, VaultProblem>) {
        let number: Int
        switch operations.end(id) {
        case .lockFlight(let flight)?: number = flight
        case .lockLogin(let began)?: return loginLocked(id, began, result)
        default: return
        }
        guard flight?.number == number else {
            return effects.append(.unlockFlight(id))
        }
        let read: Operation =
            switch result {
            case .success(true): .readBeforeFlight(number)
            case .success(false): .readWithoutLock(number, Self.outwaited)
            case .failure(let problem):
                .readWithoutLock(
                    number,
                    RefreshFailure(kind: .transient, message: problem.message)
                )
            }
        effects.append(.loadRecord(begin(read)))
    }

    /// Another process held the lock all the time.
    static let outwaited = RefreshFailure(
        kind: .transient,
        message: "another process is renewing"
    )

    /// There is no flight without the lock; but perhaps somebody else has renewed.
    mutating func readWithoutLock(
        _ number: Int,
        _ failure: RefreshFailure,
        _ result: Result<VaultRecord?, VaultProblem>
    ) {
        guard flight?.number == number else { return }
        if case .success(let record) = result, follow(record) { return }
        flightFailed(failure, retryAfter: nil)
    }

    mutating func readBeforeFlight(
        _ number: Int,
        _ result: Result<VaultRecord?, VaultProblem>
    ) {
        guard flight?.number == number else { return }
        switch result {
        case .failure(let problem):
            flightFailed(
                RefreshFailure(kind: .transient, message: problem.message),
                retryAfter: nil
            )
        case .success(let record):
            guard !follow(record) else { return }
            writeJournal(number, knownSends: record?.journal?.sends ?? 0)
        }
    }

    // MARK: - Adopt what is newer

    /// Goes the way of a record that somebody else wrote meanwhile.
    ///
    /// - Returns: Whether there is one; if not, the record is ours, and the flight goes on.
    mutating func follow(_ record: VaultRecord?) -> Bool {
        guard let held else { return false }
        guard let record else {
            endFlight()
            signOut(.deletedExternally)
            return true
        }
        guard let stored = record.pair else {
            endFlight()
            epoch = max(epoch, record.epoch)
            signOut(.deletedExternally)
            return true
        }
        if record.family == held.family {
            if stored.generation > held.generation {
                adopt(stored, of: record)
                return true
            }
            return followEnding(of: stored)
        }
        endFlight()
        epoch = record.epoch
        guard stored.subject == held.subject else {
            signOut(.replaced)
            return true
        }
        adopt(stored, of: record)
        return true
    }

    /// Another process was told that the refresh token of this very pair is no longer accepted.
    private mutating func followEnding(of stored: StoredPair) -> Bool {
        guard let session = live, stored.generation == session.pair.generation,
            stored.tokens.refresh == nil, session.pair.tokens.refresh != nil
        else { return false }
        endFlight()
        let reason = stored.ending ?? .revoked
        if session.isUsable(at: clock.now) { drain(reason) } else { signOut(reason) }
        return true
    }

    private mutating func adopt(_ stored: StoredPair, of record: VaultRecord) {
        endFlight()
        flightLock.postponed = nil
        if storage.unsaved != nil {
            revokeOrphan(unless: record.family)
            noteSaved()
        }
        returnLock()
        timers[.probe] = nil
        let times = StoredTimes(savedAt: record.savedAt, now: clock)
        if times.setBack == 0 { server.adopt(stored.offset) }
        let rotated = stored.tokens.refresh != held?.tokens.refresh
        let pair = SessionPair(stored: stored, family: record.family, times: times)
        let next = ScheduledPair(pair: pair, schedule: schedule(pair))
        emit(.adopted)
        publish(next, origin: .adopted, rotated: rotated)
    }

    // MARK: - Write the journal, and send

    private mutating func writeJournal(_ number: Int, knownSends: Int) {
        guard let sends = live?.ledger.refreshTokenLeaves(knownSends: knownSends), let held else {
            return
        }
        commit(
            currentRecord(
                journal: FlightJournal(
                    generation: held.generation,
                    sends: sends,
                    preparedAt: clock.wall
                )
            ),
            as: .journal(number)
        )
    }

    mutating func journalCommitted(_ number: Int, _ result: Result<CommitVerdict, VaultProblem>) {
        guard let flight, flight.number == number, let held, let token = held.tokens.refresh else {
            return
        }
        switch result {
        case .failure(let problem):
            live?.ledger.refreshTokenStayed()
            flightFailed(
                RefreshFailure(kind: .transient, message: problem.message),
                retryAfter: nil
            )
        case .success(.superseded(let record)):
            guard !follow(record) else { return }
            live?.ledger.refreshTokenStayed()
            flightFailed(Self.outpaced, retryAfter: nil)
        case .success(.committed), .success(.erased):
            changeFlight { $0.hasSent = true }
            emit(.refreshStarted(flight: number, cause: flight.cause))
            let send = RefreshSend(
                token: token,
                generation: held.generation,
                epoch: epoch,
                record: nextRecord()
            )
            effects.append(.sendRefresh(begin(.refresh(number, send)), token))
        }
    }

    /// The record is no longer the one that was read, and there is nothing in it to go on with.
    private static let outpaced = RefreshFailure(
        kind: .transient,
        message: "another process changed the vault"
    )

    mutating func refreshEnded(_ id: OperationID, _ exchange: Exchange<RefreshResponse>) {
        guard case .refresh(let number, let send)? = operations.end(id) else { return }
        let isCurrent = flight?.number == number
        note(
            exchange,
            id: send.record,
            purpose: .refresh,
            token: fingerprinter.fingerprint(of: send.token),
            generation: send.generation,
            why: isCurrent ? flight?.cause.description ?? "" : "void",
            flight: number
        )
        guard isCurrent, send.epoch == epoch else {
            revokeStray(exchange, spent: send.token)
            return returnLock()
        }
        let (moment, known) = (clock, server)
        switch live?.ledger.refreshEnded(exchange, at: moment, server: known) {
        case nil: break
        case .renewed(let issued)?:
            server.observe(roundTrip: exchange.endedAt.now.seconds(since: exchange.sentAt.now))
            renewed(issued, sentAt: exchange.sentAt, flight: number)
        case .failed(let failure, let retryAfter)?:
            if failure.kind == .clientFault { noteClientFault(failure) }
            flightFailed(failure, retryAfter: retryAfter)
        case .lost(let failure)?: answerLost(failure)
        case .refused(let failure, let reason, let isBare)?:
            refused(failure, reason, isBare: isBare)
        }
    }

    /// A late success of something that was ended meanwhile: its token must not live on.
    private mutating func revokeStray(
        _ exchange: Exchange<RefreshResponse>,
        spent: RefreshToken
    ) {
        guard case .answered(.issued(var issued)) = exchange.outcome else { return }
        // The old one lives on if no new one came.
        issued.refresh = issued.refresh ?? spent
        queueRevocation(of: firstPair(issued, sentAt: exchange.sentAt).pair)
    }

    // MARK: - Commit

    private mutating func renewed(_ issued: IssuedTokens, sentAt: Moment, flight number: Int) {
        guard let session = live, let flight else { return }
        let next = session.ledger.successor(
            issued,
            sentAt: sentAt,
            server: server,
            wasDueForRefreshToken: flight.isForRefreshToken || flight.isLast
        )
        let rotated = next.tokens.refresh != session.pair.tokens.refresh
        let scheduled = ScheduledPair(pair: next, schedule: schedule(next))
        var record = currentRecord(journal: nil)
        record.pair = next.stored(offset: server.offset)
        commit(record, as: .rotation(number, scheduled, rotated: rotated))
    }

    mutating func rotationCommitted(
        _ number: Int,
        _ next: ScheduledPair,
        rotated: Bool,
        _ result: Result<CommitVerdict, VaultProblem>
    ) {
        guard let flight, flight.number == number, let session = live else {
            return queueRevocation(of: next.pair)
        }
        switch result {
        case .success(.committed), .success(.erased): break
        case .success(.superseded(let record)):
            queueRevocation(of: next.pair)
            if !follow(record) { flightFailed(Self.outpaced, retryAfter: nil) }
            return
        case .failure(let problem): noteUnsaved(problem)
        }
        let renewal = Renewal(
            flight: number,
            cause: flight.cause,
            roundTrip: clock.now - next.pair.issuedAt.now,
            leadLeft: session.pair.access.map { $0.at - clock.now } ?? .zero,
            recovered: session.tally.lost > 0
        )
        if storage.unsaved == nil { endFlight() } else { endFlightOnceSaved() }
        publish(next, origin: .refresh, rotated: rotated, renewal: renewal)
    }

    // MARK: - Publish

    /// What the events tell of a renewal besides the new pair.
    struct Renewal: Sendable {
        let flight: Int
        let cause: RefreshCause
        let roundTrip: Duration
        /// What was left of the old access token.
        let leadLeft: Duration
        /// The answer to an earlier send of the same token had been lost.
        let recovered: Bool
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
            schedule: schedule,
            naming: fingerprinter
        )
        for kind in kinds { emit(kind) }
        // An end that has passed, or that no refresh moves on, gets no flight of its own.
        let pair = next.pair
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
        guard let renewal, renewal.cause != .person, let access = pair.access,
            let before = previous?.access
        else { return false }
        return access.at.seconds(since: before.at) < max(1, access.lifetime.inSeconds / 20)
    }
}

/// What was sent with a refresh, kept until its answer.
struct RefreshSend: Sendable {
    let token: RefreshToken
    let generation: Int
    let epoch: Int
    let record: Int
}

// MARK: - Give the lock back

/// The flight lock between a flight's end and the moment at which others may have it: not before
/// they can read how the flight ended.
struct FlightLockProgress: Sendable {
    /// The lock of a flight that is over but for a write, or for an answer that nobody waits for.
    var keptUntilSaved: OperationID?
    /// A flight that waits for that write.
    var postponed: PostponedFlight?
}

/// A flight that is wanted while the last one's write is still under way.
struct PostponedFlight: Sendable {
    let cause: RefreshCause
    let isLast: Bool
}

extension ClientMachine {
    /// The flight is over; its lock is kept while its refresh token is on its way still, because
    /// whoever has the lock may send that token.
    mutating func endFlight() {
        guard let flight else { return }
        live?.renewal = .none
        if keepsLock {
            flightLock.keptUntilSaved = flight.lock
        } else {
            effects.append(.unlockFlight(flight.lock))
        }
    }

    /// The flight is over, and its lock is given back once what it learned is written.
    mutating func endFlightOnceSaved() {
        guard let flight else { return }
        live?.renewal = .none
        flightLock.keptUntilSaved = flight.lock
    }

    /// What the last flight learned is written, or void, or will not be written.
    ///
    /// Nothing happens while its refresh token is on its way or a logout is being written: the end
    /// of each comes here.
    mutating func returnLock() {
        if let lock = flightLock.keptUntilSaved, !keepsLock {
            flightLock.keptUntilSaved = nil
            effects.append(.unlockFlight(lock))
        }
        lockWaitingLogin()
        guard storage.unsaved == nil, let next = flightLock.postponed else { return }
        flightLock.postponed = nil
        beginFlight(next.cause, isLast: next.isLast)
    }

    /// Whether another process that had the lock now would send a token that is on its way, or one
    /// of a session that is being ended.
    private var keepsLock: Bool {
        operations.contains { operation in
            switch operation {
            case .refresh, .tombstone: true
            case .loadAtStart, .loadAfterChange, .lockFlight, .lockLogin, .checkBeforeLogin,
                .readBeforeLogin, .readBeforeFlight, .readWithoutLock, .readAfterRefusal,
                .journal, .rotation, .firstPair, .save, .outbox, .login, .protected, .revocation,
                .probe:
                false
            }
        }
    }
}

extension RetryOutlook {
    /// The same once the next try has begun.
    fileprivate var underWay: RetryOutlook {
        RetryOutlook(failures: failures, failure: failure, nextAt: nil)
    }
}
