import Dialects
import Timekeeping
import Tokens

/// How a login begins: under the flight lock, so that of several at once one sends its credentials
/// and the others find its session; and not before it is known that its pair can be stored.
extension SessionMachine {
    mutating func logIn() {
        switch state {
        case .signedOut, .draining: break
        case .offline:
            guard flight == nil else {
                return emit(.actionRejected(message: "a renewal is under way: wait for its answer"))
            }
        case .fresh, .renewing, .retrying, .blocked, .unknown:
            guard configuration.renewsByLogin || canBeReplaced else {
                return emit(.actionRejected(message: "signed in already: log out first"))
            }
        case .signingIn, .signingOut:
            return
        case .cold, .vaultUnavailable:
            return emit(.actionRejected(message: "the vault has not been read yet"))
        }
        timers.clear(.retry, .probe)
        wake.isProbing = false
        postponed = nil
        // Whether there is room now decides at once.
        if flags.unsaved != nil { save() }
        var attempt = LoginAttempt(base: epoch, previous: state)
        attempt.isRenewal =
            configuration.renewsByLogin && state.isLive && held?.tokens.refresh == nil
            && held?.ending == nil
        login = attempt
        epoch = attempt.epoch
        emit(.loginStarted)
        move(to: .signingIn, why: "login")
        lockForLogin()
    }

    /// Whether nothing can renew what is held, so that another login takes nothing away.
    private var canBeReplaced: Bool {
        guard let held, flight == nil else { return false }
        return held.tokens.refresh == nil || held.hasRefreshEnded(at: clock.now)
    }

    private mutating func lockForLogin() {
        guard let attempt = login else { return }
        // A renewal goes on from memory, with the lock that is held; else this is called again.
        guard lockUntilSaved == nil else { return attempt.isRenewal ? read(before: attempt) : () }
        guard flags.unsaved == nil || attempt.isRenewal else { return }
        let lock = begin(.lockLogin(attempt.epoch))
        login?.lock = lock
        effects.append(.lockFlight(lock))
    }

    var isLoginWaitingForLock: Bool {
        guard let login, case .signingIn = state, login.origin == .login else { return false }
        return login.lock == nil && !login.isRenewal
    }

    /// The write is over that kept the lock from a login of this process.
    mutating func lockWaitingLogin() {
        guard isLoginWaitingForLock else { return }
        lockForLogin()
    }

    mutating func loginLocked(
        _ lock: OperationID,
        _ began: Int,
        _ result: Result<Bool, VaultProblem>
    ) {
        guard let attempt = login, attempt.lock == lock, attempt.epoch == began else {
            return effects.append(.unlockFlight(lock))
        }
        switch result {
        case .success(true):
            guard !attempt.isRenewal else { return read(before: attempt) }
            effects.append(.checkVault(begin(.checkBeforeLogin(began))))
        case .success(false): read(before: attempt, failure: Self.outwaited)
        case .failure(let problem):
            // A pair that renews is used from memory, if need be.
            guard !attempt.isRenewal else { return read(before: attempt) }
            loginFailed(Self.unstorable(problem))
        }
    }

    mutating func vaultChecked(_ id: OperationID, _ problem: VaultProblem?) {
        guard case .checkBeforeLogin(let began)? = operations.removeValue(forKey: id),
            let attempt = login, attempt.epoch == began
        else { return }
        if let problem { return loginFailed(Self.unstorable(problem)) }
        read(before: attempt)
    }

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
            noteReplaced(record)
        case .failure(let problem):
            guard attempt.isRenewal else { return loginFailed(Self.unstorable(problem)) }
        }
        if let failure { return loginFailed(failure) }
        effects.append(.sendLogin(begin(.login(epoch: epoch, record: nextRecord()))))
    }

    /// Goes on with the session that another process has opened, renewed or ended meanwhile.
    ///
    /// - Returns: False where there is none, and the login goes on.
    private mutating func join(
        _ record: VaultRecord?,
        inPlaceOf attempt: LoginAttempt
    ) -> Bool {
        // What could not be written yet is not there for somebody's having changed it.
        guard unsavedCondition == nil else { return false }
        let isTaken: Bool
        login = nil
        epoch = attempt.base
        if held != nil {
            isTaken = follow(record)
        } else if let record, let stored = record.pair, record.epoch > attempt.base {
            epoch = record.epoch
            emit(.adopted(fromProcess: nil))
            resume(stored, record: record, origin: .adopted)
            isTaken = true
        } else {
            isTaken = false
        }
        guard isTaken else {
            login = attempt
            epoch = attempt.epoch
            return false
        }
        if let lock = attempt.lock { effects.append(.unlockFlight(lock)) }
        switch state {
        // Neither is what a person wanted.
        case .signedOut(.deletedExternally), .draining: logIn()
        case .signedOut:
            let message = "another login took the place of the session meanwhile"
            emit(.loginFailed(RefreshFailure(kind: .transient, message: message)))
        default: break
        }
        return true
    }

    /// What is stored is to be replaced: its epoch counts, and its tokens are revoked afterwards.
    private mutating func noteReplaced(_ record: VaultRecord?) {
        guard let record, let attempt = login else { return }
        login?.base = max(attempt.base, record.epoch)
        epoch = login?.epoch ?? epoch
        if let pair = record.pair, record.family != held?.family {
            let times = StoredTimes(savedAt: record.savedAt, now: clock)
            login?.stored = HeldPair(stored: pair, family: record.family, times: times)
        }
    }

    static func unstorable(_ problem: VaultProblem) -> RefreshFailure {
        RefreshFailure(
            kind: .notSent,
            message: "the session could not be stored: \(problem.message)"
        )
    }
}
