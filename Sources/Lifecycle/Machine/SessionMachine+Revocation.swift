import Dialects
import Timekeeping
import Tokens

/// What the backend is told of a pair that nobody will use: only what it can be told.
extension SessionMachine {
    /// Why the backend cannot be told of a logout.
    struct RevocationObstacle: Error, Hashable {
        var phase: RevocationPhase
    }

    /// Whether the backend can be told of the pair's end.
    func canTell(of pair: HeldPair, _ scope: LogoutScope) -> Bool {
        obstacle(to: scope, refresh: pair.tokens.refresh, access: liveAccess(of: pair)) == nil
    }

    /// What is to be sent, with the tokens that it needs and no other.
    mutating func pendingRevocation(
        of pair: HeldPair,
        _ scope: LogoutScope
    ) -> Result<PendingRevocation, RevocationObstacle> {
        let refresh = pair.tokens.refresh
        if let phase = obstacle(to: scope, refresh: refresh, access: liveAccess(of: pair)) {
            return .failure(RevocationObstacle(phase: phase))
        }
        let needs = configuration.logoutNeeds[scope]
        // What the request does not hold is not kept for it.
        let isAnonymous = isAnonymous(scope)
        let sendsAccess = needs?.access == true || (refresh == nil && !isAnonymous)
        let ends = [
            needs?.refresh == true && refresh != nil ? pair.refresh?.at : nil,
            sendsAccess ? pair.access?.at : nil,
        ]
        return .success(
            PendingRevocation(
                id: String(random.next(), radix: 16),
                scope: scope,
                refresh: isAnonymous ? nil : refresh,
                access: sendsAccess ? pair.tokens.access : nil,
                expiresAt: ends.compactMap(\.self).min().map { clock.wallTime(at: $0) }
            )
        )
    }

    /// Nil once it has ended: no request with it can succeed.
    private func liveAccess(of pair: HeldPair) -> AccessToken? {
        if let end = pair.access?.at, end <= clock.now { return nil }
        return pair.tokens.access
    }

    /// What is missing for the backend to be told; nil: nothing.
    private func obstacle(
        to scope: LogoutScope,
        refresh: RefreshToken?,
        access: AccessToken?
    ) -> RevocationPhase? {
        guard let needs = configuration.logoutNeeds[scope] else { return .notOffered }
        if needs.refresh, refresh == nil, !needs.accessSuffices { return .noRefreshToken }
        let isAccessNeeded = refresh == nil ? needs.access || needs.accessSuffices : needs.access
        return isAccessNeeded && access == nil ? .noAccessToken : nil
    }

    /// Whether the request for a logout does not tell whose session is meant.
    func isAnonymous(_ scope: LogoutScope) -> Bool {
        configuration.logoutNeeds[scope]?.isAnonymous == true
    }

    /// A pair that nobody will use: the backend is told, where it can be, and can know which it is.
    mutating func queueRevocation(of pair: HeldPair) {
        guard !isAnonymous(.this) else { return }
        switch pendingRevocation(of: pair, .this) {
        case .success(let revocation):
            outbox.add(revocation)
            emit(.revocation(.pending))
            saveOutbox(without: nil)
            sendNextRevocation()
        case .failure(let obstacle):
            guard obstacle.phase != .notOffered else { return }
            emit(.revocation(obstacle.phase))
        }
    }

    /// What a login took the place of, once that login is stored.
    mutating func revokeReplaced() {
        let pairs = replaced
        replaced = []
        for pair in pairs { queueRevocation(of: pair) }
    }

    /// Takes out what was stored and can never be sent.
    mutating func dropUndeliverable() {
        for entry in outbox.entries {
            guard
                let phase = obstacle(to: entry.scope, refresh: entry.refresh, access: entry.access)
            else { continue }
            forget(entry, as: phase)
        }
    }

    mutating func forget(_ entry: PendingRevocation, as phase: RevocationPhase) {
        outbox.remove(entry.id)
        emit(.revocation(phase))
        saveOutbox(without: entry.id)
    }

    /// What it means that the time to send an entry has passed.
    func phaseOnceOver(_ entry: PendingRevocation) -> RevocationPhase {
        let needsAccess = configuration.logoutNeeds[entry.scope]?.access == true
        return needsAccess && entry.refresh != nil ? .noAccessToken : .expired
    }
}
