import Basics
import Model

/// The plan that the set timers make up.
extension ClientMachine {
    /// The next renewal of the pair, or `nil` if no pair is held, unless a login for one has to wait for
    /// the lock.
    var renewalPlan: RenewalPlan? {
        if let login, live != nil || login.hasWaited { return plan(of: login.lockWait) }
        guard let session = live else { return nil }
        switch session.renewal {
        case .flight(let flight): return plan(of: flight.lockWait)
        case .probing: return .underWay
        case .none: break
        }
        if case .draining(let reason) = session.liveState { return .impossible(reason) }
        guard session.pair.tokens.refresh != nil || configuration.renewsByLogin else {
            return .impossible(session.pair.ending ?? .accessExpired)
        }
        if let postponed = flightLock.postponed, !isHeldBack(postponed.cause) {
            return .held(.unsaved)
        }
        if !pauses.isEmpty { return .held(hold(inPauseOf: session)) }
        if hasEndedUnsaved(session) { return .held(.unsaved) }
        if let next = nextRenewal(session) { return .scheduled(at: next.at, next.reason) }
        switch session.liveState.state.outlook?.hold {
        case .use: return .held(.use)
        case .expiry: return .held(.expiry)
        case .paused, nil: break
        }
        return .held(session.schedule == nil ? .rejection : .expiry)
    }

    /// The present attempt, unless it waits for the lock.
    private func plan(of wait: LockWait?) -> RenewalPlan {
        wait.map { .awaitsLock(since: $0.since, by: $0.holder) } ?? .underWay
    }

    /// Whether the access token ended before the pair could be stored, and nothing has failed since.
    private func hasEndedUnsaved(_ session: LiveSession) -> Bool {
        guard storage.unsaved != nil, timers[.retry] == nil,
            case .expired(let outlook) = session.liveState
        else { return false }
        return outlook.hold == nil
    }

    /// The trigger that renews the pair while renewal is paused.
    private func hold(inPauseOf session: LiveSession) -> RenewalHold {
        guard renewsOnRejection else { return .user }
        // A request does not go on with a token that has ended if only the background pauses.
        guard !sendsExpiredTokens else { return .paused }
        let waitsForUse = session.liveState.state.outlook?.hold == .use
        return waitsForUse || isWithheld || !session.isUsable(at: clock.now) ? .use : .paused
    }

    /// Emits the plan if it is another one than before.
    mutating func announceRenewalPlan() {
        let plan = renewalPlan
        guard plan != announcedPlan else { return }
        announcedPlan = plan
        if let plan { emit(RenewalPlanned(plan)) }
    }

    private typealias NextRenewal = (at: Instant, reason: RenewalReason)

    /// The first of the timers that begin a flight.
    private func nextRenewal(_ session: LiveSession) -> NextRenewal? {
        var next: NextRenewal?
        func consider(_ at: Instant, _ reason: @autoclosure () -> RenewalReason) {
            if next.map({ at < $0.at }) ?? true { next = (at, reason()) }
        }
        let isFresh = if case .fresh = session.liveState { true } else { false }
        if isFresh, let at = timers[.refreshAt] { consider(at, reason(at, session)) }
        // The token's end begins a flight too, if what was due before was put off.
        if isFresh, let at = timers[.usableUntil] {
            consider(at, obstacle(at, session) ?? .accessTokenEnds)
        }
        if let at = timers[.retry] { consider(at, session.tally.repeatReason) }
        if let at = timers[.refreshEnd] {
            let isSpent = session.ledger.isRefreshTokenSpent
            consider(at, isSpent ? .refreshTokenSpent : .lastUseOfRefreshToken)
        }
        return next
    }

    /// Why the pair is due then.
    private func reason(_ at: Instant, _ session: LiveSession) -> RenewalReason {
        if let obstacle = obstacle(at, session) { return obstacle }
        return isForRefreshToken(session) ? .refreshTokenEnds : .accessTokenEnds
    }

    /// Why the backend most likely refuses the refresh token then, or `nil` if nothing says so.
    private func obstacle(_ at: Instant, _ session: LiveSession) -> RenewalReason? {
        guard session.pair.tokens.refresh != nil else { return nil }
        if session.pair.hasRefreshEnded(at: at) { return .refreshTokenOver }
        return session.ledger.isRefreshTokenSpent ? .refreshTokenSpent : nil
    }
}
