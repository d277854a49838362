import Dialects
import FoundationEssentials
import Timekeeping
import Tokens

/// Every way a session ends: by a person, by the backend, by the clock.
extension SessionMachine {
    mutating func logOut(_ scope: LogoutScope) {
        guard held != nil || login != nil else {
            return emit(.refusedAct(words: "there is no session to end"))
        }
        let offers = traits.capabilities.logoutScopes
        guard scope == .this || offers.contains(scope) else {
            return emit(
                .refusedAct(
                    words: "\(traits.capabilities.dialect) offers no logout everywhere"
                )
            )
        }
        if scope == .everywhere, let held, !held.isUsable(at: clock.now),
            held.tokens.refresh != nil
        {
            pendingLogoutEverywhere = true
            beginFlight(.person)
            return
        }
        let revocation = held.flatMap { pendingRevocation(of: $0.tokens, $0.refresh, scope) }
        erase()
        move(to: .signingOut(scope), why: "logout")
        if let revocation { outbox.add(revocation) }
        let reason: SignedOutReason = scope == .everywhere ? .everywhere : .user
        commit(
            currentRecord(journal: nil),
            as: .tombstone(LogoutEnd(reason: reason, revocation: revocation)),
            condition: .always
        )
    }

    mutating func continueLogoutEverywhere() {
        guard pendingLogoutEverywhere else { return }
        pendingLogoutEverywhere = false
        logOut(.everywhere)
    }

    mutating func abandonLogoutEverywhere() {
        guard pendingLogoutEverywhere else { return }
        pendingLogoutEverywhere = false
        emit(
            .refusedAct(words: "logging out everywhere needs a live access token: not reachable")
        )
    }

    mutating func signOut(_ reason: SignedOutReason) {
        let mayWrite = reason != .deletedExternally && reason != .replaced
        let family = held?.family ?? ""
        let before = epoch
        erase()
        emit(.signedOut(reason))
        move(to: .signedOut(reason), why: reason.rawValue)
        guard mayWrite else { return returnLock() }
        commit(
            currentRecord(journal: nil),
            as: .save,
            condition: .sameSession(epoch: before, family: family)
        )
    }

    /// Nothing that began before this may change anything after it.
    private mutating func erase() {
        epoch += 1
        endFlight()
        postponed = nil
        login = nil
        held = nil
        tally = FailureTally()
        noProgressCount = 0
        pendingLogoutEverywhere = false
        wake.isProbing = false
        noteSaved()
        flags.stormUntil = nil
        timers.clear(.soft, .hard, .retry, .refreshEnd, .saveRetry, .stormEnd, .probe)
        effects.append(.feed(.ended))
        failWaiters(.signedOut(.user))
    }

    mutating func tombstoneCommitted(
        _ end: LogoutEnd,
        _ result: Result<CommitVerdict, VaultProblem>
    ) {
        if case .failure(let problem) = result {
            noteUnsaved(problem)
            unsavedIsFinal = true
        }
        guard case .signingOut = state else { return }
        guard end.revocation != nil else {
            emit(.revocation(.notOffered))
            return finishLogout(end.reason)
        }
        sendNextRevocation()
        // Its refresh token has ended meanwhile: nobody need be told.
        if outbox.inFlight == nil { finishLogout(end.reason) }
    }

    private mutating func finishLogout(_ reason: SignedOutReason) {
        emit(.signedOut(reason))
        move(to: .signedOut(reason), why: reason.rawValue)
    }

    private mutating func pendingRevocation(
        of tokens: TokenPair,
        _ refreshEnd: Deadline?,
        _ scope: LogoutScope
    ) -> PendingRevocation? {
        guard traits.capabilities.logoutScopes.contains(scope) else { return nil }
        return PendingRevocation(
            id: String(random.next(), radix: 16),
            scope: scope,
            refresh: tokens.refresh,
            access: tokens.access,
            expiresAt: refreshEnd.map { clock.wallTime(at: $0.at) }
        )
    }

    /// A pair that nobody will use: the backend is told, where it can be.
    mutating func queueRevocation(of tokens: TokenPair, refreshEnd: Deadline?) {
        guard let revocation = pendingRevocation(of: tokens, refreshEnd, .this) else { return }
        outbox.add(revocation)
        emit(.revocation(.pending))
        saveOutbox(without: nil)
        sendNextRevocation()
    }

    mutating func sendNextRevocation() {
        guard outbox.inFlight == nil, let next = outbox.entries.first else { return }
        if let end = next.expiresAt, end <= clock.wall {
            outbox.remove(next.id)
            emit(.revocation(.expired))
            saveOutbox(without: next.id)
            return sendNextRevocation()
        }
        outbox.inFlight = next.id
        timers[.outbox] = nil
        effects.append(
            .sendRevocation(begin(.revocation(next, record: nextRecord())), next)
        )
    }

    mutating func revocationEnded(_ id: OperationID, _ exchange: Exchange<LogoutAnswer>) {
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
        if case .answered(.acknowledged) = exchange.outcome {
            outbox.remove(entry.id)
            emit(.revocation(.done))
            saveOutbox(without: entry.id)
        } else {
            emit(.revocation(.pending))
            timers[.outbox] = clock.now.advanced(bySeconds: outbox.waitAfterFailure())
        }
        if case .signingOut(let scope) = state, entry.scope == scope {
            finishLogout(scope == .everywhere ? .everywhere : .user)
        }
        if timers[.outbox] == nil { sendNextRevocation() }
    }

    /// Nothing else of the record: another process may be renewing.
    private mutating func saveOutbox(without done: String?) {
        commit(
            currentRecord(journal: settledJournal),
            as: .outbox,
            condition: .outbox(done: done)
        )
    }
}
