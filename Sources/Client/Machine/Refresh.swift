import Basics
import Model

/// The flight is the only code that sends a refresh token. From top to bottom: acquire the lock,
/// read the vault again, adopt what is newer (`Adoption.swift`) or write the journal, send. It goes on
/// with the answer (`RefreshAnswer.swift`).
extension ClientMachine {
    /// Renews the pair on behalf of the user.
    mutating func refreshNow() {
        switch state {
        case .fresh, .renewing, .retrying, .blocked, .expired, .unknown:
            guard flight == nil else { return }
            beginFlight(.user)
        case .draining:
            reject(.refreshTokenRefused)
        case .signedOut, .signingIn, .signingOut, .cold, .vaultUnavailable:
            reject(.nothingToRenew)
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
        if let notBefore = session.ledger.notBefore, notBefore > clock.now, cause != .user {
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
        if !cause.isRepetition { live?.tally.inRound = 0 }
        timers.clear(.retry, .refreshAt)
        showRenewal()
        effects.append(.lockFlight(lock))
    }

    /// The instant before which the server requested not to be called.
    private mutating func waitUntil(_ notBefore: Instant) {
        guard state.outlook?.hold == .use else {
            timers[.retry] = notBefore
            return
        }
        grantWaiters()
        failWaiters(.notRenewed(retryAt: notBefore))
    }

    /// Whether a renewal to extend the refresh token is due now.
    private func isDueForRefreshToken(_ session: LiveSession) -> Bool {
        guard let schedule = session.schedule, clock.now >= schedule.refreshAt else { return false }
        return isForRefreshToken(session)
    }

    /// Whether the schedule's `refreshAt` comes from the refresh token's end, due or not.
    func isForRefreshToken(_ session: LiveSession) -> Bool {
        guard let access = session.pair.access, session.ledger.extendableEnd != nil,
            let schedule = session.schedule
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
        guard stage.isLive, let session = live, let cause = session.renewal.cause else { return }
        switch session.liveState {
        case .retrying(let outlook): showNextTry(.retrying(outlook.underWay))
        case .expired(let outlook): showNextTry(.expired(outlook.underWay))
        case .unknown(let outlook): showNextTry(.unknown(outlook.underWay))
        case .fresh:
            let isUsable = session.isUsable(at: clock.now)
            setLiveState(isUsable ? .renewing : .blocked, why: .renewal(cause))
        case .renewing, .blocked, .draining: break
        }
    }

    /// Shows the next attempt; that an attempt is in progress is not a change of state.
    private mutating func showNextTry(_ liveState: LiveState) {
        live?.liveState = liveState
        announced = state
    }

    private mutating func renewWithoutRefreshToken() {
        if case .draining = state { return }
        if configuration.renewsByLogin { return logIn() }
        endWithoutRenewal()
    }

    /// Ends a session that cannot be renewed, or uses its access token until it expires.
    mutating func endWithoutRenewal() {
        guard let session = live else { return }
        let reason = session.pair.ending ?? .accessExpired
        guard session.isUsable(at: clock.now) else { return signOut(reason) }
        drain(reason, refusal: session.pair.refusal)
    }

    // MARK: - Read the vault again

    /// Another process holds the lock that a flight or a login waits for.
    mutating func flightLockHeld(_ id: OperationID, by holder: LockHolder?) {
        guard operations.isPending(id) else { return }
        let wait = LockWait(
            since: clock.now.advanced(bySeconds: -max(0, holder?.seconds ?? 0)),
            holder: holder?.process
        )
        if flight?.lock == id { changeFlight { $0.lockWait = wait } }
        if login?.lock == id {
            changeLogin { attempt in
                attempt.lockWait = wait
                attempt.hasWaited = true
            }
        }
    }

    mutating func flightLocked(
        _ id: OperationID,
        _ result: Result<Bool, VaultProblem>,
        because failure: RefreshFailure = RefreshFailure(.lockHeld)
    ) {
        if flight?.lock == id { changeFlight { $0.lockWait = nil } }
        if login?.lock == id { changeLogin { $0.lockWait = nil } }
        let number: Int
        switch operations.end(id) {
        case .lockFlight(let flight)?: number = flight
        case .lockLogin(let began)?: return loginLocked(id, began, result, failure)
        default: return
        }
        guard flight?.number == number else {
            return effects.append(.unlockFlight(id))
        }
        let read: Operation =
            switch result {
            case .success(true): .readBeforeFlight(number)
            case .success(false): .readWithoutLock(number, failure)
            case .failure(let problem):
                .readWithoutLock(number, RefreshFailure(.vault(problem)))
            }
        effects.append(.loadRecord(begin(read)))
    }

    /// Reads the vault after the lock could not be acquired: another process may have renewed.
    mutating func readWithoutLock(
        _ number: Int,
        _ failure: RefreshFailure,
        _ result: Result<VaultRecord?, VaultProblem>
    ) {
        guard flight?.number == number else { return }
        if case .success(let record) = result, adoptChanges(from: record) { return }
        flightFailed(failure, retryAfter: nil)
    }

    mutating func readBeforeFlight(
        _ number: Int,
        _ result: Result<VaultRecord?, VaultProblem>
    ) {
        guard flight?.number == number else { return }
        switch result {
        case .failure(let problem):
            flightFailed(RefreshFailure(.vault(problem)), retryAfter: nil)
        case .success(let record):
            guard !adoptChanges(from: record) else { return }
            writeJournal(number, knownSends: record.map { $0.journal?.sends ?? 0 })
        }
    }

    // MARK: - Write the journal, and send

    private mutating func writeJournal(_ number: Int, knownSends: Int?) {
        let count = sendsTwice ? 2 : 1
        changeFlight { $0.sends = count }
        guard let sends = live?.ledger.refreshTokenWillBeSent(count, knownSends: knownSends),
            let held
        else { return }
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
            live?.ledger.refreshTokenNotUsed(flight.sends)
            flightFailed(RefreshFailure(.vault(problem)), retryAfter: nil)
        case .success(.superseded(let record)):
            guard !adoptChanges(from: record) else { return }
            live?.ledger.refreshTokenNotUsed(flight.sends)
            flightFailed(RefreshFailure(.vaultChanged), retryAfter: nil)
        case .success(.committed), .success(.erased):
            changeFlight { $0.hasSent = true }
            emit(
                RefreshStarted(
                    flight: number,
                    cause: flight.cause,
                    request: lastRecord + 1
                )
            )
            for _ in 0..<flight.sends {
                let send = RefreshSend(
                    token: token,
                    access: held.tokens.access,
                    generation: held.generation,
                    issuedAt: held.refreshIssuedAt.now,
                    epoch: epoch,
                    record: nextRecord()
                )
                effects.append(.sendRefresh(begin(.refresh(number, send)), token))
            }
        }
    }
}

/// The request of a refresh, kept until its answer.
struct RefreshSend: Sendable {
    let token: RefreshToken
    /// The access token of its pair.
    let access: AccessToken
    let generation: Int
    /// When the request was sent from which its life counts.
    let issuedAt: Instant
    let epoch: Int
    let record: Int
}

extension RetryOutlook {
    /// The same once the next try has begun.
    fileprivate var underWay: RetryOutlook {
        RetryOutlook(failures: failures, failure: failure, nextAt: nil)
    }
}
