import Basics
import Model
import Profiles

/// The refusal of an access token by a request, a caller or the feed, and what follows from it.
extension ClientMachine {
    /// The lifetime of an access token of which nothing states one, in seconds.
    static let usualLifetime = 60.0

    /// Whether a refusal of the token in use is no reason to renew it.
    private func isNotAboutToken(_ use: AccessTokenUse?, _ cause: RefreshCause) -> Bool {
        guard let use, cause.isRefusal else { return false }
        return !acceptances.mayBeAboutToken(age: use.age)
    }

    /// Records that a request with an access token was refused; `nil` if it is not the one in use.
    mutating func recordRefusal(of token: AccessToken?) -> AccessTokenUse? {
        let now = clock.now
        let acceptances = acceptances
        return live?.ledger.requestRefused(with: token, at: now) {
            acceptances.mayBeAboutToken(age: $0.age)
        }
    }

    /// Whether a refusal of the token in use starts no renewal.
    func isHeldBack(_ use: AccessTokenUse?, _ cause: RefreshCause) -> Bool {
        breaker.isOpen(at: clock.now) || !renewsOnRejection || isTooEarlyForUse
            || isNotAboutToken(use, cause)
    }

    mutating func rejected(_ request: Int, _ progress: RequestProgress, status: Int) {
        let cause: RefreshCause = status == 401 ? .unauthorized : .tokenRefused
        let use = recordRefusal(of: progress.token)
        guard progress.sends < 2 else {
            end(request, .rejected(status: status))
            if configuration.secondRefusalEnds, login == nil, use != nil {
                return signOut(.renewedTokenRefused)
            }
            return tokenRejected(use, cause: cause)
        }
        users.requests[request]?.refusedRecord = progress.record
        users.requests[request]?.refusedStatus = status
        tokenRejected(use, cause: cause)
        guard users.requests[request] != nil else { return }
        guard progress.deadline > clock.now else {
            return end(request, .rejected(status: status))
        }
        let waiter = Waiter(
            purpose: .request(request),
            since: clock,
            deadline: progress.deadline,
            refused: progress.token
        )
        if isHeldBack(use, cause), flight == nil, !serve(waiter) {
            return end(request, .rejected(status: status))
        }
        guard users.requests[request]?.sends == 1 else { return }
        serveOrQueue(waiter)
    }

    /// Decides what follows from a dial of the feed that was refused with the token of a generation.
    mutating func feedRejected(_ generation: Int) {
        let use = live?.ledger.socketRefused(generation: generation, at: clock.now)
        tokenRejected(use, cause: .feed)
    }

    /// Decides what follows from a refusal of the access token in use; `use` is `nil` if an older
    /// one was refused.
    mutating func tokenRejected(_ use: AccessTokenUse?, cause: RefreshCause) {
        guard let use, login == nil, !isNotAboutToken(use, cause) else { return }
        if case .draining(let reason) = state {
            // A refused upgrade proves nothing about the token (uvicorn#1181).
            return cause == .feed ? () : signOut(reason)
        }
        // Without a way to renew, a refusal of the feed has no effect.
        let canRenew = use.hasRefreshToken || configuration.renewsByLogin
        guard canRenew || cause != .feed, renewsOnRejection else { return }
        // The feed limits its own renewals, and must not hold back those of the timer.
        let lifetime = use.lifetime ?? Self.usualLifetime
        if cause != .feed,
            let until = breaker.recordRejection(
                generation: use.generation,
                age: use.age,
                lifetime: lifetime,
                at: clock.now
            )
        {
            return openBreaker(until: until)
        }
        // While renewal is paused, no timer starts the attempt that another state waits for.
        let isOnlyCause = (waitsForUse && !isTooEarlyForUse) || (cause.isRefusal && !pauses.isEmpty)
        guard state == .fresh || isOnlyCause, flight == nil, !breaker.isOpen(at: clock.now) else {
            return
        }
        if cause != .feed, let until = breaker.recordFlight(at: clock.now, lifetime: lifetime) {
            return openBreaker(until: until)
        }
        beginFlight(cause)
    }
}
