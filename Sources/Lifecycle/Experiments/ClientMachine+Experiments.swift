import Dialects
import Timekeeping
import Tokens

/// The experiment in progress, of which there is at most one.
struct ExperimentProgress: Sendable {
    enum Step: Sendable {
        /// Waits for the response to a request with an access token; seconds since its end, and
        /// whether it may be refused for another cause than that of the experiment.
        case request(OperationID, secondsAfterEnd: Double?, hasOtherCause: Bool)
        /// Waits for the response to the replaced refresh token.
        case replay(OperationID)
        /// Waits for the response to a request with the access token in use.
        case check(OperationID, Replay)
        /// Waits for a renewal, which shows whether the session is still alive.
        case renewal(Replay)
        /// Waits for the socket after this one.
        case feed(socket: Int, cutAt: Instant, openedAt: Instant?, missedBefore: Int)
    }

    /// What became of the replaced refresh token.
    enum Replay: Sendable, Hashable {
        case refused
        case accepted(isSamePair: Bool)
        case inconclusive(status: Int)
        case unanswered
    }

    let experiment: Experiment
    var step: Step
}

/// What an experiment sends, for the request log.
struct ExperimentSend: Sendable {
    let record: Int
    let experiment: Experiment
    /// The generation of the token, or 0 if no pair had it.
    let generation: Int
    let token: Fingerprint
    let issuedAt: Instant?
}

/// Experiments: what they send is no request of the session, so that no response to it starts a
/// renewal, opens the circuit breaker or ends the session by itself.
extension ClientMachine {
    /// How long the feed may stay away, and how long it may be silent after its return, in seconds.
    static let feedExperimentLimit = 30.0

    mutating func begin(_ experiment: Experiment) {
        guard self.experiment == nil else { return reject(.experimentUnderWay) }
        guard let session = live, login == nil else { return reject(.nothingToRenew) }
        switch experiment {
        case .expiredToken:
            guard let expired = expiredToken(session) else {
                return reject(.noExpiredToken(endsAt: statedEnd(of: session.pair)))
            }
            sendRequest(
                experiment,
                with: expired.token,
                generation: expired.generation,
                issuedAt: expired.issuedAt,
                secondsAfterEnd: clock.now.seconds(since: expired.end),
                hasOtherCause: expired.generation != session.pair.generation
            )
        case .corruptedToken:
            sendRequest(
                experiment,
                with: session.pair.tokens.access.corrupted,
                generation: 0,
                issuedAt: nil,
                secondsAfterEnd: nil,
                hasOtherCause: !session.isUsable(at: clock.now)
            )
        case .replayedToken: replay(session)
        case .cutFeed: cutFeed()
        }
    }

    private mutating func reject(_ rejection: ActionRejection) {
        emit(.actionRejected(rejection))
    }

    // MARK: - A request with an access token

    private struct ExpiredToken {
        let token: AccessToken
        let generation: Int
        let issuedAt: Instant
        let end: Instant
    }

    /// The access token in use if it has expired, else the one before it if that has.
    private func expiredToken(_ session: LiveSession) -> ExpiredToken? {
        let pairs = [session.pair, session.ledger.replaced?.pair].compactMap(\.self)
        for pair in pairs {
            guard let end = statedEnd(of: pair), end <= clock.now else { continue }
            return ExpiredToken(
                token: pair.tokens.access,
                generation: pair.generation,
                issuedAt: pair.issuedAt.now,
                end: end
            )
        }
        return nil
    }

    /// When the access token ends as stated, or `nil` if that is assumed or unknown.
    private func statedEnd(of pair: SessionPair) -> Instant? {
        guard let access = pair.access, !access.expiry.isAssumed else { return nil }
        return access.statedEnd
    }

    private mutating func sendRequest(
        _ experiment: Experiment,
        with token: AccessToken,
        generation: Int,
        issuedAt: Instant?,
        secondsAfterEnd: Double?,
        hasOtherCause: Bool
    ) {
        guard configuration.capabilities.hasProtectedRequest else {
            return reject(.noProtectedRequest)
        }
        let send = send(experiment, token.secret, generation: generation, issuedAt: issuedAt)
        let id = begin(.experiment(send))
        self.experiment = ExperimentProgress(
            experiment: experiment,
            step: .request(
                id,
                secondsAfterEnd: secondsAfterEnd,
                hasOtherCause: hasOtherCause
            )
        )
        emit(.experimentStarted(experiment))
        effects.append(.sendProtected(id, .request, token, isRetry: false))
    }

    private mutating func send(
        _ experiment: Experiment,
        _ token: Secret,
        generation: Int,
        issuedAt: Instant?
    ) -> ExperimentSend {
        ExperimentSend(
            record: nextRecord(),
            experiment: experiment,
            generation: generation,
            token: fingerprinter.fingerprint(of: token),
            issuedAt: issuedAt
        )
    }

    mutating func experimentAnswered(
        _ id: OperationID,
        _ send: ExperimentSend,
        _ exchange: Exchange<ProtectedResponse>
    ) {
        note(exchange, of: send, purpose: .protected)
        switch experiment?.step {
        case .request(id, let secondsAfterEnd, let hasOtherCause)?:
            conclude(
                Self.verdict(
                    exchange,
                    secondsAfterEnd: secondsAfterEnd,
                    hasOtherCause: hasOtherCause
                )
            )
        case .check(id, let replay)?: renew(after: replay)
        case .request?, .check?, .replay?, .renewal?, .feed?, nil: break
        }
    }

    private static func verdict(
        _ exchange: Exchange<ProtectedResponse>,
        secondsAfterEnd: Double?,
        hasOtherCause: Bool
    ) -> ExperimentVerdict {
        let status = exchange.wire.status ?? 0
        return switch exchange.outcome {
        case .notSent, .unanswered: .unanswered
        case .answered(.accepted), .answered(.listed):
            .tokenAccepted(status: status, secondsAfterEnd: secondsAfterEnd)
        case .answered(.tokenRejected):
            .tokenRefused(status: status, hasOtherCause: hasOtherCause)
        case .answered(.inconclusive): .inconclusive(status: status)
        }
    }

    private mutating func note<Answer>(
        _ exchange: Exchange<Answer>,
        of send: ExperimentSend,
        purpose: RequestRecord.Purpose
    ) {
        note(
            exchange,
            id: send.record,
            purpose: purpose,
            token: send.token,
            generation: send.generation,
            why: .experiment(send.experiment),
            tokenIssuedAt: send.issuedAt
        )
    }

    // MARK: - The replaced refresh token

    private mutating func replay(_ session: LiveSession) {
        guard flight == nil, storage.unsaved == nil else { return reject(.renewalUnderWay) }
        guard session.pair.tokens.refresh != nil, let replaced = session.ledger.replaced?.refresh
        else { return reject(.noReplacedToken) }
        let send = send(
            .replayedToken,
            replaced.token.secret,
            generation: replaced.generation,
            issuedAt: replaced.issuedAt
        )
        let id = begin(.experiment(send))
        experiment = ExperimentProgress(experiment: .replayedToken, step: .replay(id))
        emit(.experimentStarted(.replayedToken))
        effects.append(.sendRefresh(id, replaced.token))
    }

    /// The response to the replaced refresh token; what it brings is not used.
    mutating func experimentAnswered(
        _ id: OperationID,
        _ send: ExperimentSend,
        _ exchange: Exchange<RefreshResponse>
    ) {
        note(exchange, of: send, purpose: .refresh)
        guard case .replay(id)? = experiment?.step, let held else { return }
        let replay: ExperimentProgress.Replay
        switch exchange.outcome {
        case .notSent: return conclude(.unanswered)
        case .unanswered, .answered(.failed(.undecodable)): replay = .unanswered
        case .answered(.refused): replay = .refused
        case .answered(.failed): replay = .inconclusive(status: exchange.wire.status ?? 0)
        case .answered(.issued(let issued)):
            replay = .accepted(isSamePair: issued.refresh == held.tokens.refresh)
        }
        guard configuration.capabilities.hasProtectedRequest else { return renew(after: replay) }
        let send = self.send(
            .replayedToken,
            held.tokens.access.secret,
            generation: held.generation,
            issuedAt: held.issuedAt.now
        )
        let check = begin(.experiment(send))
        experiment?.step = .check(check, replay)
        effects.append(.sendProtected(check, .request, held.tokens.access, isRetry: false))
    }

    /// Renews, which shows whether the session is still alive.
    private mutating func renew(after replay: ExperimentProgress.Replay) {
        experiment?.step = .renewal(replay)
        if flight == nil { beginFlight(.person) }
    }

    /// Whether a refusal of the refresh token in use is the consequence of an experiment.
    var isReplayPending: Bool {
        switch experiment?.step {
        case .replay?, .check?, .renewal?: true
        case .request?, .feed?, nil: false
        }
    }

    /// A pair was obtained by a renewal, of this process or another one.
    mutating func experimentRenewed() {
        guard case .renewal(let replay)? = experiment?.step else { return }
        switch replay {
        case .refused: conclude(.refusedAlone)
        case .accepted(let isSamePair): conclude(.acceptedAgain(isSamePair: isSamePair))
        case .inconclusive(let status): conclude(.inconclusive(status: status))
        case .unanswered: conclude(.unanswered)
        }
    }

    // MARK: - The feed

    private mutating func cutFeed() {
        guard let feed, let socket = feed.openSocket else { return reject(.noOpenFeed) }
        experiment = ExperimentProgress(
            experiment: .cutFeed,
            step: .feed(
                socket: socket,
                cutAt: clock.now,
                openedAt: nil,
                missedBefore: feed.missed
            )
        )
        timers[.experiment] = clock.now.advanced(bySeconds: Self.feedExperimentLimit)
        emit(.experimentStarted(.cutFeed))
        effects.append(.feed(.cut(socket: socket)))
    }

    /// Observes the sockets after the one that was cut.
    mutating func observeForExperiment(_ event: FeedEvent) {
        guard case .feed(let cut, let cutAt, let openedAt, let missed)? = experiment?.step else {
            return
        }
        switch event {
        case .opened(let socket, _, _) where socket > cut:
            experiment?.step = .feed(
                socket: cut,
                cutAt: cutAt,
                openedAt: clock.now,
                missedBefore: missed
            )
            timers[.experiment] = clock.now.advanced(bySeconds: Self.feedExperimentLimit)
        case .message(let socket, _, _, _, _, _) where socket > cut:
            conclude(
                .feedReturned(
                    seconds: (openedAt ?? clock.now).seconds(since: cutAt),
                    missed: (feed?.missed ?? missed) - missed
                )
            )
        default: break
        }
    }

    mutating func experimentTimedOut() {
        guard case .feed(_, let cutAt, let openedAt, _)? = experiment?.step else { return }
        let end = openedAt ?? clock.now
        let seconds = end.seconds(since: cutAt)
        conclude(
            openedAt == nil
                ? .feedStayedAway(seconds: seconds) : .feedReturnedSilent(seconds: seconds)
        )
    }

    // MARK: - The end

    /// The session ends, or its refresh token is refused for good.
    mutating func experimentEnds(with reason: SignedOutReason) {
        guard let experiment else { return }
        guard reason == .experiment else { return conclude(.interrupted) }
        switch experiment.step {
        case .check(_, let replay), .renewal(let replay):
            switch replay {
            case .accepted: conclude(.sessionRevoked(wasAccepted: true))
            case .refused: conclude(.sessionRevoked(wasAccepted: false))
            case .inconclusive, .unanswered: conclude(.sessionRevoked(wasAccepted: nil))
            }
        case .replay: conclude(.sessionRevoked(wasAccepted: nil))
        case .request, .feed: conclude(.interrupted)
        }
    }

    private mutating func conclude(_ verdict: ExperimentVerdict) {
        guard let progress = experiment else { return }
        experiment = nil
        timers[.experiment] = nil
        emit(.experimentEnded(ExperimentResult(progress.experiment, verdict)))
    }
}
