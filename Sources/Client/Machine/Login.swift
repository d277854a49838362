import Basics
import Model
import Profiles

/// A login: under the flight lock, so that of several at once one sends its credentials and the
/// others find its session; and not before it is known that its pair can be stored. It ends with a
/// pair that takes the place of what was, or with everything as it was.
extension ClientMachine {
    mutating func logIn() {
        guard let previous = replaceable() else { return }
        timers.clear(.retry, .probe)
        flightLock.postponed = nil
        // Whether there is room now decides at once.
        if storage.unsaved != nil { save() }
        var attempt = LoginAttempt(base: epoch, previous: previous)
        if case .live(let session) = previous {
            attempt.isRenewal =
                configuration.renewsByLogin && session.pair.tokens.refresh == nil
                && session.pair.ending == nil
        }
        epoch = attempt.epoch
        emit(LoginStarted())
        move(to: .signingIn(attempt), why: .login)
        if configuration.needsBrowser { authorize() } else { lockForLogin() }
    }

    /// Returns what a login may replace, or `nil` if none is allowed now.
    private mutating func replaceable() -> LoginAttempt.Previous? {
        switch stage {
        case .signedOut(let reason): return .signedOut(reason)
        case .live(var session):
            guard flight == nil else {
                rejectLogin(.renewalUnderWay)
                return nil
            }
            switch session.liveState {
            case .draining, .expired: break
            case .fresh, .renewing, .retrying, .blocked, .unknown:
                // Without a renewal, another login takes nothing away, and the user may want one.
                let pair = session.pair
                let isLost =
                    pair.tokens.refresh == nil || pair.hasRefreshEnded(at: clock.now)
                guard configuration.renewsByLogin || configuration.loginReplaces || isLost else {
                    rejectLogin(.signedInAlready)
                    return nil
                }
            }
            session.renewal = .none
            return .live(session)
        case .signingIn, .signingOut: return nil
        case .starting, .vaultUnavailable:
            rejectLogin(.vaultNotRead)
            return nil
        }
    }

    private mutating func rejectLogin(_ rejection: ActionRejection) {
        reject(rejection)
        finish(.logIn(.rejected(rejection)))
        finish(.refresh(.rejected(rejection)))
    }

    // MARK: - Acquire the lock

    mutating func lockForLogin() {
        guard let attempt = login else { return }
        // A renewal continues from memory, with the lock that is held; otherwise this is called
        // again.
        guard flightLock.keptUntilSaved == nil else {
            return attempt.isRenewal ? read(before: attempt) : ()
        }
        guard storage.unsaved == nil || attempt.isRenewal else { return }
        let lock = begin(.lockLogin(attempt.epoch))
        changeLogin { $0.lock = lock }
        effects.append(.lockFlight(lock))
    }

    var isLoginWaitingForLock: Bool {
        guard let login, login.origin == .login else { return false }
        return login.lock == nil && !login.isRenewal && !login.waitsForUser
    }

    /// Acquires the lock for a login that has waited for a write of this process.
    mutating func lockWaitingLogin() {
        guard isLoginWaitingForLock else { return }
        lockForLogin()
    }

    mutating func loginLocked(
        _ lock: OperationID,
        _ began: Int,
        _ result: Result<Bool, VaultProblem>,
        _ failure: RefreshFailure
    ) {
        guard let attempt = login, attempt.lock == lock, attempt.epoch == began else {
            return effects.append(.unlockFlight(lock))
        }
        switch result {
        case .success(true):
            guard !attempt.isRenewal else { return read(before: attempt) }
            effects.append(.checkVault(begin(.checkBeforeLogin(began))))
        case .success(false): read(before: attempt, failure: failure)
        case .failure(let problem):
            // A pair that renews is used from memory, if need be.
            guard !attempt.isRenewal else { return read(before: attempt) }
            loginFailed(RefreshFailure(.unstorable(problem)))
        }
    }

    mutating func vaultChecked(_ id: OperationID, _ problem: VaultProblem?) {
        guard case .checkBeforeLogin(let began)? = operations.end(id), let attempt = login,
            attempt.epoch == began
        else { return }
        if let problem { return loginFailed(RefreshFailure(.unstorable(problem))) }
        read(before: attempt)
    }

    // MARK: - Read the vault, and join what others have

    private mutating func read(before attempt: LoginAttempt, failure: RefreshFailure? = nil) {
        effects.append(.loadRecord(begin(.readBeforeLogin(attempt.epoch, failure))))
    }

    mutating func readBeforeLogin(
        _ began: Int,
        _ failure: RefreshFailure?,
        _ result: Result<VaultRecord?, VaultProblem>
    ) {
        guard let attempt = login, attempt.epoch == began else { return }
        switch result {
        case .success(let record):
            guard !join(record, inPlaceOf: attempt) else { return }
            recordReplaced(record)
        case .failure(let problem):
            guard attempt.isRenewal else {
                return loginFailed(RefreshFailure(.unstorable(problem)))
            }
        }
        if let failure { return loginFailed(failure) }
        let operation = begin(.login(epoch: epoch, record: nextRecord()))
        effects.append(.sendLogin(operation, attempt.grant))
    }

    /// Continues with the session that another process has opened, renewed or ended in the
    /// meantime.
    ///
    /// - Returns: Whether there is one; if not, the login continues.
    private mutating func join(
        _ record: VaultRecord?,
        inPlaceOf attempt: LoginAttempt
    ) -> Bool {
        // A record that is not written yet is not missing because another process changed it.
        guard storage.unsavedCondition == nil else { return false }
        returnTo(attempt.previous)
        epoch = attempt.base
        let beginning = effects.count
        guard takes(record, after: attempt) else {
            stage = .signingIn(attempt)
            epoch = attempt.epoch
            return false
        }
        timers.clear(.authorization, .devicePoll)
        // First of all: a flight of the session that is joined may be waiting for it already.
        if let lock = attempt.lock { effects.insert(.unlockFlight(lock), at: beginning) }
        switch state {
        // The user wanted neither.
        case .signedOut(.replaced): announceFailure(RefreshFailure(.replaced))
        case .signedOut, .draining: logIn()
        default: finish(.logIn(.adopted))
        }
        return true
    }

    private mutating func takes(_ record: VaultRecord?, after attempt: LoginAttempt) -> Bool {
        if held != nil { return adoptChanges(from: record) }
        // One of the same epoch was opened since too: the end of a session here counts one itself.
        guard let record, let stored = record.pair, record.epoch >= attempt.base else {
            return false
        }
        epoch = record.epoch
        emit(PairAdopted())
        resume(stored, record: record, origin: .adopted)
        return true
    }

    /// Restores the state before the login; the caller announces the change.
    private mutating func returnTo(_ previous: LoginAttempt.Previous) {
        switch previous {
        case .signedOut(let reason): stage = .signedOut(reason)
        case .live(let session): stage = .live(session)
        }
    }

    /// The stored session is to be replaced: its epoch counts, and its tokens are revoked
    /// afterwards.
    private mutating func recordReplaced(_ record: VaultRecord?) {
        guard let record, let attempt = login else { return }
        let base = max(attempt.base, record.epoch)
        var stored: SessionPair?
        if let pair = record.pair, record.family != held?.family {
            let times = StoredTimes(savedAt: record.savedAt, now: clock)
            stored = SessionPair(stored: pair, family: record.family, times: times)
        }
        changeLogin { attempt in
            attempt.base = base
            attempt.stored = stored
        }
        epoch = base + 1
    }

    // MARK: - Send, and commit

    mutating func loginEnded(_ id: OperationID, _ exchange: CompletedExchange<LoginResponse>) {
        guard case .login(let began, let record)? = operations.end(id) else { return }
        logExchange(exchange, id: record, purpose: .login, why: .login)
        guard let attempt = login, attempt.epoch == began, epoch == began else {
            if case .answered(.issued(let issued)) = exchange.outcome {
                queueRevocation(of: firstPair(issued, sentAt: exchange.sentAt).pair)
            }
            return
        }
        if attempt.device != nil, continueDevice(after: exchange) { return }
        switch exchange.outcome {
        case .answered(.issued(let issued)):
            if attempt.device != nil { deviceGranted() }
            let first = firstPair(issued, sentAt: exchange.sentAt)
            if let failure = checkIDToken(of: issued) {
                loginFailed(failure)
                return queueRevocation(of: first.pair)
            }
            store(first)
        case .answered(.rejected(let status, let message)):
            loginFailed(RefreshFailure(.credentialsRefused(status: status, detail: message)))
        case .answered(.authorizationEnded(let end)): loginFailed(RefreshFailure(end))
        // Only a login on another device is answered so, and continues.
        case .answered(.authorizationPending): break
        case .answered(.failed(let failure)): loginFailed(RefreshFailure(failure))
        case .notSent(let cause): loginFailed(RefreshFailure(.unsent(cause)))
        case .unanswered(let detail): loginFailed(RefreshFailure(.unanswered(detail: detail)))
        }
    }

    /// Reports the check of an id token; returns why the login fails if it breaks a rule.
    private mutating func checkIDToken(of issued: IssuedTokens) -> RefreshFailure? {
        guard let token = issued.idToken, let check = token.check else { return nil }
        let fingerprint = fingerprinter.fingerprint(of: token.secret)
        emit(IDTokenReport(fingerprint: fingerprint, check: check))
        return check.failure.map { RefreshFailure(.idToken($0)) }
    }

    /// Begins a session with an imported pair, which is stored first, like that of a login.
    mutating func importPair(_ issued: IssuedTokens) {
        guard case .signedOut(let reason) = stage else { return }
        let attempt = LoginAttempt(base: epoch, previous: .signedOut(reason), origin: .imported)
        epoch = attempt.epoch
        move(to: .signingIn(attempt), why: .imported)
        store(firstPair(issued, sentAt: clock, isLogin: false))
    }

    /// The pair of a new session.
    mutating func firstPair(
        _ issued: IssuedTokens,
        sentAt: Moment,
        isLogin: Bool = true
    ) -> ScheduledPair {
        let family = String(random.next(), radix: 16)
        let pair = SessionPair(
            first: issued,
            family: family,
            sentAt: sentAt,
            server: server,
            isLogin: isLogin
        )
        return ScheduledPair(pair: pair, schedule: schedule(pair))
    }

    private mutating func store(_ first: ScheduledPair) {
        var record = currentRecord(journal: nil)
        record.family = first.pair.family
        record.pair = first.pair.stored(offset: server.offset)
        record.ending = nil
        commit(record, as: .firstPair(first), condition: .always)
    }

    // MARK: - Fail, or publish

    mutating func loginFailed(_ failure: RefreshFailure) {
        guard let attempt = login else { return }
        timers.clear(.authorization, .devicePoll)
        if let lock = attempt.lock { effects.append(.unlockFlight(lock)) }
        // The stored record still has the previous epoch.
        epoch = attempt.base
        announceFailure(failure)
        returnTo(attempt.previous)
        switch attempt.previous {
        case .signedOut(let reason):
            move(to: .signedOut(reason), why: .failure(failure))
            failWaiters(.signedOut(reason))
        case .live(let session):
            if case .draining(let reason) = session.liveState {
                guard session.isUsable(at: clock.now) else { return signOut(reason) }
                timers[.usableUntil] = session.schedule?.usableUntil
                return setLiveState(session.liveState, why: .failure(failure))
            }
            resumeRenewal(attempt, from: session.liveState, after: failure)
        }
    }

    private mutating func announceFailure(_ failure: RefreshFailure) {
        emit(LoginFailed(failure))
        finish(.logIn(.failed(failure)))
        finish(.refresh(.loginFailed(failure)))
    }

    /// The login that failed was to renew what is held still, or to replace it.
    private mutating func resumeRenewal(
        _ attempt: LoginAttempt,
        from liveState: LiveState,
        after failure: RefreshFailure
    ) {
        if attempt.isRenewal {
            guard failure.kind == .refused else { return retryLater(failure, retryAfter: nil) }
            return endWithoutRenewal()
        }
        guard case .expired(var outlook) = liveState else {
            return applySchedule(why: .failure(failure))
        }
        // A failed login starts the next attempt, unless the server has requested a wait, or the
        // profile limits the attempts.
        let waitsForUse = configuration.attempts != nil
        let nextAt = noEarlierThanRequested(clock.now.advanced(bySeconds: 1))
        outlook.nextAt = waitsForUse ? nil : nextAt
        outlook.hold = waitsForUse ? .use : nil
        timers[.retry] = outlook.nextAt
        setLiveState(.expired(outlook), why: .failure(failure))
        failWaiters(.notRenewed(retryAt: outlook.nextAt))
    }

    mutating func firstPairCommitted(
        _ first: ScheduledPair,
        _ result: Result<CommitVerdict, VaultProblem>
    ) {
        guard let attempt = login, attempt.epoch == epoch else {
            return queueRevocation(of: first.pair)
        }
        leaveHeldPair(for: first.pair, attempt)
        switch result {
        case .success:
            recordSaved()
            if let lock = attempt.lock { effects.append(.unlockFlight(lock)) }
            revokeReplaced()
        case .failure(let problem):
            recordUnsaved(problem)
            // Another process would else log in as well.
            if flightLock.keptUntilSaved == nil { flightLock.keptUntilSaved = attempt.lock }
        }
        countLogin()
        publish(first, origin: attempt.origin, rotated: true)
        // An access token that ended on its way, and that nothing renews, has ended the session.
        if case .signedOut(let reason) = state {
            finish(.logIn(.signedOut(reason)))
        } else {
            finish(.logIn(.loggedIn))
        }
    }

    /// Ends the previous session: closes its feed and queues the revocation of its tokens.
    private mutating func leaveHeldPair(for new: SessionPair, _ attempt: LoginAttempt) {
        if let stored = attempt.stored { storage.replaced.append(stored) }
        guard let old = held else { return }
        orderFeed(.ended)
        if let subject = old.subject, let other = new.subject, subject != other {
            emit(SignedOut(.replaced))
            // That ends what was announced, too.
            announcedPlan = nil
        }
        // A pair that was only renewed expires soon, and belongs to the same session.
        if !attempt.isRenewal || old.tokens.refresh != nil { storage.replaced.append(old) }
        changeLogin { $0.previous = .signedOut(.replaced) }
    }
}
