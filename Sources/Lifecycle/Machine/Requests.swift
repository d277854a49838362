import Dialects
import Timekeeping
import Tokens

/// Who wants to use the access token.
struct TokenUsers: Sendable {
    /// In the order in which they came.
    var waiters: [Waiter] = []
    var requests: [Int: RequestProgress] = [:]
}

/// Somebody who waits for a token.
struct Waiter: Sendable, Hashable {
    enum Purpose: Sendable, Hashable {
        case caller(Int)
        /// A protected request that has yet to be sent, or sent again.
        case request(Int)
    }

    let purpose: Purpose
    let deadline: Instant
    /// This one will not do: it was refused.
    var refused: AccessToken?
}

/// A protected request between its start and its end.
struct RequestProgress: Sendable, Hashable {
    let id: Int
    let call: ProtectedCall
    let why: RequestCause
    let deadline: Instant
    var sends = 0
    var generation = 0
    /// What the last send carried: generations of two logins may have the same number.
    var token: AccessToken?
    /// When the pair that it belongs to was asked for.
    var tokenIssuedAt: Instant?
    /// The log's number of the last send.
    var record = 0
    var refusedRecord: Int?
    var refusedStatus: Int?
}

/// Protected requests and callers: a request is sent at most twice, and a refusal of an older
/// generation starts no renewal.
extension ClientMachine {
    mutating func startRequest(
        id: Int,
        _ call: ProtectedCall,
        why: RequestCause,
        deadline: Instant
    ) {
        let progress = RequestProgress(id: id, call: call, why: why, deadline: deadline)
        users.requests[id] = progress
        seek(Waiter(purpose: .request(id), deadline: deadline))
    }

    mutating func needToken(waiter: Int, deadline: Instant) {
        seek(Waiter(purpose: .caller(waiter), deadline: deadline))
    }

    mutating func cancelWaiter(_ purpose: Waiter.Purpose) {
        guard let index = users.waiters.firstIndex(where: { $0.purpose == purpose }) else {
            return
        }
        finish(users.waiters.remove(at: index), .failure(.cancelled))
    }

    /// Serves the waiter now, lets it wait, or says at once why waiting is no use.
    private mutating func seek(_ waiter: Waiter) {
        if waiter.refused == nil, mustRenewForUse {
            users.waiters.append(waiter)
            return beginFlight(.caller)
        }
        guard !serve(waiter) else { return }
        switch state {
        case .signedOut(let reason): return finish(waiter, .failure(.signedOut(reason)))
        case .vaultUnavailable(let problem):
            return finish(waiter, .failure(.vaultUnavailable(problem)))
        case .signingOut(let scope):
            return finish(waiter, .failure(.signedOut(scope.reason)))
        case .draining(let reason): return finish(waiter, .failure(.signedOut(reason)))
        case .offline(let outlook) where !isRenewing:
            if let nextAt = outlook.nextAt, nextAt > clock.now {
                return finish(waiter, .failure(.offline(retryAt: nextAt)))
            }
            // The refusal of an older token starts no renewal, here neither.
            guard renewsOnRejection,
                waiter.refused == nil || waiter.refused == held?.tokens.access
            else {
                return finish(waiter, .failure(.offline(retryAt: nil)))
            }
            users.waiters.append(waiter)
            beginFlight(.caller)
            return
        case .cold, .signingIn, .fresh, .renewing, .retrying, .blocked, .offline, .unknown: break
        }
        guard waiter.deadline > clock.now else { return finish(waiter, .failure(.timedOut)) }
        users.waiters.append(waiter)
    }

    /// Whether a renewal that failed is tried again before the access token is used, because
    /// nothing else tries it.
    private var mustRenewForUse: Bool {
        guard waitsForUse, !sendsExpiredTokens, !isRenewing, login == nil, storage.unsaved == nil,
            flightLock.keptUntilSaved == nil, !breaker.isOpen(at: clock.now)
        else { return false }
        return live?.ledger.notBefore.map { $0 <= clock.now } ?? true
    }

    /// Whether the next try is up to whoever needs the access token next.
    private var waitsForUse: Bool { state.outlook?.hold == .use }

    private mutating func serve(_ waiter: Waiter) -> Bool {
        guard let session = live, session.pair.tokens.access != waiter.refused,
            session.isUsable(at: clock.now) || takesExpiredToken(waiter)
        else { return false }
        let grant = TokenGrant(
            token: session.pair.tokens.access,
            generation: session.pair.generation,
            usableUntil: session.schedule?.usableUntil
        )
        finish(waiter, .success(grant))
        return true
    }

    /// Whether a request leaves although its access token has ended; a caller is given none.
    private func takesExpiredToken(_ waiter: Waiter) -> Bool {
        guard case .request = waiter.purpose else { return false }
        return sendsExpiredTokens && !isRenewing && login == nil
    }

    private mutating func finish(_ waiter: Waiter, _ result: Result<TokenGrant, WaitFailure>) {
        switch (waiter.purpose, result) {
        case (.caller(let id), _): effects.append(.resume(waiter: id, result))
        case (.request(let id), .success(let grant)): send(request: id, with: grant)
        case (.request(let id), .failure(let failure)):
            guard let progress = users.requests[id] else { return }
            let end = progress.refusedStatus.map { RequestEnd.rejected(status: $0) }
            self.end(id, end ?? .noToken(failure))
        }
    }

    private mutating func send(request id: Int, with grant: TokenGrant) {
        guard var progress = users.requests[id] else { return }
        progress.sends += 1
        progress.generation = grant.generation
        progress.token = grant.token
        progress.tokenIssuedAt = held?.issuedAt.now
        progress.record = nextRecord()
        users.requests[id] = progress
        let operation = begin(.protected(request: id))
        effects.append(
            .sendProtected(operation, progress.call, grant.token, isRetry: progress.sends > 1)
        )
    }

    /// Serves everybody whom the present pair serves, in the order in which they came.
    mutating func grantWaiters() {
        let waiting = users.waiters
        users.waiters = []
        for waiter in waiting where !serve(waiter) { users.waiters.append(waiter) }
    }

    mutating func failWaiters(_ failure: WaitFailure) {
        let waiting = users.waiters
        users.waiters = []
        for waiter in waiting { finish(waiter, .failure(failure)) }
    }

    mutating func expireWaiters() {
        let late = users.waiters.filter { $0.deadline <= clock.now }
        users.waiters.removeAll { $0.deadline <= clock.now }
        for waiter in late { finish(waiter, .failure(.timedOut)) }
    }

    mutating func protectedEnded(_ id: OperationID, _ exchange: Exchange<ProtectedResponse>) {
        guard case .protected(let request)? = operations.end(id),
            let progress = users.requests[request]
        else { return }
        note(
            exchange,
            id: progress.record,
            purpose: .protected,
            generation: progress.generation,
            why: progress.why,
            retryOf: progress.refusedRecord,
            tokenIssuedAt: progress.tokenIssuedAt
        )
        let status = exchange.wire.status ?? 0
        switch exchange.outcome {
        case .notSent(let cause): end(request, .notSent(cause))
        case .unanswered(let detail): end(request, .unanswered(detail: detail))
        case .answered(.accepted):
            noteAccepted(progress.token)
            end(request, .accepted(status: status))
            retrySinceNetworkIsBack()
        case .answered(.listed(let sessions)):
            noteAccepted(progress.token)
            end(request, .listed(sessions, status: status))
            retrySinceNetworkIsBack()
        case .answered(.inconclusive): end(request, .inconclusive(status: status))
        case .answered(.tokenRejected): rejected(request, progress, status: status)
        }
    }

    private mutating func end(_ request: Int, _ end: RequestEnd) {
        if let progress = users.requests.removeValue(forKey: request) {
            reportSessions(progress.call, end)
        }
        effects.append(.finishRequest(id: request, end))
    }

    private mutating func noteAccepted(_ token: AccessToken?) {
        guard let ledger = live?.ledger, ledger.isCurrent(token), let access = ledger.pair.access
        else { return }
        breaker.noteAccepted(
            age: ledger.age(at: clock.now),
            lifetime: access.lifetime.inSeconds
        )
    }

    /// A request that began before the access token's end came through: so may a renewal.
    private mutating func retrySinceNetworkIsBack() {
        guard case .offline = state, let session = live, !session.isUsable(at: clock.now),
            pauses.isEmpty, !breaker.isOpen(at: clock.now)
        else { return }
        beginFlight(.retry)
    }

    private mutating func rejected(_ request: Int, _ progress: RequestProgress, status: Int) {
        guard progress.sends < 2 else {
            end(request, .rejected(status: status))
            if configuration.secondRefusalEnds, login == nil,
                live?.ledger.isCurrent(progress.token) == true
            {
                return signOut(.renewedTokenRefused)
            }
            return tokenRejected(progress.token)
        }
        users.requests[request]?.refusedRecord = progress.record
        users.requests[request]?.refusedStatus = status
        tokenRejected(progress.token)
        guard users.requests[request] != nil else { return }
        let waiter = Waiter(
            purpose: .request(request),
            deadline: progress.deadline,
            refused: progress.token
        )
        let isHeldBack = breaker.isOpen(at: clock.now) || !renewsOnRejection
        if isHeldBack, flight == nil, !serve(waiter) {
            return end(request, .rejected(status: status))
        }
        guard users.requests[request]?.sends == 1 else { return }
        seek(waiter)
    }

    private mutating func tokenRejected(_ token: AccessToken?) {
        guard let ledger = live?.ledger, ledger.isCurrent(token) else { return }
        tokenRejected(ledger.pair.generation, cause: .unauthorized)
    }

    /// A request or the feed was refused with the token of this generation.
    mutating func tokenRejected(_ generation: Int, cause: RefreshCause) {
        guard let ledger = live?.ledger, ledger.pair.generation == generation, login == nil else {
            return
        }
        if case .draining(let reason) = state {
            // A refused upgrade proves nothing about the token (uvicorn#1181).
            return cause == .feed ? () : signOut(reason)
        }
        // Where nothing can be renewed, a refusal of the feed's changes nothing either.
        let canRenew = ledger.pair.tokens.refresh != nil || configuration.renewsByLogin
        guard canRenew || cause != .feed, renewsOnRejection else { return }
        let lifetime = ledger.pair.access?.lifetime.inSeconds ?? 60
        if let until = breaker.noteRejection(
            generation: generation,
            age: ledger.age(at: clock.now),
            lifetime: lifetime,
            at: clock.now
        ) {
            return openBreaker(until: until)
        }
        // While paused, no timer brings the try that another state waits for.
        let isOnlyCause = waitsForUse || (cause == .unauthorized && !pauses.isEmpty)
        guard state == .fresh || isOnlyCause, flight == nil, !breaker.isOpen(at: clock.now) else {
            return
        }
        if let until = breaker.noteFlight(at: clock.now, lifetime: lifetime) {
            return openBreaker(until: until)
        }
        beginFlight(cause)
    }
}

/// What a protected call brings besides its end.
extension ClientMachine {
    mutating func reportSessions(_ call: ProtectedCall, _ end: RequestEnd) {
        switch (call, end) {
        case (.request, _), (.custom, _): break
        case (.sessions, .listed(let sessions, _)): emit(.sessions(.listed(sessions)))
        case (.endSession(let id), .accepted): emit(.sessions(.ended(id)))
        case (.sessions, _): emit(.sessions(.failed(SessionListFailure(.list, end))))
        case (.endSession, _): emit(.sessions(.failed(SessionListFailure(.end, end))))
        }
    }
}
