import Dialects
import Timekeeping
import Tokens

/// Protected requests and callers: a request is sent at most twice, and a refusal of an older
/// generation starts no renewal.
extension SessionMachine {
    mutating func startRequest(
        id: Int,
        _ call: ProtectedCall,
        why: String,
        deadline: Instant
    ) {
        let progress = RequestProgress(id: id, call: call, why: why, deadline: deadline)
        requests[id] = progress
        seek(Waiter(purpose: .request(id), deadline: deadline))
    }

    mutating func needToken(waiter: Int, deadline: Instant) {
        seek(Waiter(purpose: .caller(waiter), deadline: deadline))
    }

    mutating func cancelWaiter(_ id: Int) {
        guard let index = waiters.firstIndex(where: { $0.purpose == .caller(id) }) else { return }
        finish(waiters.remove(at: index), .failure(.cancelled))
    }

    /// Serves the waiter now, lets it wait, or says at once why waiting is no use.
    private mutating func seek(_ waiter: Waiter) {
        if waiter.refused == nil, mustRenewForUse {
            waiters.append(waiter)
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
        case .offline(let outlook) where flight == nil && !wake.isProbing:
            if let nextAt = outlook.nextAt, nextAt > clock.now {
                return finish(waiter, .failure(.offline(retryAt: nextAt)))
            }
            // The refusal of an older token starts no renewal, here neither.
            guard waiter.refused == nil || waiter.refused == held?.tokens.access else {
                return finish(waiter, .failure(.offline(retryAt: nil)))
            }
            waiters.append(waiter)
            beginFlight(.caller)
            return
        case .cold, .signingIn, .fresh, .renewing, .retrying, .blocked, .offline, .unknown: break
        }
        guard waiter.deadline > clock.now else { return finish(waiter, .failure(.timedOut)) }
        waiters.append(waiter)
    }

    /// Whether a renewal that failed is tried again before the access token is used, because
    /// nothing else tries it.
    private var mustRenewForUse: Bool {
        guard waitsForUse, flight == nil, !wake.isProbing, login == nil, flags.unsaved == nil,
            lockUntilSaved == nil, !breaker.isOpen(at: clock.now)
        else { return false }
        return held?.notBefore.map { $0 <= clock.now } ?? true
    }

    /// Whether the next try is up to whoever needs the access token next.
    private var waitsForUse: Bool { state.outlook?.hold == .use }

    private mutating func serve(_ waiter: Waiter) -> Bool {
        guard let held, held.tokens.access != waiter.refused,
            held.isUsable(at: clock.now)
        else { return false }
        let grant = TokenGrant(
            token: held.tokens.access,
            generation: held.generation,
            usableUntil: held.schedule?.usableUntil
        )
        finish(waiter, .success(grant))
        return true
    }

    private mutating func finish(_ waiter: Waiter, _ result: Result<TokenGrant, WaitFailure>) {
        switch (waiter.purpose, result) {
        case (.caller(let id), _): effects.append(.resume(waiter: id, result))
        case (.request(let id), .success(let grant)): send(request: id, with: grant)
        case (.request(let id), .failure(let failure)):
            guard let progress = requests[id] else { return }
            let end = progress.refusedStatus.map { RequestEnd.rejected(status: $0) }
            self.end(id, end ?? .noToken(failure))
        }
    }

    private mutating func send(request id: Int, with grant: TokenGrant) {
        guard var progress = requests[id] else { return }
        progress.sends += 1
        progress.generation = grant.generation
        progress.token = grant.token
        progress.record = nextRecord()
        requests[id] = progress
        let operation = begin(.protected(request: id))
        effects.append(
            .sendProtected(operation, progress.call, grant.token, isRetry: progress.sends > 1)
        )
    }

    /// Serves everybody whom the present pair serves, in the order in which they came.
    mutating func grantWaiters() {
        let waiting = waiters
        waiters = []
        for waiter in waiting where !serve(waiter) { waiters.append(waiter) }
    }

    mutating func failWaiters(_ failure: WaitFailure) {
        let waiting = waiters
        waiters = []
        for waiter in waiting { finish(waiter, .failure(failure)) }
    }

    mutating func expireWaiters() {
        let late = waiters.filter { $0.deadline <= clock.now }
        waiters.removeAll { $0.deadline <= clock.now }
        for waiter in late { finish(waiter, .failure(.timedOut)) }
    }

    mutating func protectedEnded(_ id: OperationID, _ exchange: Exchange<ProtectedResponse>) {
        guard case .protected(let request)? = operations.removeValue(forKey: id),
            let progress = requests[request]
        else { return }
        observeServer(exchange)
        emitRecord(
            exchange,
            id: progress.record,
            purpose: .protected,
            token: nil,
            generation: progress.generation,
            why: progress.why,
            flight: nil,
            retryOf: progress.refusedRecord
        )
        let status = exchange.wire.status ?? 0
        switch exchange.outcome {
        case .notSent(let message): end(request, .notSent(message: message))
        case .unanswered(let message): end(request, .unanswered(message: message))
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
        if let progress = requests.removeValue(forKey: request) {
            reportSessions(progress.call, end)
        }
        effects.append(.finishRequest(id: request, end))
    }

    private mutating func noteAccepted(_ token: AccessToken?) {
        guard let held, held.tokens.access == token, let access = held.access else { return }
        breaker.noteAccepted(
            age: clock.now.seconds(since: held.issuedAt.now),
            lifetime: access.lifetime.inSeconds
        )
    }

    /// A request that began before the access token's end came through: so may a renewal.
    private mutating func retrySinceNetworkIsBack() {
        guard case .offline = state, let held, !held.isUsable(at: clock.now), !flags.isPaused,
            !breaker.isOpen(at: clock.now)
        else { return }
        beginFlight(.retry)
    }

    private mutating func rejected(_ request: Int, _ progress: RequestProgress, status: Int) {
        guard progress.sends < 2 else {
            end(request, .rejected(status: status))
            if configuration.secondRefusalEnds, login == nil, held?.tokens.access == progress.token
            {
                return signOut(.renewedTokenRefused)
            }
            return tokenRejected(progress.token)
        }
        requests[request]?.refusedRecord = progress.record
        requests[request]?.refusedStatus = status
        tokenRejected(progress.token)
        guard requests[request] != nil else { return }
        let waiter = Waiter(
            purpose: .request(request),
            deadline: progress.deadline,
            refused: progress.token
        )
        if let until = flags.breakerOpenUntil, until > clock.now, flight == nil, !serve(waiter) {
            return end(request, .rejected(status: status))
        }
        guard requests[request]?.sends == 1 else { return }
        seek(waiter)
    }

    private mutating func tokenRejected(_ token: AccessToken?) {
        guard let held, held.tokens.access == token else { return }
        tokenRejected(held.generation, cause: .unauthorized)
    }

    /// A request or the feed was refused with the token of this generation.
    mutating func tokenRejected(_ generation: Int, cause: RefreshCause) {
        guard let held, held.generation == generation, login == nil else { return }
        if case .draining(let reason) = state {
            // A refused upgrade proves nothing about the token (uvicorn#1181).
            return cause == .feed ? () : signOut(reason)
        }
        let lifetime = held.access?.lifetime.inSeconds ?? 60
        let age = clock.now.seconds(since: held.issuedAt.now)
        if let until = breaker.noteRejection(
            generation: generation,
            age: age,
            lifetime: lifetime,
            at: clock.now
        ) {
            return openBreaker(until: until)
        }
        guard state == .fresh || waitsForUse, flight == nil, !breaker.isOpen(at: clock.now) else {
            return
        }
        if let until = breaker.noteFlight(at: clock.now, lifetime: lifetime) {
            return openBreaker(until: until)
        }
        beginFlight(cause)
    }

    mutating func emitRecord<Answer>(
        _ exchange: Exchange<Answer>,
        id: Int,
        purpose: RequestRecord.Purpose,
        token: Fingerprint?,
        generation: Int,
        why: String,
        flight: Int?,
        retryOf: Int? = nil
    ) {
        let result: RequestRecord.Result
        switch exchange.outcome {
        case .answered: result = .answered(status: exchange.wire.status ?? 0)
        case .notSent(let message): result = .notSent(message: message)
        case .unanswered(let message): result = .unanswered(message: message)
        }
        emit(
            .request(
                RequestRecord(
                    id: id,
                    purpose: purpose,
                    method: exchange.wire.method,
                    target: exchange.wire.target,
                    result: result,
                    seconds: exchange.endedAt.now.seconds(since: exchange.sentAt.now),
                    timing: exchange.wire.timing,
                    generation: generation,
                    fingerprint: token,
                    why: why,
                    retryOf: retryOf,
                    flight: flight
                )
            )
        )
    }
}
