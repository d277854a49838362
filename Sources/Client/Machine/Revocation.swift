import Basics
import Model
import Profiles

/// Refresh tokens that ended here and that the backend has not been notified of yet.
struct Outbox: Sendable {
    /// Between tries, in seconds.
    static let shortestWait = 5.0
    static let longestWait = 3600.0

    private(set) var entries: [PendingRevocation] = []
    /// The entries that no outcome is known of yet, not even a failed attempt.
    private(set) var untried: Set<String>
    /// The results of the other revocations in this run.
    private(set) var outcomes: Set<RevocationPhase> = []
    var inFlight: String?
    /// The entry of the logout that the user waits for, which is sent first and without delay.
    private(set) var urgent: String?
    private var failures = 0

    init(_ entries: [PendingRevocation] = []) {
        self.entries = entries
        untried = Set(entries.map(\.id))
    }

    var next: PendingRevocation? {
        entries.first { $0.id == urgent } ?? entries.first
    }

    mutating func add(_ entry: PendingRevocation) {
        entries.append(entry)
        untried.insert(entry.id)
    }

    /// Records the outcome of an entry, or of a logout that has none.
    mutating func record(_ outcome: RevocationPhase, of id: String?) {
        outcomes.insert(outcome)
        if let id { untried.remove(id) }
    }

    /// Makes an entry the urgent one, unless it was delivered or dropped before its logout was
    /// stored.
    mutating func prioritize(_ id: String) {
        guard entries.contains(where: { $0.id == id }) else { return }
        urgent = id
    }

    mutating func remove(_ id: String) {
        entries.removeAll { $0.id == id }
        failures = 0
        if urgent == id { urgent = nil }
    }

    /// Puts the entry behind the others, so that it does not hold them up.
    ///
    /// - Returns: Seconds until the next try.
    mutating func waitAfterFailure(of id: String) -> Double {
        if urgent == id { urgent = nil }
        if let index = entries.firstIndex(where: { $0.id == id }) {
            entries.append(entries.remove(at: index))
        }
        failures += 1
        return min(Self.shortestWait * Double(1 << min(failures - 1, 12)), Self.longestWait)
    }
}

/// The revocation of pairs that are no longer used.
extension ClientMachine {
    /// Why a logout cannot be sent to the backend.
    struct RevocationObstacle: Error, Hashable {
        var phase: RevocationPhase
    }

    /// Whether the pair can be revoked at the backend.
    func canRevoke(_ pair: SessionPair, _ scope: LogoutScope) -> Bool {
        obstacle(
            to: scope,
            refresh: pair.tokens.refresh,
            access: liveAccess(of: pair),
            captures: pair.tokens.captures
        ) == nil
    }

    /// The request to be sent, with the tokens that it needs and no other.
    mutating func pendingRevocation(
        of pair: SessionPair,
        _ scope: LogoutScope
    ) -> Result<PendingRevocation, RevocationObstacle> {
        let refresh = pair.tokens.refresh
        let captures = pair.tokens.captures
        if let phase = obstacle(
            to: scope,
            refresh: refresh,
            access: liveAccess(of: pair),
            captures: captures
        ) {
            return .failure(RevocationObstacle(phase: phase))
        }
        let needs = configuration.logoutNeeds[scope]
        // Values that the request does not hold are not kept for it.
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
                captures: captures.limited(to: neededCaptures(scope, refresh)),
                expiresAt: ends.compactMap(\.self).min().map { clock.wallTime(at: $0) }
            )
        )
    }

    /// Returns the access token, or `nil` if it has expired, so that no request with it can
    /// succeed.
    private func liveAccess(of pair: SessionPair) -> AccessToken? {
        if let end = pair.access?.at, end <= clock.now { return nil }
        return pair.tokens.access
    }

    /// Returns what prevents the request, or `nil` if nothing does.
    private func obstacle(
        to scope: LogoutScope,
        refresh: RefreshToken?,
        access: AccessToken?,
        captures: CapturedValues
    ) -> RevocationPhase? {
        guard let needs = configuration.logoutNeeds[scope] else { return .notOffered }
        if needs.refresh, refresh == nil, !needs.accessSuffices { return .noRefreshToken }
        let isAccessNeeded = refresh == nil ? needs.access || needs.accessSuffices : needs.access
        if isAccessNeeded, access == nil { return .noAccessToken }
        let names = neededCaptures(scope, refresh)
        return names.contains { captures[$0] == nil } ? .noCapturedValue : nil
    }

    /// The captured values that the request sends.
    private func neededCaptures(_ scope: LogoutScope, _ refresh: RefreshToken?) -> Set<String> {
        guard let needs = configuration.logoutNeeds[scope] else { return [] }
        return refresh == nil ? needs.capturesWithoutRefresh : needs.captures
    }

    /// Whether the request for a logout does not identify the session.
    func isAnonymous(_ scope: LogoutScope) -> Bool {
        configuration.logoutNeeds[scope]?.isAnonymous == true
    }

    /// Queues the revocation of a pair that is no longer used, if the backend can identify it.
    mutating func queueRevocation(of pair: SessionPair) {
        guard !isAnonymous(.this) else { return }
        switch pendingRevocation(of: pair, .this) {
        case .success(let revocation):
            outbox.add(revocation)
            emit(RevocationChanged(.pending))
            saveOutbox(without: nil)
            sendNextRevocation()
        case .failure(let obstacle):
            guard obstacle.phase != .notOffered else { return }
            revocationTried(nil, obstacle.phase)
        }
    }

    /// Revokes the session that a login has replaced, once that login is stored.
    mutating func revokeReplaced() {
        let pairs = storage.replaced
        storage.replaced = []
        for pair in pairs { queueRevocation(of: pair) }
    }

    /// Takes out what was stored and can never be sent.
    mutating func dropUndeliverable() {
        for entry in outbox.entries {
            guard
                let phase = obstacle(
                    to: entry.scope,
                    refresh: entry.refresh,
                    access: entry.access,
                    captures: entry.captures
                )
            else { continue }
            forget(entry, as: phase)
        }
    }

    mutating func forget(
        _ entry: PendingRevocation,
        as phase: RevocationPhase,
        status: Int? = nil
    ) {
        outbox.remove(entry.id)
        revocationTried(entry.id, phase, status: status)
        saveOutbox(without: entry.id)
    }

    /// The result once the time to send an entry has passed.
    func phaseOnceOver(_ entry: PendingRevocation) -> RevocationPhase {
        let needsAccess = configuration.logoutNeeds[entry.scope]?.access == true
        return needsAccess && entry.refresh != nil ? .noAccessToken : .expired
    }

    // MARK: - Send

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

    mutating func revocationEnded(_ id: OperationID, _ exchange: CompletedExchange<LogoutResponse>)
    {
        guard case .revocation(let entry, let record)? = operations.end(id) else { return }
        logExchange(
            exchange,
            id: record,
            purpose: .logout,
            token: entry.refresh.map { fingerprinter.fingerprint(of: $0) },
            why: .logout(entry.scope)
        )
        outbox.inFlight = nil
        let status = exchange.status
        switch exchange.outcome {
        case .answered(.acknowledged):
            forget(entry, as: isAnonymous(entry.scope) ? .anonymous : .done, status: status)
        case .answered(.tokenUnknown): forget(entry, as: .notKnown, status: status)
        case .answered(.failed), .notSent, .unanswered:
            revocationTried(entry.id, .pending, status: status)
            let wait = max(outbox.waitAfterFailure(of: entry.id), minimumDelay(exchange.outcome))
            let next = clock.now.advanced(bySeconds: wait)
            timers[.outbox] = max(next, timers[.outbox] ?? next)
        }
        sendNextRevocation()
        finishLogoutIfRevoked()
    }

    /// Returns the wait that the server requested, in seconds.
    private func minimumDelay(_ outcome: Outcome<LogoutResponse>) -> Double {
        guard case .answered(.failed(_, let retryAfter)) = outcome else { return 0 }
        return (server.seconds(until: retryAfter, from: clock.wall) ?? 0).clamped(
            to: 0...RetryPolicy.longestRetryAfter
        )
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
