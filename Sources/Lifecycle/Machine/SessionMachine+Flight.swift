import Dialects
import Timekeeping
import Tokens

/// The flight is the only code that sends a refresh token: lock, read again, adopt or journal,
/// send, read the answer, commit, unlock, publish.
extension SessionMachine {
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

    mutating func beginFlight(_ cause: RefreshCause, isLast: Bool = false) {
        guard let held, flight == nil, login == nil, state.isLive else { return }
        guard held.tokens.refresh != nil else { return renewWithoutRefreshToken() }
        guard flags.unsaved == nil else {
            postponed = PostponedFlight(cause: cause, isLast: isLast)
            timers[.saveRetry] = clock.now
            return
        }
        if let notBefore = held.notBefore, notBefore > clock.now, cause != .person {
            return waitUntil(notBefore)
        }
        guard lockUntilSaved == nil else {
            postponed = PostponedFlight(cause: cause, isLast: isLast)
            return
        }
        guard !wake.mustProbe else { return probeBeforeFlight(cause: cause) }
        lastFlight += 1
        let lock = begin(.lockFlight(lastFlight))
        flight = Flight(
            number: lastFlight,
            cause: cause,
            lock: lock,
            isLast: isLast || held.hasRefreshEnded(at: clock.now),
            isForRefreshToken: isDueForRefreshToken(held)
        )
        timers.clear(.retry, .refreshAt)
        showFlight()
        effects.append(.lockFlight(lock))
    }

    /// The server asked not to be called before then.
    private mutating func waitUntil(_ notBefore: Instant) {
        guard configuration.retriesOnUse, state != .fresh else { return timers[.retry] = notBefore }
        grantWaiters()
        failWaiters(.offline(retryAt: notBefore))
    }

    /// Whether the schedule's `refreshAt` comes from the refresh token's end.
    private func isDueForRefreshToken(_ held: HeldPair) -> Bool {
        guard let access = held.access, extendable(held) != nil, let schedule = held.schedule,
            clock.now >= schedule.refreshAt
        else { return false }
        let byAccess = configuration.renewal.schedule(
            access: access,
            extendable: nil,
            roundTrip: roundTrip,
            jitter: 1
        )
        return schedule.refreshAt < byAccess.refreshAt
    }

    mutating func showFlight() {
        switch state {
        case .retrying(let outlook): state = .retrying(outlook.underWay)
        case .offline(let outlook): state = .offline(outlook.underWay)
        case .unknown(let outlook): state = .unknown(outlook.underWay)
        case .fresh:
            let isUsable = held?.isUsable(at: clock.now) ?? false
            move(to: isUsable ? .renewing : .blocked, why: flight?.cause.rawValue ?? "")
        case .cold, .vaultUnavailable, .signedOut, .signingIn, .renewing, .blocked, .draining,
            .signingOut:
            break
        }
    }

    private mutating func renewWithoutRefreshToken() {
        if case .draining = state { return }
        if configuration.renewsByLogin { return logIn() }
        endWithoutRenewal()
    }

    /// Nothing can renew what is held: it lives on until its end, if that is still to come.
    mutating func endWithoutRenewal() {
        let reason = held?.ending ?? .accessExpired
        guard let held, held.isUsable(at: clock.now) else { return signOut(reason) }
        drain(reason)
    }

    mutating func flightLocked(_ id: OperationID, _ result: Result<Bool, VaultProblem>) {
        let number: Int
        switch operations.removeValue(forKey: id) {
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
        guard flight?.number == number, let held else { return }
        switch result {
        case .failure(let problem):
            flightFailed(
                RefreshFailure(kind: .transient, message: problem.message),
                retryAfter: nil
            )
        case .success(let record):
            guard !follow(record) else { return }
            let sends = max(held.unsettledSends, record?.journal?.sends ?? 0) + 1
            self.held?.unsettledSends = sends
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
    }

    mutating func journalCommitted(_ number: Int, _ result: Result<CommitVerdict, VaultProblem>) {
        guard flight?.number == number, let held, let token = held.tokens.refresh else { return }
        switch result {
        case .failure(let problem):
            self.held?.unsettledSends -= 1
            flightFailed(
                RefreshFailure(kind: .transient, message: problem.message),
                retryAfter: nil
            )
        case .success(.superseded(let record)):
            guard !follow(record) else { return }
            self.held?.unsettledSends -= 1
            flightFailed(Self.outpaced, retryAfter: nil)
        case .success(.committed), .success(.erased):
            flight?.hasSent = true
            emit(.refreshStarted(flight: number, cause: flight?.cause ?? .timer))
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

    /// Goes the way of a record that somebody else wrote meanwhile.
    ///
    /// - Returns: False when the record is ours, and the flight goes on.
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
        guard let held, stored.generation == held.generation, stored.tokens.refresh == nil,
            held.tokens.refresh != nil
        else { return false }
        endFlight()
        let reason = stored.ending ?? .revoked
        if held.isUsable(at: clock.now) { drain(reason) } else { signOut(reason) }
        return true
    }

    mutating func refreshEnded(_ id: OperationID, _ exchange: Exchange<RefreshResponse>) {
        guard case .refresh(let number, let send)? = operations.removeValue(forKey: id) else {
            return
        }
        observeServer(exchange)
        emitRecord(
            exchange,
            id: send.record,
            purpose: .refresh,
            token: fingerprinter.fingerprint(of: send.token),
            generation: send.generation,
            why: flight?.number == number ? flight?.cause.description ?? "" : "void",
            flight: number
        )
        guard flight?.number == number, send.epoch == epoch else {
            revokeStray(exchange, spent: send.token)
            return returnLock()
        }
        let elapsed = exchange.endedAt.now.seconds(since: exchange.sentAt.now)
        switch exchange.outcome {
        case .notSent(let message):
            // Nothing left: what is known of the token is what was known before.
            held?.unsettledSends -= 1
            flightFailed(RefreshFailure(kind: .notSent, message: message), retryAfter: nil)
        case .unanswered(let message):
            answerLost(RefreshFailure(kind: .unknown, message: message))
        case .answered(.issued(let issued)):
            roundTrip = (0.7 * roundTrip + 0.3 * elapsed).clamped(to: 0.2...10)
            renewed(issued, sentAt: exchange.sentAt, flight: number)
        case .answered(.refused(let refusal)):
            refused(refusal)
        case .answered(.failed(let failure)):
            answeredWithout(failure)
        }
    }

    private mutating func renewed(_ issued: IssuedTokens, sentAt: Moment, flight number: Int) {
        guard let held else { return }
        let next = successor(of: held, issued: issued, sentAt: sentAt)
        let rotated = next.tokens.refresh != held.tokens.refresh
        var record = currentRecord(journal: nil)
        record.pair = next.stored(offset: offset)
        commit(record, as: .rotation(number, next, rotated: rotated))
    }

    mutating func rotationCommitted(
        _ number: Int,
        _ next: HeldPair,
        rotated: Bool,
        _ result: Result<CommitVerdict, VaultProblem>
    ) {
        guard let flight, flight.number == number else {
            return queueRevocation(of: next)
        }
        switch result {
        case .success(.committed), .success(.erased): break
        case .success(.superseded(let record)):
            queueRevocation(of: next)
            if !follow(record) { flightFailed(Self.outpaced, retryAfter: nil) }
            return
        case .failure(let problem): noteUnsaved(problem)
        }
        let recovered = tally.lost > 0
        let leadLeft = held?.access.map { $0.at - clock.now } ?? .zero
        let roundTrip = clock.now - next.issuedAt.now
        if flags.unsaved == nil { endFlight() } else { endFlightOnceSaved() }
        publish(
            next,
            origin: .refresh,
            rotated: rotated,
            renewal: Renewal(
                flight: number,
                cause: flight.cause,
                roundTrip: roundTrip,
                leadLeft: leadLeft,
                recovered: recovered
            )
        )
    }

    /// A late success of something that was ended meanwhile: its token must not live on.
    private mutating func revokeStray(
        _ exchange: Exchange<RefreshResponse>,
        spent: RefreshToken
    ) {
        guard case .answered(.issued(var issued)) = exchange.outcome else { return }
        // The old one lives on where no new one came.
        issued.refresh = issued.refresh ?? spent
        queueRevocation(of: firstPair(issued, sentAt: exchange.sentAt))
    }
}

extension RetryOutlook {
    /// The same once the next try has begun.
    fileprivate var underWay: RetryOutlook {
        RetryOutlook(failures: failures, failure: failure, nextAt: nil)
    }
}
