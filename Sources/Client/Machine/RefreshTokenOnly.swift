import Basics
import FoundationEssentials
import Model
import Profiles

/// An answer that brings a new refresh token and no access token that can be used.
///
/// The token that was sent is spent, so that the new one is stored before anything else happens, with
/// the access token of the pair in use, and sent by the next try.
extension ClientMachine {
    /// The consequences of such an answer besides its token.
    struct RefreshTokenOnly: Sendable {
        let failure: RefreshFailure
        /// The wait that the server requested, in seconds.
        let retryAfter: Double?
    }

    /// Writes the pair in use with its new refresh token.
    mutating func commitRefreshToken(
        _ successor: RefreshSuccessor,
        retryAfter: Double?,
        sentAt: Moment
    ) {
        guard let session = live, let flight else { return }
        let next = session.ledger.pair(with: successor, sentAt: sentAt, server: server)
        let failure = RefreshFailure(
            .refreshTokenOnly(status: successor.status, detail: successor.message)
        )
        var record = currentRecord(journal: nil)
        record.pair = next.stored(offset: server.offset)
        commit(
            record,
            as: .refreshTokenOnly(
                flight.number,
                next,
                RefreshTokenOnly(failure: failure, retryAfter: retryAfter)
            )
        )
    }

    mutating func refreshTokenCommitted(
        _ number: Int,
        _ next: SessionPair,
        _ answer: RefreshTokenOnly,
        _ result: Result<CommitVerdict, VaultProblem>
    ) {
        guard follows(next, of: number, result), let session = live, let flight else { return }
        if session.tally.lost > 0 { emit(GraceRecovered(after: session.tally.lastLoss)) }
        replaceRefreshToken(with: next)
        if storage.unsaved == nil { endFlight() } else { endFlightOnceSaved() }
        emitPair(origin: .refresh, rotated: true, request: flight.broughtBy, keepsAccess: true)
        orderFeed(of: next, session, after: flight.cause)
        retryLater(answer.failure, retryAfter: answer.retryAfter, flight: number)
    }

    private mutating func replaceRefreshToken(with next: SessionPair) {
        live?.tally.settleLosses()
        live?.ledger.replaceRefreshToken(with: next)
        setRefreshEnd(of: next)
    }

    // MARK: - Of another process

    /// Whether a pair that another process has stored is the one in use but for its refresh token.
    func bringsRefreshTokenOnly(_ pair: SessionPair) -> Bool {
        guard stage.isLive, let held, held.tokens.refresh != nil, pair.family == held.family,
            pair.tokens.refresh != nil, pair.tokens.access == held.tokens.access
        else { return false }
        // An answer may repeat the access token, which then counts from its request on.
        return abs(pair.issuedAt.wall.timeIntervalSince(held.issuedAt.wall)) < 0.001
    }

    /// Takes the refresh token over.
    ///
    /// What was tried here waits for its next time, because the backend would hardly bring more to the
    /// one process than to the other.
    mutating func adoptRefreshToken(of pair: SessionPair, interrupting flight: Int?) {
        guard let held else { return }
        let pair = pair.keepingAccessTimes(of: held)
        replaceRefreshToken(with: pair)
        emit(PairAdopted())
        emitPair(origin: .adopted, rotated: true, request: nil, keepsAccess: true)
        guard let session = live else { return }
        orderFeed(of: pair, session, after: .retry)
        if case .fresh = session.liveState { return }
        live?.renewal = .none
        retryLater(RefreshFailure(.vaultChanged), retryAfter: nil, flight: flight ?? 0)
    }

    /// Gives the feed the number of the pair, with whose access token it may go on; one that was
    /// refused waits for another token.
    private mutating func orderFeed(
        of next: SessionPair,
        _ session: LiveSession,
        after cause: RefreshCause
    ) {
        guard session.isUsable(at: clock.now), !session.ledger.isAccessRefused, !cause.isRefusal,
            cause != .feed
        else { return }
        let usableUntil = session.schedule?.usableUntil
        orderFeed(.token(generation: next.generation, usableUntil: usableUntil))
    }
}

extension FailureTally {
    /// Makes the lost answers failures like others: the refresh token that they left in doubt has been
    /// replaced.
    fileprivate mutating func settleLosses() {
        transient += lost - lostWhileExpired
        expired += lostWhileExpired
        (lost, lostWhileExpired, sinceLoss) = (0, 0, 0)
        (firstLossAt, lastLoss) = (nil, nil)
        (clientFaults, doubts, doubtStatus) = (0, 0, nil)
    }
}
