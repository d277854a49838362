import Basics
import Model
import Profiles

/// The result of the second use of a refresh token.
enum SecondUse: Sendable, Hashable {
    case refused
    case accepted(isSamePair: Bool)
    /// Accepted with other tokens, and one of the two pairs was refused since.
    case onlyOneValid
    case inconclusive(status: Int)
    case unanswered

    /// The verdict if the session could be renewed afterwards.
    var verdict: ExperimentVerdict {
        switch self {
        case .refused: .refusedAlone
        case .accepted(let isSamePair): .acceptedAgain(isSamePair: isSamePair)
        case .onlyOneValid: .onlyOneValid
        case .inconclusive(let status): .inconclusive(status: status)
        case .unanswered: .unanswered
        }
    }

    /// Whether the backend has accepted it, or `nil` if that is not known.
    var wasAccepted: Bool? {
        switch self {
        case .accepted, .onlyOneValid: true
        case .refused: false
        case .inconclusive, .unanswered: nil
        }
    }
}

/// The tokens of a response to a refresh.
struct KeptTokens: Sendable {
    let issued: IssuedTokens
    /// The refresh token after it: the one that was sent if there is no new one.
    let refresh: RefreshToken?
    let sentAt: Moment
    let endedAt: Moment
    /// The number of the exchange that brought them.
    let number: Int

    /// - Parameters:
    ///   - answer: To a refresh.
    ///   - sent: The refresh token that it sent.
    init?(_ answer: FlightAnswer, sent: RefreshToken?) {
        let exchange = answer.exchange
        guard case .answered(.issued(let issued)) = exchange.outcome else { return nil }
        self.issued = issued
        number = answer.number
        refresh = issued.refresh ?? sent
        sentAt = exchange.sentAt
        endedAt = exchange.endedAt
    }
}

/// The experiments that use a refresh token twice: one after the other, or both at once.
///
/// Each ends with a renewal, which shows whether the session has survived. If the tokens in use are
/// refused then, and the experiment has others, the session continues with those.
extension ClientMachine {
    // MARK: - The replaced refresh token

    mutating func replay(_ session: LiveSession, for experiment: Fault) {
        guard flight == nil, storage.unsaved == nil else { return reject(.renewalUnderWay) }
        guard session.pair.tokens.refresh != nil, let replaced = session.ledger.replaced?.refresh
        else { return reject(.noReplacedToken) }
        let send = send(
            experiment,
            replaced.token.secret,
            generation: replaced.generation,
            issuedAt: replaced.issuedAt
        )
        let id = begin(.experiment(send))
        self.experiment = ExperimentProgress(experiment: experiment, step: .replay(id))
        emit(ExperimentStarted(experiment))
        effects.append(.sendRefresh(id, replaced.token))
    }

    /// The response to the replaced refresh token; what it brings is not used.
    mutating func experimentAnswered(
        _ id: OperationID,
        _ send: ExperimentSend,
        _ exchange: CompletedExchange<RefreshResponse>
    ) {
        logExchange(exchange, of: send, purpose: .refresh)
        if case .lateReplay(id)? = experiment?.step {
            let use = exchange.secondUse(besides: nil)
            return conclude(.sessionRevoked(wasAccepted: use.wasAccepted))
        }
        guard case .replay(id)? = experiment?.step, let held else { return }
        if case .notSent = exchange.outcome { return conclude(.unanswered) }
        check(after: exchange.secondUse(besides: held.tokens.refresh))
    }

    // MARK: - A renewal of the experiment's own

    /// Begins the flight that sends the refresh token twice at once, or whose answer is thrown away.
    mutating func renew(_ session: LiveSession, for experiment: Fault) {
        guard !isRenewing, storage.unsaved == nil, flightLock.keptUntilSaved == nil else {
            return reject(.renewalUnderWay)
        }
        guard session.pair.tokens.refresh != nil else { return reject(.noRefreshToken) }
        self.experiment = ExperimentProgress(
            experiment: experiment,
            step: experiment.effect == .loseAnswer ? .discard : .concurrentRefresh
        )
        emit(ExperimentStarted(experiment))
        beginFlight(.user)
    }

    /// The flight has ended before it sent anything.
    mutating func experimentNotMade() {
        switch experiment?.step {
        case .concurrentRefresh?, .discard?: conclude(.notMade)
        default: break
        }
    }

    // MARK: - Twice at once

    /// Whether the next flight sends the refresh token twice.
    var sendsTwice: Bool {
        if case .concurrentRefresh? = experiment?.step { true } else { false }
    }

    /// Decides with both answers which tokens the session continues with.
    mutating func simultaneousRefreshEnded(_ answer: FlightAnswer) {
        changeFlight { $0.answers.append(answer) }
        guard let flight, flight.answers.count == flight.sends else { return }
        let answers = flight.answers.map(\.exchange)
        let issued = flight.answers.compactMap { KeptTokens($0, sent: held?.tokens.refresh) }
        guard let last = issued.last, let first = issued.first else {
            return bothEndedWithoutTokens(answers)
        }
        let isSamePair = first.refresh == last.refresh
        // A backend that keeps one refresh token for each session has kept the last one.
        if !isSamePair { experiment?.kept = first }
        let other = answers.first { !$0.hasIssued }
        let use = other?.secondUse(besides: nil) ?? .accepted(isSamePair: isSamePair)
        experiment?.step = .publication(use)
        changeFlight { $0.broughtBy = last.number }
        refreshEnded(with: .renewed(last.issued), sentAt: last.sentAt, endedAt: last.endedAt)
    }

    private mutating func bothEndedWithoutTokens(_ answers: [CompletedExchange<RefreshResponse>]) {
        if answers.allSatisfy(\.isRefused) { conclude(.bothRefused) }
        let before = (live?.ledger.unsettledSends ?? 0) - answers.count
        let refusals = answers.filter(\.isRefusedForGood)
        // The backend has acted upon neither: two refusals are as one.
        live?.ledger.refreshTokenNotUsed(max(0, refusals.count - 1))
        let others = answers.filter { !$0.isRefusedForGood }
        let meanings = (others + refusals.prefix(1)).compactMap { meaning(of: $0) }
        guard let meaning = meanings.max(by: { $0.weight < $1.weight }) else { return }
        let isUnanswered = others.contains { $0.secondUse(besides: nil) == .unanswered }
        let use: SecondUse =
            isUnanswered ? .unanswered : .inconclusive(status: others.first?.status ?? 0)
        let unsettled = (live?.ledger.unsettledSends ?? 0) - before - refusals.prefix(1).count
        if unsettled > 0 {
            // The backend may have acted upon one of them.
            experiment?.step = .renewal(use)
        } else {
            conclude(use.verdict)
        }
        refreshEnded(with: meaning, sentAt: answers[0].sentAt, endedAt: answers[0].endedAt)
    }

    // MARK: - A lost answer

    /// Whether the answer is the one to be thrown away; never one without which the session is over.
    func discards(_ exchange: CompletedExchange<RefreshResponse>, of flight: Flight) -> Bool {
        guard case .discard? = experiment?.step, exchange.hasIssued, !flight.isLast,
            let session = live
        else { return false }
        return configuration.giveUpAfter == nil || session.isUsable(at: clock.now)
    }

    /// Keeps the tokens aside, and continues as if their answer had been lost.
    mutating func discard(_ answer: FlightAnswer, spent: RefreshToken) {
        experiment?.kept = KeptTokens(answer, sent: spent)
        experiment?.step = .resend
        answerLost(RefreshFailure(.answerDiscarded))
    }

    /// The answer that was to be thrown away has no tokens, or is the last that the session gets.
    mutating func answerNotDiscarded(_ exchange: CompletedExchange<RefreshResponse>) {
        guard case .discard? = experiment?.step else { return }
        let use = exchange.secondUse(besides: nil)
        switch use {
        case .accepted, .onlyOneValid: conclude(.notMade)
        case .refused: conclude(.inconclusive(status: exchange.status ?? 0))
        case .inconclusive, .unanswered: conclude(use.verdict)
        }
    }

    // MARK: - Whether the session is alive

    /// Sends a request with the access token in use, and renews.
    private mutating func check(after use: SecondUse) {
        guard let progress = experiment, let held, configuration.capabilities.hasProtectedRequest
        else { return renew(after: use) }
        let send = send(
            progress.experiment,
            held.tokens.access.secret,
            generation: held.generation,
            issuedAt: held.issuedAt.now
        )
        let check = begin(.experiment(send))
        experiment?.step = .check(check, use)
        effects.append(.sendProtected(check, .request, held.tokens.access, isRetry: false))
    }

    mutating func renew(after use: SecondUse) {
        experiment?.step = .renewal(use)
        if flight == nil { beginFlight(.user) }
    }

    /// Whether a refusal of the refresh token in use is the consequence of an experiment.
    var followsSecondUse: Bool {
        switch experiment?.step {
        case .replay?, .lateReplay?, .resend?, .publication?, .check?, .renewal?: true
        case .request?, .concurrentRefresh?, .discard?, .feed?, nil: false
        }
    }

    /// A pair was obtained by a renewal, of this process or another one.
    mutating func experimentRenewed(_ origin: PairDescription.Origin) {
        switch experiment?.step {
        case .publication(let use)?: check(after: use)
        case .renewal(let use)?: conclude(use.verdict)
        case .resend? where origin == .refresh:
            let isSamePair = experiment?.kept?.refresh == held?.tokens.refresh
            conclude(.acceptedAgain(isSamePair: isSamePair))
        case .resend?, .concurrentRefresh?, .discard?: conclude(.notMade)
        case .request?, .replay?, .lateReplay?, .check?, .feed?, nil: break
        }
    }

    // MARK: - The tokens that were kept aside

    mutating func takeKeptTokens() -> KeptTokens? {
        guard followsSecondUse else { return nil }
        defer { experiment?.kept = nil }
        return experiment?.kept
    }

    /// Continues a flight whose refresh token was refused with other tokens of the same session.
    mutating func continueFlight(with kept: KeptTokens, after failure: RefreshFailure) {
        guard let flight else { return }
        emitFailure(failure, flight: flight.number, attempt: (live?.tally.inARow ?? 0) + 1)
        changeFlight { flight in
            flight.usesKeptTokens = true
            flight.broughtBy = kept.number
        }
        commitSuccessor(kept.issued, sentAt: kept.sentAt)
    }

    mutating func keptTokensPublished() {
        switch experiment?.step {
        case .resend?: check(after: .refused)
        case .check(_, .accepted)?, .renewal(.accepted)?: check(after: .onlyOneValid)
        default: break
        }
    }
}

extension CompletedExchange<RefreshResponse> {
    fileprivate var hasIssued: Bool {
        if case .answered(.issued) = outcome { true } else { false }
    }

    fileprivate var isRefused: Bool {
        if case .answered(.refused) = outcome { true } else { false }
    }

    /// Whether the refusal counts by itself, since it is of the dialect's form.
    fileprivate var isRefusedForGood: Bool {
        if case .answered(.refused(let refusal)) = outcome { !refusal.isBare } else { false }
    }

    /// Returns the result of a second use that was answered like this, with the refresh token that
    /// is in use since the first one.
    fileprivate func secondUse(besides held: RefreshToken?) -> SecondUse {
        switch outcome {
        case .notSent, .unanswered, .answered(.failed(.undecodable)): .unanswered
        case .answered(.refused): .refused
        case .answered(.failed): .inconclusive(status: status ?? 0)
        case .answered(.issued(let issued)): .accepted(isSamePair: issued.refresh == held)
        case .answered(.refreshTokenOnly(let successor)):
            .accepted(isSamePair: successor.refresh == held)
        }
    }
}

extension SessionLedger.RefreshMeaning {
    /// The weight of an answer without tokens.
    fileprivate var weight: Int {
        switch self {
        case .renewed, .failed: 0
        case .lost: 1
        case .refused: 2
        // It alone leaves a token that can be used.
        case .refreshTokenOnly: 3
        }
    }
}
