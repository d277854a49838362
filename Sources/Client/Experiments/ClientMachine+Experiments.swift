import Basics
import Model
import Profiles

/// The experiment in progress, of which there is at most one.
struct ExperimentProgress: Sendable {
    enum Step: Sendable {
        /// Waits for the response to a request with an access token; seconds since its end, and
        /// whether it may be refused for another cause than that of the experiment.
        case request(OperationID, secondsAfterEnd: Double?, hasOtherCause: Bool)
        /// Waits for the response to the replaced refresh token.
        case replay(OperationID)
        /// Waits for it although the session has ended, which the experiment is the reason of.
        case lateReplay(OperationID)
        /// Waits for the flight that sends the refresh token twice, and for both responses.
        case concurrentRefresh
        /// Waits for the response to a refresh, which is to be thrown away.
        case discard
        /// Waits for the response to the next send of the same refresh token.
        case resend
        /// Waits until the pair of one of two responses is stored and in use.
        case publication(SecondUse)
        /// Waits for the response to a request with the access token in use.
        case check(OperationID, SecondUse)
        /// Waits for a renewal, which shows whether the session is still alive.
        case renewal(SecondUse)
        /// Waits for the socket after this one.
        case feed(socket: Int, cutAt: Instant, openedAt: Instant?, missedBefore: Int)
    }

    let experiment: Fault
    var step: Step
    /// The tokens of a response that are not in use, in case that those in use turn out to be void.
    var kept: KeptTokens?
}

/// The request of an experiment, for the request log.
struct ExperimentSend: Sendable {
    let record: Int
    let experiment: Fault
    /// The generation of the token, or 0 if no pair had it.
    let generation: Int
    let token: Fingerprint
    let issuedAt: Instant?
}

/// Experiments: what they send is no request of the session, so that no response to it starts a
/// renewal, opens the circuit breaker or ends the session by itself.
extension ClientMachine {
    /// The time that the feed may stay away, and how long it may be silent after its return, in
    /// seconds.
    static let feedExperimentLimit = 30.0

    mutating func begin(_ experiment: Fault) {
        guard self.experiment == nil else { return reject(.experimentUnderWay) }
        guard let session = live, login == nil else { return reject(.nothingToRenew) }
        switch experiment.effect {
        case .send(.expiredAccess):
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
        case .send(.corruptedAccess):
            sendRequest(
                experiment,
                with: session.pair.tokens.access.corrupted,
                generation: 0,
                issuedAt: nil,
                secondsAfterEnd: nil,
                hasOtherCause: !session.isUsable(at: clock.now)
            )
        case .send(.replacedRefresh): replay(session, for: experiment)
        case .send(.refreshTwice), .loseAnswer: renew(session, for: experiment)
        case .closeFeed: cutFeed(for: experiment)
        case .breach, .loseRequest, .answer, .refuseAccess, .refuseAccessAtOnce, .refuseRefresh,
            .delayAnswer, .cutAnswer, .replaceAnswer, .spoilStatus, .shiftDate, .removeRefreshToken,
            .shortenLife, .revokeSession, .refuseFeed, .closeFeedAtOnce, .silenceFeed,
            .repeatMessage, .closeFeedAtExpiry:
            // None of them acts here.
            break
        }
    }

    mutating func reject(_ rejection: ActionRejection) {
        emit(ActionRejected(rejection))
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
        _ experiment: Fault,
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
        emit(ExperimentStarted(experiment))
        effects.append(.sendProtected(id, .request, token, isRetry: false))
    }

    mutating func send(
        _ experiment: Fault,
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
        _ exchange: CompletedExchange<ProtectedResponse>
    ) {
        logExchange(exchange, of: send, purpose: .protected)
        switch experiment?.step {
        case .request(id, let secondsAfterEnd, let hasOtherCause)?:
            conclude(
                Self.verdict(
                    exchange,
                    secondsAfterEnd: secondsAfterEnd,
                    hasOtherCause: hasOtherCause
                )
            )
        case .check(id, let use)?: renew(after: use)
        case .request?, .check?, .replay?, .lateReplay?, .concurrentRefresh?, .discard?, .resend?,
            .publication?, .renewal?, .feed?, nil:
            break
        }
    }

    private static func verdict(
        _ exchange: CompletedExchange<ProtectedResponse>,
        secondsAfterEnd: Double?,
        hasOtherCause: Bool
    ) -> ExperimentVerdict {
        let status = exchange.status ?? 0
        return switch exchange.outcome {
        case .notSent, .unanswered: .unanswered
        case .answered(.accepted), .answered(.listed):
            .tokenAccepted(status: status, secondsAfterEnd: secondsAfterEnd)
        case .answered(.tokenRejected):
            .tokenRefused(status: status, hasOtherCause: hasOtherCause)
        case .answered(.inconclusive): .inconclusive(status: status)
        }
    }

    mutating func logExchange<Answer>(
        _ exchange: CompletedExchange<Answer>,
        of send: ExperimentSend,
        purpose: ExchangePurpose
    ) {
        logExchange(
            exchange,
            id: send.record,
            purpose: purpose,
            token: send.token,
            generation: send.generation,
            why: .experiment(send.experiment),
            tokenIssuedAt: send.issuedAt
        )
    }

    // MARK: - The feed

    private mutating func cutFeed(for fault: Fault) {
        guard let feed, let socket = feed.openSocket else { return reject(.noOpenFeed) }
        experiment = ExperimentProgress(
            experiment: fault,
            step: .feed(
                socket: socket,
                cutAt: clock.now,
                openedAt: nil,
                missedBefore: feed.missed
            )
        )
        timers[.experiment] = clock.now.advanced(bySeconds: Self.feedExperimentLimit)
        emit(ExperimentStarted(fault))
        effects.append(.feed(.cut(socket: socket)))
    }

    /// Observes the sockets after the one that was cut.
    mutating func observeForExperiment(_ event: any FeedEvent) {
        guard case .feed(let cut, let cutAt, let openedAt, let missed)? = experiment?.step else {
            return
        }
        if let opened = event as? FeedOpened, opened.socket > cut {
            experiment?.step = .feed(
                socket: cut,
                cutAt: cutAt,
                openedAt: clock.now,
                missedBefore: missed
            )
            timers[.experiment] = clock.now.advanced(bySeconds: Self.feedExperimentLimit)
        } else if let message = event as? FeedMessageReceived, message.socket > cut {
            conclude(
                .feedReturned(
                    seconds: (openedAt ?? clock.now).seconds(since: cutAt),
                    missed: (feed?.missed ?? missed) - missed
                )
            )
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
        if case .lateReplay = experiment.step {
            if reason != .experiment { conclude(.sessionRevoked(wasAccepted: nil)) }
            return
        }
        guard reason == .experiment else { return conclude(.interrupted) }
        switch experiment.step {
        case .check(_, let use), .renewal(let use), .publication(let use):
            conclude(.sessionRevoked(wasAccepted: use.wasAccepted))
        case .replay(let id): self.experiment?.step = .lateReplay(id)
        case .resend, .lateReplay: conclude(.sessionRevoked(wasAccepted: nil))
        case .request, .concurrentRefresh, .discard, .feed: conclude(.interrupted)
        }
    }

    mutating func conclude(_ verdict: ExperimentVerdict) {
        guard let progress = experiment else { return }
        experiment = nil
        timers[.experiment] = nil
        emit(ExperimentResult(progress.experiment, verdict))
    }
}
