import Dialects
import Timekeeping
import Tokens

/// How a login ends: with a pair that takes the place of what was, or with everything as it was.
extension SessionMachine {
    mutating func loginEnded(_ id: OperationID, _ exchange: Exchange<LoginResponse>) {
        guard case .login(let began, let record)? = operations.removeValue(forKey: id) else {
            return
        }
        observeServer(exchange)
        emitRecord(
            exchange,
            id: record,
            purpose: .login,
            token: nil,
            generation: 0,
            why: "login",
            flight: nil
        )
        guard let attempt = login, attempt.epoch == began, epoch == began else {
            if case .answered(.issued(let issued)) = exchange.outcome {
                queueRevocation(of: firstPair(issued, sentAt: exchange.sentAt))
            }
            return
        }
        switch exchange.outcome {
        case .answered(.issued(let issued)):
            let pair = firstPair(issued, sentAt: exchange.sentAt)
            var record = currentRecord(journal: nil)
            record.family = pair.family
            record.pair = pair.stored(offset: offset)
            commit(record, as: .firstPair(pair), condition: .always)
        case .answered(.rejected(let status, let message)):
            loginFailed(
                RefreshFailure(
                    kind: .refused,
                    status: status,
                    message: message ?? "the backend refused the credentials"
                )
            )
        case .answered(.failed(let failure)): loginFailed(Self.failure(failure))
        case .notSent(let message): loginFailed(RefreshFailure(kind: .notSent, message: message))
        case .unanswered(let message): loginFailed(RefreshFailure(kind: .unknown, message: message))
        }
    }

    private static func failure(_ failure: ResponseFailure) -> RefreshFailure {
        switch failure {
        case .transient(let status, let message, _):
            RefreshFailure(kind: .transient, status: status, message: message ?? "try again later")
        case .clientFault(let status, let message):
            RefreshFailure(
                kind: .clientFault,
                status: status,
                message: message ?? "the backend does not understand the login"
            )
        case .undecodable(let status, let message):
            RefreshFailure(kind: .unknown, status: status, message: message)
        }
    }

    mutating func loginFailed(_ failure: RefreshFailure) {
        guard let attempt = login else { return }
        login = nil
        if let lock = attempt.lock { effects.append(.unlockFlight(lock)) }
        // Nothing changed: what is stored is still of the epoch before.
        epoch = attempt.base
        emit(.loginFailed(failure))
        switch attempt.previous {
        case .draining(let reason):
            guard let held, held.isUsable(at: clock.now) else { return signOut(reason) }
            timers[.usableUntil] = held.schedule?.usableUntil
            move(to: attempt.previous, why: failure.message)
        case .fresh, .renewing, .retrying, .blocked, .offline, .unknown:
            resumeRenewal(attempt, after: failure)
        case .signedOut(let reason):
            move(to: attempt.previous, why: failure.message)
            failWaiters(.signedOut(reason))
        case .cold, .vaultUnavailable, .signingIn, .signingOut:
            move(to: attempt.previous, why: failure.message)
        }
    }

    /// The login that failed was to renew what is held still, or to replace it.
    private mutating func resumeRenewal(_ attempt: LoginAttempt, after failure: RefreshFailure) {
        if attempt.isRenewal {
            guard failure.kind == .refused else { return retryLater(failure, retryAfter: nil) }
            return endWithoutRenewal()
        }
        guard case .offline(var outlook) = attempt.previous else {
            return enterZone(why: failure.message)
        }
        outlook.nextAt = clock.now.advanced(bySeconds: 1)
        outlook.hold = nil
        timers[.retry] = outlook.nextAt
        move(to: .offline(outlook), why: failure.message)
        failWaiters(.offline(retryAt: outlook.nextAt))
    }

    mutating func firstPairCommitted(
        _ pair: HeldPair,
        _ result: Result<CommitVerdict, VaultProblem>
    ) {
        guard let attempt = login, attempt.epoch == epoch else {
            return queueRevocation(of: pair)
        }
        login = nil
        leaveHeldPair(for: pair, attempt)
        switch result {
        case .success:
            noteSaved()
            if let lock = attempt.lock { effects.append(.unlockFlight(lock)) }
            revokeReplaced()
        case .failure(let problem):
            noteUnsaved(problem)
            // Another process would else log in as well.
            if lockUntilSaved == nil { lockUntilSaved = attempt.lock }
        }
        session += 1
        breaker = Breaker()
        publish(pair, origin: attempt.origin, rotated: true)
    }

    /// The session before is over: its feed is closed, and what is left of it is revoked.
    private mutating func leaveHeldPair(for new: HeldPair, _ attempt: LoginAttempt) {
        if let stored = attempt.stored { replaced.append(stored) }
        guard let old = held else { return }
        effects.append(.feed(.ended))
        if let subject = old.subject, let other = new.subject, subject != other {
            emit(.signedOut(.replaced))
        }
        // One that was only renewed is over soon, and part of the same session.
        if !attempt.isRenewal || old.tokens.refresh != nil { replaced.append(old) }
        held = nil
    }
}
