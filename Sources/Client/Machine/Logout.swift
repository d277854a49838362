import Basics
import FoundationEssentials
import Model
import Profiles

/// The ends of a session: by the user, by the backend, by expiry.
extension ClientMachine {
    mutating func logOut(_ scope: LogoutScope) {
        guard live != nil || login != nil else {
            return rejectLogout(.nothingToEnd)
        }
        let offers = configuration.capabilities.logoutScopes
        guard scope == .this || offers.contains(scope) else {
            let dialect = configuration.capabilities.dialect
            return rejectLogout(.noLogoutEverywhere(dialect: dialect))
        }
        if scope == .everywhere, let session = live {
            if needsRenewal(before: scope) {
                pendingLogoutEverywhere = true
                beginFlight(.user)
                return
            }
            guard session.pair.tokens.refresh != nil || canRevoke(session.pair, scope) else {
                return rejectLogout(.needsRefreshToken)
            }
        }
        var end = LogoutEnd(reason: scope.reason, askedAt: clock.now)
        var revocation: PendingRevocation?
        if let held {
            switch pendingRevocation(of: held, scope) {
            case .success(let pending): revocation = pending
            case .failure(let obstacle): end.obstacle = obstacle.phase
            }
        }
        let condition = storage.unsavedCondition ?? ownSession ?? .always
        erase(scope.reason)
        move(to: .signingOut(scope), why: .logout)
        if let revocation { outbox.add(revocation) }
        end.revocation = revocation
        logout = LogoutProgress(
            report: LogoutReport(revocation: revocation == nil ? end.obstacle : nil),
            revocation: revocation?.id
        )
        finish(.logIn(.signedOut(scope.reason)))
        commit(currentRecord(journal: nil), as: .tombstone(end), condition: condition)
    }

    /// Whether the backend can only be notified of a logout after a renewal: its request needs a live
    /// access token, and that has expired.
    func needsRenewal(before scope: LogoutScope) -> Bool {
        guard let session = live, session.pair.tokens.refresh != nil else { return false }
        return configuration.logoutNeeds[scope]?.access == true
            && !session.isUsable(at: clock.now)
    }

    /// The stored record must be of this session; `nil` during a login, which may or may not be
    /// stored already.
    private var ownSession: VaultCommit.Condition? {
        guard let held, login == nil else { return nil }
        return .sameSession(epoch: epoch, family: held.family)
    }

    mutating func continueLogoutEverywhere() {
        guard pendingLogoutEverywhere else { return }
        guard let session = live, session.isUsable(at: clock.now) else {
            return abandonLogoutEverywhere()
        }
        pendingLogoutEverywhere = false
        logOut(.everywhere)
    }

    mutating func abandonLogoutEverywhere() {
        guard pendingLogoutEverywhere else { return }
        pendingLogoutEverywhere = false
        rejectLogout(.needsAccessToken)
    }

    private mutating func rejectLogout(_ rejection: ActionRejection) {
        reject(rejection)
        finish(.logOut(.rejected(rejection)))
    }

    /// - Parameters:
    ///   - reason: Why the session has ended.
    ///   - isStored: Whether another process has stored its end.
    ///   - refusal: The evidence about the refresh token if its refusal ends the session; that of
    ///     the pair in use counts too.
    mutating func signOut(
        _ reason: SignedOutReason,
        isStored: Bool = false,
        refusal: RefusalEvidence? = nil
    ) {
        let mayWrite = !isStored && reason != .deletedExternally && reason != .replaced
        let condition =
            storage.unsavedCondition
            ?? .samePair(
                epoch: epoch,
                family: held?.family ?? "",
                generation: held?.generation ?? 0
            )
        erase(reason, refusal: refusal)
        emit(SignedOut(reason))
        move(to: .signedOut(reason), why: .ended(reason))
        finish(.logOut(.signedOut(reason)))
        guard mayWrite else { return returnLock() }
        commit(
            currentRecord(journal: nil),
            as: .save,
            condition: condition
        )
    }

    /// Operations that began before this must not have an effect after it.
    private mutating func erase(_ reason: SignedOutReason, refusal: RefusalEvidence? = nil) {
        experimentEnds(with: reason)
        stopAuthorization()
        epoch += 1
        if let held {
            ending = StoredEnding(
                family: held.family,
                reason: reason,
                endedAt: clock.wall,
                refusal: refusal ?? (held.ending == reason ? held.refusal : nil)
            )
        }
        // Other processes may acquire the lock once they can read the end.
        endFlightOnceSaved()
        flightLock.postponed = nil
        // A pair that is being stored is gone again before others may read it.
        if let lock = login?.lock {
            if flightLock.keptUntilSaved == nil {
                flightLock.keptUntilSaved = lock
            } else {
                effects.append(.unlockFlight(lock))
            }
        }
        stage = .signedOut(reason)
        pairsWithoutProgress = 0
        pendingLogoutEverywhere = false
        recordSaved()
        breaker.close()
        timers.clear(
            .refreshAt,
            .usableUntil,
            .retry,
            .refreshEnd,
            .saveRetry,
            .breakerOpenUntil,
            .probe
        )
        orderFeed(.ended)
        failWaiters(.signedOut(reason))
        finish(.refresh(.signedOut(reason)))
    }

    mutating func tombstoneCommitted(
        _ end: LogoutEnd,
        _ result: Result<CommitVerdict, VaultProblem>
    ) {
        switch result {
        case .success(let verdict):
            recordSaved()
            revokeReplaced()
            switch verdict {
            case .committed: erased(by: end)
            case .erased(let problem):
                erased(by: end)
                if !outbox.entries.isEmpty { outboxUnsaved(problem) }
            case .superseded: break
            }
        case .failure(let problem): recordUnsaved(problem)
        }
        returnLock()
        guard case .signingOut = state else { return }
        guard let revocation = end.revocation else {
            revocationTried(nil, end.obstacle)
            return finishLogout(end.reason)
        }
        outbox.prioritize(revocation.id)
        sendNextRevocation()
        finishLogoutIfRevoked()
    }

    private mutating func erased(by end: LogoutEnd) {
        let duration = clock.now - end.askedAt
        logout?.report.erasedAfter = duration
        emit(SessionErased(after: duration))
    }

    /// The record is erased, and there was no room for one with the outbox.
    private mutating func outboxUnsaved(_ problem: VaultProblem) {
        logout?.report.unkept = problem
        emit(PairUnsaved(problem))
        finish(.sendOutbox(.unsaved(problem)))
    }

    /// Finishes the logout once it is stored, and the backend was notified or cannot be.
    mutating func finishLogoutIfRevoked() {
        guard case .signingOut(let scope) = state, outbox.urgent == nil, !isStoringLogout else {
            return
        }
        finishLogout(scope.reason)
    }

    private var isStoringLogout: Bool {
        operations.contains { operation in
            if case .tombstone = operation { true } else { false }
        }
    }

    private mutating func finishLogout(_ reason: SignedOutReason) {
        emit(SignedOut(reason))
        move(to: .signedOut(reason), why: .ended(reason))
        if let logout = logout.take() { finish(.logOut(logoutResult(logout.report))) }
    }
}

/// The steps once the tombstone of a logout is written.
struct LogoutEnd: Sendable {
    let reason: SignedOutReason
    let askedAt: Instant
    var revocation: PendingRevocation?
    /// Why there is none.
    var obstacle = RevocationPhase.notOffered

    init(reason: SignedOutReason, askedAt: Instant) {
        self.reason = reason
        self.askedAt = askedAt
    }
}

extension LogoutScope {
    /// The reason of a session that was ended in this scope.
    var reason: SignedOutReason {
        self == .everywhere ? .everywhere : .user
    }
}
