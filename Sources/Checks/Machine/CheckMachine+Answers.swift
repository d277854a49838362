import Dialects
import Lifecycle
import Timekeeping
import Tokens

/// What an answer means for its lane.
extension CheckMachine {
    /// How often a lane begins anew with another family.
    static let attemptLimit = 4
    /// How often a request that can be repeated is sent.
    static let tryLimit = 4
    /// How often a refusal without a body is asked for again before it counts.
    static let bareLimit = 2
    /// The longest `Retry-After` that is waited for, in seconds.
    static let longestWait = 60.0

    mutating func note(
        _ outcome: Outcome<WireResponse>,
        of pending: PendingStep,
        id: Int,
        sentAt: Moment,
        endedAt: Moment
    ) {
        guard let name = groups.first?[pending.track].probes.first,
            var lane = groups[0][pending.track].lanes?[pending.lane]
        else { return }
        var reading = AnswerReading(
            outcome,
            of: pending.step.action,
            in: dialect,
            credentials: credentials,
            hiding: secrets,
            sentAt: sentAt,
            endedAt: endedAt
        )
        if case .bareRefusal? = reading.unclear, lane.bareRefusals >= Self.bareLimit {
            reading.outcome = .refused(message: nil)
        }
        if pending.step.action.isAbandoned, reading.tokens != nil {
            reading.outcome = .accepted
        } else if let tokens = reading.tokens {
            for secret in tokens.secrets { secrets.add(secret) }
            let issued = lane.families[pending.needsFamily, default: TokenFamily()]
                .add(tokens, sent: pending.refresh)
            reading.outcome = .issued(issued)
        }
        if let message = reading.message { record.lastMessage = message }
        let exchange = CheckExchange(
            number: record.exchanges.count + 1,
            probe: name,
            lane: lane.number,
            attempt: pending.attempt,
            action: pending.step.action,
            sentAt: seconds(sentAt),
            endedAt: seconds(endedAt),
            status: reading.status,
            outcome: reading.outcome,
            code: reading.code,
            facts: reading.facts
        )
        record.exchanges.append(exchange)
        if lane.results.indices.contains(pending.place) {
            lane.results[pending.place].append(exchange)
        }
        if case .waiting(var ids) = lane.phase {
            ids.remove(id)
            lane.phase = ids.isEmpty ? .ready : .waiting(ids)
        }
        if lane.phase == .ready { conclude(&lane, pending, at: endedAt) }
        groups[0][pending.track].lanes?[pending.lane] = lane
        if case .login = pending.step.action, case .refused(let message) = reading.outcome {
            fail(.loginRejected(status: reading.status, message: message))
        }
    }

    /// Goes on after all answers to a step, or recovers from one that decides nothing.
    private mutating func conclude(_ lane: inout Lane, _ pending: PendingStep, at now: Moment) {
        let unclear = lane.results[pending.place].lazy
            .compactMap { exchange -> UnclearAnswer? in
                if case .unclear(let answer) = exchange.outcome { answer } else { nil }
            }
            .first
        // What the client did not read has no answer; what a wrong token always brings is one.
        guard let unclear, !pending.step.action.isAbandoned,
            !(pending.step.action.hasBadToken && lane.tries > 1)
        else {
            lane.tries = 0
            lane.bareRefusals = 0
            return
        }
        record.failures += 1
        var delay = 0.5 * Double(lane.tries)
        switch unclear {
        case .rateLimited(let seconds):
            guard !lane.hasWaitedForLimit, (seconds ?? 5) <= Self.longestWait else {
                lane.phase = .failed(unclear)
                return
            }
            lane.hasWaitedForLimit = true
            let end = now.now.advanced(bySeconds: seconds ?? 5)
            pausedUntil = max(pausedUntil, end)
            delay = 0
        case .bareRefusal where !pending.step.action.isLogin: lane.bareRefusals += 1
        case .notSent, .unanswered, .serverError, .unreadable, .bareRefusal, .notPossible: break
        }
        let isUnsent = if case .notSent = unclear { true } else { false }
        let isTwice = lane.results[pending.place].count > 1
        let isRepeatable =
            !isTwice
            && (pending.step.action.isRepeatable || isUnsent || unclear == .bareRefusal)
        if isRepeatable, lane.tries < Self.tryLimit {
            lane.results.removeLast()
            lane.retryAt = now.now.advanced(bySeconds: delay)
        } else if lane.attempt < Self.attemptLimit, !isOutOfTime(lane, at: now) {
            release(lane.families)
            lane.restart()
            lane.retryAt = now.now.advanced(bySeconds: delay)
        } else {
            lane.phase = .failed(unclear)
        }
    }

    /// Returns whether a lane that begins anew would end too late.
    private func isOutOfTime(_ lane: Lane, at now: Moment) -> Bool {
        seconds(now) + lane.key > options.budget + 30
    }
}
