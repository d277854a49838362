import Basics
import Model
import Profiles

/// The meaning of an answer for its probe session.
extension CheckMachine {
    /// The number of times that a probe session starts over with another family.
    static let attemptLimit = 4
    /// The number of times that a request that can be repeated is sent.
    static let tryLimit = 4
    /// The number of times that a refusal without a body is asked for again before it counts.
    static let bareLimit = 2
    /// The longest `Retry-After` that is waited for, in seconds.
    static let longestWait = 60.0

    /// The result of one request of a step.
    enum StepOutcome {
        case answered(Outcome<WireResponse>)
        /// A socket of the feed is open.
        case opened
        /// The caller has logged in, or could not.
        case loggedIn(IssuedTokens?, scope: Set<String>?)
    }

    mutating func apply(
        _ outcome: StepOutcome,
        of pending: PendingStep,
        id: Int,
        sentAt: Moment,
        endedAt: Moment
    ) {
        guard let name = groups.first?[pending.sequence].probes.first,
            var probeSession = groups[0][pending.sequence].probeSessions?[pending.probeSession]
        else { return }
        var reading = ProbeAnswer()
        switch outcome {
        case .answered(let outcome):
            reading = ProbeAnswer(
                outcome,
                of: pending.step.action,
                in: dialect,
                credentials: credentials,
                hiding: secrets,
                sentAt: sentAt,
                endedAt: endedAt
            )
        case .opened: probeSession.sockets[pending.place] = id
        case .loggedIn(let tokens, let scope):
            reading = ProbeAnswer(
                tokens,
                scope: scope,
                sentAt: sentAt,
                clock: record.exchanges.last { $0.facts.clock != nil }?.facts.clock
            )
        }
        let refusedSince = probeSession.bareSince
        if case .bareRefusal? = reading.unclear {
            let isRefresh = pending.step.action.isRefresh
            if probeSession.bareRefusals >= Self.bareLimit {
                reading.outcome = .refused(message: nil)
                if isRefresh, let status = reading.status { bareStatuses.insert(status) }
            } else if isRefresh, let status = reading.status, bareStatuses.contains(status) {
                reading.outcome = .refused(message: nil)
            }
        }
        if pending.step.action.isAbandoned, reading.tokens != nil {
            reading.outcome = .accepted
        } else if let tokens = reading.tokens {
            for secret in tokens.secrets { secrets.add(secret) }
            let issued = probeSession.families[pending.needsFamily, default: ProbeFamily()]
                .add(tokens, sent: pending.refresh)
            reading.outcome = .issued(issued)
        }
        if let message = reading.message { record.lastMessage = message }
        var exchange = CheckExchange(
            number: record.exchanges.count + 1,
            probe: name,
            probeSession: probeSession.number,
            attempt: pending.attempt,
            action: pending.step.action,
            sentAt: seconds(sentAt),
            endedAt: seconds(endedAt),
            status: reading.status,
            outcome: reading.outcome,
            code: reading.code,
            facts: reading.facts
        )
        if exchange.isRefusal { exchange.refusedSince = refusedSince }
        record.exchanges.append(exchange)
        if probeSession.results.indices.contains(pending.place) {
            probeSession.results[pending.place].append(exchange)
        }
        if case .waiting(var ids) = probeSession.phase {
            ids.remove(id)
            probeSession.phase = ids.isEmpty ? .ready : .waiting(ids)
        }
        if probeSession.phase == .ready { conclude(&probeSession, pending, at: endedAt) }
        if pending.step.action.isLogin, case .refused(let message) = reading.outcome {
            recordRefusedLogin(of: &probeSession, status: reading.status, message)
        }
        guard failure == nil else { return }
        groups[0][pending.sequence].probeSessions?[pending.probeSession] = probeSession
    }

    /// No login is sent after one that was refused: another could lock the user out.
    private mutating func recordRefusedLogin(
        of probeSession: inout ProbeSession,
        status: Int?,
        _ message: String?
    ) {
        guard record.exchanges.contains(where: { $0.action.isLogin && $0.issued != nil }) else {
            fail(.loginRejected(status: status, message: message))
            return
        }
        refusesLogins = true
        probeSession.phase = .failed(.loginRefused)
    }

    /// Goes on after all answers to a step, or recovers from one that decides nothing.
    private mutating func conclude(
        _ probeSession: inout ProbeSession,
        _ pending: PendingStep,
        at now: Moment
    ) {
        let tries = probeSession.tries
        let unclear = probeSession.results[pending.place].lazy
            .compactMap { exchange -> UnclearAnswer? in
                guard case .unclear(let answer) = exchange.outcome,
                    !exchange.action.expects(exchange, answer, tries: tries)
                else { return nil }
                return answer
            }
            .first
        guard let unclear else {
            probeSession.tries = 0
            probeSession.bareRefusals = 0
            probeSession.bareSince = nil
            return
        }
        guard !pending.step.isOptional else {
            record.failures += 1
            probeSession.results.removeLast()
            probeSession.phase = .finished
            return
        }
        recover(&probeSession, from: unclear, at: pending.place, of: pending.step.action, now)
    }

    /// Sends a request again, starts the probe session over, or gives it up.
    mutating func recover(
        _ probeSession: inout ProbeSession,
        from unclear: UnclearAnswer,
        at place: Int,
        of action: CheckAction,
        _ now: Moment
    ) {
        record.failures += 1
        var delay = 0.5 * Double(probeSession.tries)
        switch unclear {
        case .rateLimited(let seconds):
            guard !probeSession.hasWaitedForLimit, (seconds ?? 5) <= Self.longestWait else {
                probeSession.phase = .failed(unclear)
                return
            }
            probeSession.hasWaitedForLimit = true
            let end = now.now.advanced(bySeconds: seconds ?? 5)
            pausedUntil = max(pausedUntil, end)
            delay = 0
        case .bareRefusal where !action.isLogin:
            probeSession.bareRefusals += 1
            probeSession.bareSince =
                probeSession.bareSince ?? probeSession.results[place].last?.endedAt
        case .notSent, .unanswered, .cut, .serverError, .unreadable, .bareRefusal, .challenged,
            .loginRefused, .notPossible:
            break
        }
        let isUnsent = if case .notSent = unclear { true } else { false }
        let isTwice = probeSession.results[place].count > 1
        let isRepeatable =
            !isTwice && (action.isRepeatable || isUnsent || unclear == .bareRefusal)
        if isRepeatable, probeSession.tries < Self.tryLimit {
            probeSession.results.removeLast()
            probeSession.retryAt = now.now.advanced(bySeconds: delay)
        } else if probeSession.attempt < Self.attemptLimit, options.families == nil,
            !action.isLogin,
            !isOutOfTime(probeSession, at: now)
        {
            release(probeSession.families)
            release(probeSession.sockets)
            probeSession.restart()
            probeSession.retryAt = now.now.advanced(bySeconds: delay)
        } else {
            probeSession.phase = .failed(unclear)
        }
    }

    /// Returns whether a probe session that starts over would end too late.
    private func isOutOfTime(_ probeSession: ProbeSession, at now: Moment) -> Bool {
        seconds(now) + probeSession.key > options.budget + 30
    }
}

extension CheckAction {
    /// Returns whether an answer that decides nothing is what the step wants.
    fileprivate func expects(
        _ exchange: CheckExchange,
        _ answer: UnclearAnswer,
        tries: Int
    ) -> Bool {
        switch self {
        // A request that was not written cannot have been lost.
        case .refreshUnread: if case .notSent = answer { false } else { true }
        case .warm: true
        // The usual result of a wrong token is an answer.
        case .loginWrong, .refreshWith, .useWith, .logoutUnknown, .dialWith, .dialExpired: tries > 1
        // A race may cause a server error.
        case .refreshTwice: exchange.isServerError
        // A further request would be answered in the same way.
        case .use: if case .challenged = answer { true } else { false }
        case .reach, .login, .refresh, .refreshFor, .refreshWithoutNonce, .logout, .dial,
            .watch:
            false
        }
    }
}
