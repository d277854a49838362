import Dialects
import FoundationEssentials
import Timekeeping
import Tokens

/// Every way a session ends: by a person, by the backend, by the clock.
extension SessionMachine {
    mutating func logOut(_ scope: LogoutScope) {
        guard held != nil || login != nil else {
            return emit(.actionRejected(message: "there is no session to end"))
        }
        let offers = configuration.capabilities.logoutScopes
        guard scope == .this || offers.contains(scope) else {
            return emit(
                .actionRejected(
                    message: "\(configuration.capabilities.dialect) offers no logout everywhere"
                )
            )
        }
        if scope == .everywhere, let held {
            if configuration.logoutNeeds[scope]?.access == true, !held.isUsable(at: clock.now),
                held.tokens.refresh != nil
            {
                pendingLogoutEverywhere = true
                beginFlight(.person)
                return
            }
            guard held.tokens.refresh != nil || canTell(of: held, scope) else {
                return emit(
                    .actionRejected(
                        message:
                            "logging out everywhere needs the refresh token, and there is none: "
                            + "log out here, or log in again first"
                    )
                )
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
        let condition = unsavedCondition ?? ownSession ?? .always
        erase(scope.reason)
        move(to: .signingOut(scope), why: "logout")
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
        guard let held, held.isUsable(at: clock.now) else { return abandonLogoutEverywhere() }
        pendingLogoutEverywhere = false
        logOut(.everywhere)
    }

    mutating func abandonLogoutEverywhere() {
        guard pendingLogoutEverywhere else { return }
        pendingLogoutEverywhere = false
        emit(
            .actionRejected(
                message: "logging out everywhere needs a live access token: not reachable"
            )
        )
    }

    mutating func signOut(_ reason: SignedOutReason) {
        let mayWrite = reason != .deletedExternally && reason != .replaced
        let condition =
            unsavedCondition
            ?? .samePair(
                epoch: epoch,
                family: held?.family ?? "",
                generation: held?.generation ?? 0
            )
        erase(reason)
        emit(.signedOut(reason))
        move(to: .signedOut(reason), why: reason.rawValue)
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
        // Others may renew once they can read that it is over.
        endFlightOnceSaved()
        postponed = nil
        // A pair that is being stored is gone again before others may read it.
        if let lock = login?.lock {
            if lockUntilSaved == nil {
                lockUntilSaved = lock
            } else {
                effects.append(.unlockFlight(lock))
            }
        }
        login = nil
        held = nil
        tally = FailureTally()
        noProgressCount = 0
        pendingLogoutEverywhere = false
        wake.isProbing = false
        noteSaved()
        flags.breakerOpenUntil = nil
        timers.clear(.refreshAt, .usableUntil, .retry, .refreshEnd, .saveRetry, .stormEnd, .probe)
        effects.append(.feed(.ended))
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
    private mutating func finishLogoutIfRevoked() {
        guard case .signingOut(let scope) = state, outbox.urgent == nil else { return }
        finishLogout(scope.reason)
    }

    private mutating func finishLogout(_ reason: SignedOutReason) {
        emit(.signedOut(reason))
        move(to: .signedOut(reason), why: reason.rawValue)
    }

    mutating func sendNextRevocation() {
        guard outbox.inFlight == nil, let next = outbox.next else { return }
        let isUrgent = next.id == outbox.urgent
        guard isUrgent || timers[.outbox] == nil else { return }
        if let end = next.expiresAt, end <= clock.wall {
            forget(next, as: phaseOnceOver(next))
            return sendNextRevocation()
        }
        outbox.inFlight = next.id
        effects.append(
            .sendRevocation(begin(.revocation(next, record: nextRecord())), next)
        )
    }

    mutating func revocationEnded(_ id: OperationID, _ exchange: Exchange<LogoutResponse>) {
        guard case .revocation(let entry, let record)? = operations.removeValue(forKey: id) else {
            return
        }
        observeServer(exchange)
        emitRecord(
            exchange,
            id: record,
            purpose: .logout,
            token: entry.refresh.map { fingerprinter.fingerprint(of: $0) },
            generation: 0,
            why: entry.scope == .everywhere ? "log out everywhere" : "log out",
            flight: nil
        )
        outbox.inFlight = nil
        switch exchange.outcome {
        case .answered(.acknowledged):
            forget(entry, as: isAnonymous(entry.scope) ? .anonymous : .done)
        case .answered(.tokenUnknown): forget(entry, as: .notKnown)
        case .answered(.failed), .notSent, .unanswered:
            emit(.revocation(.pending))
            let wait = max(outbox.waitAfterFailure(of: entry.id), minimumDelay(exchange.outcome))
            let next = clock.now.advanced(bySeconds: wait)
            timers[.outbox] = max(next, timers[.outbox] ?? next)
        }
        sendNextRevocation()
        finishLogoutIfRevoked()
    }

    /// What the server asked for, in seconds.
    private func minimumDelay(_ outcome: Exchange<LogoutResponse>.Outcome) -> Double {
        guard case .answered(.failed(_, let retryAfter)) = outcome else { return 0 }
        return (seconds(until: retryAfter) ?? 0).clamped(to: 0...RetryPolicy.longestRetryAfter)
    }

    /// Nothing else of the record: another process may be renewing.
    mutating func saveOutbox(without done: String?) {
        commit(
            currentRecord(journal: settledJournal),
            as: .outbox,
            condition: .outbox(done: done)
        )
    }
}

extension LogoutScope {
    /// Why a session is over that was ended so.
    var reason: SignedOutReason {
        self == .everywhere ? .everywhere : .user
    }
}
