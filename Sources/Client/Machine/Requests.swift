import Basics
import Model
import Profiles

/// The users of the access token.
struct TokenUsers: Sendable {
    /// In the order of their requests.
    var waiters: [Waiter] = []
    var requests: [Int: RequestProgress] = [:]
}

/// A caller or a request that waits for a token.
struct Waiter: Sendable, Hashable {
    enum Purpose: Sendable, Hashable {
        case caller(Int)
        /// A protected request that is to be sent, or sent again.
        case request(Int)
    }

    let purpose: Purpose
    let since: Moment
    let deadline: Instant
    /// The token that was refused, for which another one is needed.
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
    /// The token of the last send: generations of two logins may have the same number.
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
        serveOrQueue(Waiter(purpose: .request(id), since: clock, deadline: deadline))
    }

    /// - Parameters:
    ///   - waiter: The number of the caller.
    ///   - deadline: Until when it waits.
    ///   - refused: The token that the caller has sent, and that was refused, if there is one: what the
    ///     caller gets is another one.
    mutating func needToken(waiter: Int, deadline: Instant, inPlaceOf refused: AccessToken?) {
        let waiter = Waiter(
            purpose: .caller(waiter),
            since: clock,
            deadline: deadline,
            refused: refused
        )
        guard let refused else { return serveOrQueue(waiter) }
        let cause = RefreshCause.unauthorized
        let use = recordRefusal(of: refused)
        tokenRejected(use, cause: cause)
        guard flight == nil, isHeldBack(use, cause) else { return serveOrQueue(waiter) }
        if !serve(waiter) { finish(waiter, .failure(whyNotRenewed)) }
    }

    mutating func cancelWaiter(_ purpose: Waiter.Purpose) {
        guard let index = users.waiters.firstIndex(where: { $0.purpose == purpose }) else {
            return
        }
        finish(users.waiters.remove(at: index), .failure(.cancelled))
    }

    /// Serves the waiter now, enqueues it, or fails it if there is nothing to wait for.
    mutating func serveOrQueue(_ waiter: Waiter) {
        if waiter.refused == nil, mustRenewForUse {
            users.waiters.append(waiter)
            return beginFlight(.caller)
        }
        guard !serve(waiter) else { return }
        if waiter.refused == nil, isWithheld, !isRenewing {
            return finish(waiter, .failure(whyNotRenewed))
        }
        switch state {
        case .signedOut(let reason): return finish(waiter, .failure(.signedOut(reason)))
        case .vaultUnavailable(let problem):
            return finish(waiter, .failure(.vaultUnavailable(problem)))
        case .signingOut(let scope):
            return finish(waiter, .failure(.signedOut(scope.reason)))
        case .draining(let reason): return finish(waiter, .failure(.signedOut(reason)))
        case .expired(let outlook) where !isRenewing:
            if let nextAt = outlook.nextAt, nextAt > clock.now {
                return finish(waiter, .failure(.notRenewed(retryAt: nextAt)))
            }
            // The refusal of an older token starts no renewal here either.
            guard renewsOnRejection, !isTooEarlyForUse,
                waiter.refused == nil || waiter.refused == held?.tokens.access
            else {
                return finish(waiter, .failure(.notRenewed(retryAt: nil)))
            }
            users.waiters.append(waiter)
            beginFlight(.caller)
            return
        case .cold, .signingIn, .fresh, .renewing, .retrying, .blocked, .expired, .unknown: break
        }
        guard waiter.deadline > clock.now else { return finish(waiter, .failure(.timedOut)) }
        users.waiters.append(waiter)
    }

    /// Whether a renewal begins before the access token is used, because no timer retries one that
    /// failed, or because the profile requires it.
    private var mustRenewForUse: Bool {
        guard waitsForUse || isWithheld, !isTooEarlyForUse, !sendsExpiredTokens, !isRenewing,
            login == nil, storage.unsaved == nil, flightLock.keptUntilSaved == nil,
            !breaker.isOpen(at: clock.now), endingReason == nil
        else { return false }
        return live?.ledger.notBefore.map { $0 <= clock.now } ?? true
    }

    /// Whether requests get no access token before it is renewed, although it may still be usable.
    var isWithheld: Bool {
        guard configuration.renewsBeforeUse, !sendsExpiredTokens, login == nil,
            storage.unsaved == nil, let session = live,
            session.pair.tokens.refresh != nil || configuration.renewsByLogin
                || endingReason != nil
        else { return false }
        // While the circuit breaker is open, only a use tells whether the token is accepted again.
        return session.ledger.isAccessRefused && !breaker.isOpen(at: clock.now)
            || session.schedule.map { clock.now >= $0.refreshAt } ?? false
    }

    /// Whether the last failure is so recent that a use of the access token starts no attempt yet.
    var isTooEarlyForUse: Bool {
        guard let outlook = state.outlook else { return false }
        switch outlook.hold {
        case .use: return outlook.notBefore.map { clock.now < $0 } ?? false
        case .paused: return false
        case .expiry: return configuration.renewsBeforeUse
        case nil:
            let nextAt = outlook.nextAt ?? .origin
            return configuration.renewsBeforeUse && clock.now < nextAt
        }
    }

    /// Why the refresh token is over while the access token may still be usable.
    private var endingReason: SignedOutReason? {
        guard case .draining(let reason)? = live?.liveState else { return nil }
        return reason
    }

    /// Why a request that needs a renewal first starts none.
    private var whyNotRenewed: WaitFailure {
        if let endingReason { return .signedOut(endingReason) }
        if breaker.isOpen(at: clock.now), let until = breaker.openUntil {
            return .circuitBreakerOpened(until: until)
        }
        return .notRenewed(retryAt: state.outlook?.nextAt)
    }

    /// Whether the next use of the access token starts the next attempt.
    var waitsForUse: Bool { state.outlook?.hold == .use }

    mutating func serve(_ waiter: Waiter) -> Bool {
        guard let session = live, session.pair.tokens.access != waiter.refused,
            session.isUsable(at: clock.now) && !isWithheld || takesExpiredToken(waiter)
        else { return false }
        let grant = TokenGrant(
            token: session.pair.tokens.access,
            generation: session.pair.generation,
            usableUntil: session.schedule?.usableUntil
        )
        finish(waiter, .success(grant))
        return true
    }

    /// Whether a request is sent although its access token has expired; a caller never gets an
    /// expired token.
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

    /// Emits since when the first of the waiters waits, if that has changed.
    mutating func announceWaiting() {
        let since = users.waiters.map(\.since).min { $0.now < $1.now }
        guard since != announcedWaiting else { return }
        announcedWaiting = since
        emit(TokenAwaited(since: since))
    }

    /// Serves the waiters that the current pair can serve, in order, unless their deadlines have
    /// passed: after a suspension, a response comes before the timer.
    mutating func grantWaiters() {
        expireWaiters()
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

    mutating func protectedEnded(
        _ id: OperationID,
        _ exchange: CompletedExchange<ProtectedResponse>
    ) {
        let operation = operations.end(id)
        if case .experiment(let send)? = operation {
            return experimentAnswered(id, send, exchange)
        }
        guard case .protected(let request)? = operation, let progress = users.requests[request]
        else { return }
        logExchange(
            exchange,
            id: progress.record,
            purpose: .protected,
            generation: progress.generation,
            why: progress.why,
            retryOf: progress.refusedRecord,
            tokenIssuedAt: progress.tokenIssuedAt,
            acceptance: exchange.outcome.answer?.acceptance
        )
        let status = exchange.status ?? 0
        take(exchange.captured, of: progress)
        switch exchange.outcome {
        case .notSent(let cause): end(request, .notSent(cause))
        case .unanswered(let detail): end(request, .unanswered(detail: detail))
        case .answered(.accepted):
            accepted(progress.token)
            end(request, .accepted(status: status))
            retrySinceNetworkIsBack()
        case .answered(.listed(let sessions)):
            accepted(progress.token)
            end(request, .listed(sessions, status: status))
            retrySinceNetworkIsBack()
        case .answered(.inconclusive): end(request, .inconclusive(status: status))
        case .answered(.tokenRejected): rejected(request, progress, status: status)
        }
    }

    mutating func end(_ request: Int, _ end: RequestEnd) {
        if let progress = users.requests.removeValue(forKey: request) {
            reportSessions(progress.call, end)
        }
        effects.append(.finishRequest(id: request, end))
    }

    private mutating func accepted(_ token: AccessToken?) {
        let now = clock.now
        guard let use = live?.ledger.requestAccepted(with: token, at: now) else { return }
        breaker.recordAccepted(age: use.age, lifetime: use.lifetime ?? Self.usualLifetime)
        closeBreaker()
    }

    /// Retries a renewal because a request that began before the access token expired was answered.
    private mutating func retrySinceNetworkIsBack() {
        guard case .expired = state, let session = live, !session.isUsable(at: clock.now),
            pauses.isEmpty
        else { return }
        beginFlight(.retry)
    }
}

/// The results of a protected call that are published.
extension ClientMachine {
    mutating func reportSessions(_ call: ProtectedCall, _ end: RequestEnd) {
        switch (call, end) {
        case (.request, _), (.custom, _): break
        case (.sessions, .listed(let sessions, _)): emit(SessionListUpdate.listed(sessions))
        case (.endSession(let id), .accepted): emit(SessionListUpdate.ended(id))
        case (.sessions, _): emit(SessionListUpdate.failed(SessionListFailure(.list, end)))
        case (.endSession, _): emit(SessionListUpdate.failed(SessionListFailure(.end, end)))
        }
    }
}
