import Dialects
import FoundationEssentials
import Timekeeping
import Tokens

/// Every way a session ends: by a person, by the backend, by the clock.
extension ClientMachine {
    mutating func logOut(_ scope: LogoutScope) {
        guard live != nil || login != nil else {
            return emit(.actionRejected(.nothingToEnd))
        }
        let offers = configuration.capabilities.logoutScopes
        guard scope == .this || offers.contains(scope) else {
            let dialect = configuration.capabilities.dialect
            return emit(.actionRejected(.noLogoutEverywhere(dialect: dialect)))
        }
        if scope == .everywhere, let session = live {
            let hasRefreshToken = session.pair.tokens.refresh != nil
            if configuration.logoutNeeds[scope]?.access == true, !session.isUsable(at: clock.now),
                hasRefreshToken
            {
                pendingLogoutEverywhere = true
                beginFlight(.person)
                return
            }
            guard hasRefreshToken || canTell(of: session.pair, scope) else {
                return emit(.actionRejected(.needsRefreshToken))
            }
        }
        var end = LogoutEnd(reason: scope.reason, askedAt: clock.now)
        var owed: PendingRevocation?
        if let held {
            switch pendingRevocation(of: held, scope) {
            case .success(let revocation): owed = revocation
            case .failure(let obstacle): end.obstacle = obstacle.phase
            }
        }
        let condition = storage.unsavedCondition ?? ownSession ?? .always
        erase(scope.reason)
        move(to: .signingOut(scope), why: .logout)
        if let owed { outbox.add(owed) }
        end.revocation = owed
        commit(currentRecord(journal: nil), as: .tombstone(end), condition: condition)
    }

    /// What is stored while nobody has opened another session; nil during a login, which may be
    /// stored already or not.
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
        emit(.actionRejected(.needsAccessToken))
    }

    /// - Parameters:
    ///   - reason: Why the session is over.
    ///   - isStored: Whether another process has stored that it is.
    mutating func signOut(_ reason: SignedOutReason, isStored: Bool = false) {
        let mayWrite = !isStored && reason != .deletedExternally && reason != .replaced
        let condition =
            storage.unsavedCondition
            ?? .samePair(
                epoch: epoch,
                family: held?.family ?? "",
                generation: held?.generation ?? 0
            )
        erase(reason)
        emit(.signedOut(reason))
        move(to: .signedOut(reason), why: .ended(reason))
        guard mayWrite else { return returnLock() }
        commit(
            currentRecord(journal: nil),
            as: .save,
            condition: condition
        )
    }

    /// Nothing that began before this may change anything after it.
    private mutating func erase(_ reason: SignedOutReason) {
        epoch += 1
        if let held {
            ending = StoredEnding(family: held.family, reason: reason, endedAt: clock.wall)
        }
        // Others may renew once they can read that it is over.
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
        noteSaved()
        breaker.close()
        timers.clear(.refreshAt, .usableUntil, .retry, .refreshEnd, .saveRetry, .stormEnd, .probe)
        orderFeed(.ended)
        failWaiters(.signedOut(reason))
    }

    mutating func tombstoneCommitted(
        _ end: LogoutEnd,
        _ result: Result<CommitVerdict, VaultProblem>
    ) {
        switch result {
        case .success(let verdict):
            noteSaved()
            revokeReplaced()
            switch verdict {
            case .committed: emit(.erased(after: clock.now - end.askedAt))
            case .erased(let problem):
                emit(.erased(after: clock.now - end.askedAt))
                if !outbox.entries.isEmpty { emit(.unsaved(problem)) }
            case .superseded: break
            }
        case .failure(let problem): noteUnsaved(problem)
        }
        returnLock()
        guard case .signingOut = state else { return }
        guard let revocation = end.revocation else {
            emit(.revocation(end.obstacle))
            return finishLogout(end.reason)
        }
        outbox.urgent = revocation.id
        sendNextRevocation()
        finishLogoutIfRevoked()
    }

    /// The backend was told of the logout, or could not be: either way it is over here.
    mutating func finishLogoutIfRevoked() {
        guard case .signingOut(let scope) = state, outbox.urgent == nil else { return }
        finishLogout(scope.reason)
    }

    private mutating func finishLogout(_ reason: SignedOutReason) {
        emit(.signedOut(reason))
        move(to: .signedOut(reason), why: .ended(reason))
    }
}

/// How a logout goes on once the tombstone is written.
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
    /// Why a session is over that was ended so.
    var reason: SignedOutReason {
        self == .everywhere ? .everywhere : .user
    }
}
