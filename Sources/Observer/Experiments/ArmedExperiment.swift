import Basics
import Model

/// An experiment that changes what passes, until it has done so or its time is over.
struct ArmedExperiment: Sendable {
    /// The treatment of a request.
    enum Injection: Sendable {
        case refuseAccess(delay: Double)
        case refuseRefresh
        case fail(status: Int)
        /// With the seconds to wait.
        case limit(retryAfter: Int)
        case page
        case change(AnswerChange)
    }

    /// The time that the first of several refusals waits for the others, in seconds.
    private static let burst = 0.3

    let experiment: Fault
    /// The session that it concerns, or `nil` for any.
    let family: Int?
    private(set) var isOver = false
    private var firstAt: Instant?
    private var count = 0
    /// The session whose access tokens are refused, up to a pair.
    private var refused: (family: Int, generation: Int)?
    /// The refresh token that was refused for good.
    private var refusedRefresh: Fingerprint?

    init(_ experiment: Fault, family: Int?) {
        self.experiment = experiment
        self.family = family
    }

    /// Decides on a request, and counts it if it is to be changed.
    mutating func decide(
        on exchange: ObservedExchange,
        in traffic: ObservedTraffic,
        at now: Instant
    ) -> Injection? {
        if let window = experiment.window, let firstAt, now.seconds(since: firstAt) > window {
            isOver = true
        }
        guard !isOver, family == nil || exchange.family == family,
            exchange.purpose != .preflight,
            let injection = injection(for: exchange, in: traffic, at: now)
        else { return nil }
        if firstAt == nil { firstAt = now }
        count += 1
        return injection
    }

    /// The answer to a request has been rewritten.
    mutating func recordRewritten() {
        if experiment.effect == .removeRefreshToken { isOver = true }
    }

    private mutating func injection(
        for exchange: ObservedExchange,
        in traffic: ObservedTraffic,
        at now: Instant
    ) -> Injection? {
        switch experiment.effect {
        case .shortenLife:
            if exchange.purpose == .login || exchange.purpose == .refresh
                || exchange.access == nil && exchange.request.method != "GET"
            {
                return .change(.rewrite)
            }
            return isOutlived(exchange, in: traffic, seconds: experiment[.seconds], at: now)
                ? .refuseAccess(delay: 0) : nil
        case .refuseAccess:
            return expires(exchange, in: traffic) ? .refuseAccess(delay: 0) : nil
        case .refuseAccessAtOnce:
            guard expires(exchange, in: traffic) else { return nil }
            let waited = firstAt.map { now.seconds(since: $0) } ?? 0
            return .refuseAccess(delay: max(0, Self.burst - waited))
        case .shiftDate: return .change(.shiftDate(seconds: experiment[.seconds]))
        case .loseAnswer, .delayAnswer, .refuseRefresh, .answer, .removeRefreshToken:
            return exchange.purpose == .refresh ? refreshInjection(for: exchange, at: now) : nil
        case .send, .closeFeed, .silenceFeed, .loseRequest, .cutAnswer, .replaceAnswer,
            .spoilStatus, .revokeSession, .refuseFeed, .closeFeedAtOnce, .repeatMessage,
            .closeFeedAtExpiry, .breach:
            return nil
        }
    }

    private mutating func refreshInjection(
        for exchange: ObservedExchange,
        at now: Instant
    ) -> Injection? {
        switch experiment.effect {
        case .loseAnswer:
            isOver = true
            return .change(.lose(hangs: experiment[.hangs] == 1))
        case .delayAnswer:
            isOver = true
            return .change(.delay(seconds: Double(experiment[.seconds])))
        case .refuseRefresh:
            // A backend that has refused a token goes on to refuse it.
            if refusedRefresh == nil { refusedRefresh = exchange.refresh }
            return count == 0 || exchange.refresh == refusedRefresh ? .refuseRefresh : nil
        case .answer(.status(let usual)):
            isOver = count + 1 >= experiment[.count]
            return .fail(status: experiment.value(.status).map { Int($0) } ?? usual[0])
        case .answer(.limit):
            let left =
                Double(experiment[.seconds]) - (firstAt.map { now.seconds(since: $0) } ?? 0)
            isOver = left <= 0
            return isOver ? nil : .limit(retryAfter: left.roundedUp)
        case .answer(.page):
            isOver = true
            return .page
        case .removeRefreshToken: return .change(.rewrite)
        default: return nil
        }
    }

    /// Whether a request presents a token of the session that is to renew.
    private mutating func expires(
        _ exchange: ObservedExchange,
        in traffic: ObservedTraffic
    ) -> Bool {
        guard let generation = Self.presented(exchange, in: traffic),
            let family = traffic.family(of: exchange)
        else { return false }
        guard let refused else {
            self.refused = (family.id, family.newest)
            return true
        }
        guard refused.family == family.id else { return false }
        isOver = family.newest > refused.generation
        return !isOver && generation.number <= refused.generation
    }

    private func isOutlived(
        _ exchange: ObservedExchange,
        in traffic: ObservedTraffic,
        seconds: Int,
        at now: Instant
    ) -> Bool {
        guard let generation = Self.presented(exchange, in: traffic) else { return false }
        let since = generation.deliveredAt() ?? generation.pair.issuedAt.now
        return now.seconds(since: since) > Double(seconds)
    }

    /// The pair whose access token a request uses, or `nil` if it uses none of a session.
    private static func presented(
        _ exchange: ObservedExchange,
        in traffic: ObservedTraffic
    ) -> TokenGeneration? {
        guard exchange.purpose == .protected || exchange.purpose.isSocket,
            let access = exchange.access?.fingerprint,
            traffic.family(of: exchange)?.isRolling == false,
            traffic.graph.node(access)?.isAuxiliary == false
        else { return nil }
        return traffic.graph.generation(of: access)
    }
}
