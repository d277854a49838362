import Basics
import Model
import Profiles

/// The answers that were shown to be refusals of an access token: the app renewed or logged in after one,
/// and the same request was accepted with the new token.
struct LearnedRefusals: Sendable {
    private struct Suspect: Hashable {
        let access: Fingerprint
        let endpoint: ClientEndpoint

        init?(_ exchange: ObservedExchange) {
            guard let access = exchange.access?.fingerprint else { return nil }
            self.access = access
            endpoint = ClientEndpoint(exchange)
        }
    }

    /// The votes that make a refusal of what looks like it.
    private static let enough = 2
    private static let shapeLimit = 64

    /// The votes of shapes, by origin.
    private var votes = RecentMap<String, [String: Int]>(limit: 16)
    /// The last answers with such a shape.
    private var suspects = RecentMap<Suspect, String>(limit: 64)

    func isKnown(_ shape: String, of origin: String) -> Bool {
        (votes[origin]?[shape] ?? 0) >= Self.enough
    }

    private mutating func add(_ weight: Int, to shape: String, of origin: String) {
        votes.change(origin, default: [:]) { shapes in
            guard shapes[shape] != nil || shapes.count < Self.shapeLimit else { return }
            let sum = min((shapes[shape] ?? 0) + weight, 2 * Self.enough)
            shapes[shape] = sum > 0 ? sum : nil
        }
    }

    /// The exchanges that are looked through for what an acceptance shows.
    private static let depth = 256
    /// The longest time between a refusal, the renewal or the login, and the repeated request, in seconds.
    private static let longestStep = 10.0

    /// Learns from the answer to a request that presented an access token.
    mutating func learn(
        from exchange: ObservedExchange,
        in traffic: ObservedTraffic,
        by recognition: Recognition
    ) {
        guard exchange.purpose == .protected, let suspect = Suspect(exchange) else { return }
        let origin = exchange.request.origin
        let kind = exchange.answer?.kind
        let isSuspect = kind.map { votes[origin]?[$0] != nil } ?? false
        guard exchange.outcome == .accepted, exchange.answer?.shape == nil, !isSuspect else {
            if isSuspect { suspects[suspect] = kind }
            return
        }
        // What the same token lives through is no refusal.
        if let shape = suspects[suspect] {
            suspects[suspect] = nil
            add(-Self.enough, to: shape, of: origin)
        }
        guard let refused = refusal(before: exchange, in: traffic),
            let shape = refused.answer?.kind, !wasLivedThrough(shape, before: refused, traffic)
        else { return }
        let isHint = recognition.hintsAtToken(shape)
        add(isHint ? Self.enough : weight(of: refused, traffic), to: shape, of: origin)
    }

    /// The request that an accepted one repeats with the token of a renewal, or of a login, that followed
    /// its answer.
    private func refusal(
        before accepted: ObservedExchange,
        in traffic: ObservedTraffic
    ) -> ObservedExchange? {
        guard let access = accepted.access?.fingerprint,
            let pair = traffic.graph.generation(of: access),
            let renewal = traffic.exchange(pair.exchange),
            [.refresh, .login].contains(renewal.purpose), renewal.outcome == .issued,
            renewal.client == accepted.client,
            let renewed = renewal.deliveredAt?.now,
            accepted.startedAt.now.seconds(since: renewed) <= Self.longestStep
        else { return nil }
        let endpoint = ClientEndpoint(accepted)
        return traffic.newest(Self.depth) { other in
            guard other.number < accepted.number,
                Self.isOfEarlierToken(other, than: accepted, of: pair),
                let delivered = other.deliveredAt?.now, delivered <= renewal.startedAt.now,
                renewal.startedAt.now.seconds(since: delivered) <= Self.longestStep
            else { return false }
            return other.answer?.kind != nil && other.answer?.kind != accepted.answer?.kind
                && ClientEndpoint(other) == endpoint
                && other.request.bodyDigest == accepted.request.bodyDigest
                && (Self.mayRefuse(other) || Self.isOtherSuccess(other))
                && (renewal.purpose == .refresh || Self.wasAccepted(before: other, traffic))
        }
    }

    /// Whether an exchange presented an earlier token of the session, or one of another session that the
    /// same client had before.
    private static func isOfEarlierToken(
        _ other: ObservedExchange,
        than accepted: ObservedExchange,
        of pair: TokenGeneration
    ) -> Bool {
        guard let generation = other.generation else { return false }
        return other.family == accepted.family
            ? generation < pair.number : other.client == accepted.client
    }

    /// Whether the same request had been accepted with the token of a later one: else, another user may
    /// have logged in who may do more.
    private static func wasAccepted(
        before refused: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> Bool {
        let endpoint = ClientEndpoint(refused)
        return traffic.newest(depth) { other in
            other.number < refused.number && other.outcome == .accepted
                && other.access?.fingerprint == refused.access?.fingerprint
                && ClientEndpoint(other) == endpoint
        } != nil
    }

    /// Whether an answer can be a refusal that nothing says to be one.
    static func mayRefuse(_ exchange: ObservedExchange) -> Bool {
        guard let answer = exchange.answer, exchange.purpose == .protected,
            exchange.outcome == .accepted || exchange.outcome == .inconclusive
                || exchange.isRefusalInferred || answer.isFaultOfToken,
            !answer.isTransient || answer.isFaultOfToken,
            answer.challenges.isDisjoint(with: Challenge.otherErrors),
            answer.errorCode.map(Challenge.otherErrors.contains) != true
        else { return false }
        // One that succeeds has a shape only where it says that it failed.
        if answer.isSuccess { return answer.shape != nil }
        return !Self.otherStatuses.contains(answer.status)
            || answer.status == 422 && answer.saysRefusal == true
    }

    /// Whether an answer with success may be a refusal all the same, by its code, or since it is a page.
    static func isOtherSuccess(_ exchange: ObservedExchange) -> Bool {
        guard exchange.purpose == .protected, let answer = exchange.answer, answer.isSuccess else {
            return false
        }
        return answer.shape == nil && answer.kind != nil
    }

    /// The statuses that are about the thing that was asked for, or about the form of the request.
    private static let otherStatuses: Set<Int> = [
        304, 404, 405, 409, 410, 411, 412, 413, 414, 415, 416, 417, 422, 423, 424, 428, 431, 451,
    ]

    /// Whether an earlier answer of the kind was followed by the acceptance of its token.
    private func wasLivedThrough(
        _ shape: String,
        before refused: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> Bool {
        var accepted: Set<Fingerprint> = []
        for other in traffic.newestFirst.prefix(Self.depth) where other.number < refused.number {
            guard other.purpose == .protected, let access = other.access?.fingerprint,
                other.request.endpoint == refused.request.endpoint
            else { continue }
            if other.answer?.kind == shape {
                if accepted.contains(access) { return true }
            } else if other.outcome == .accepted {
                accepted.insert(access)
            }
        }
        return false
    }

    private func weight(of refused: ObservedExchange, _ traffic: ObservedTraffic) -> Int {
        guard refused.answer?.isSuccess == false, traffic.isPastEnd(refused) else { return 1 }
        return Self.enough
    }
}

/// Refusals that nothing but what is known of the token shows.
extension ObservationMachine {
    /// Whether an answer is likely a refusal of the access token.
    func isInferredRefusal(_ exchange: ObservedExchange, _ facts: AnswerFacts) -> Bool {
        guard exchange.access != nil, facts.meaning == nil || facts.meaning == .inconclusive,
            LearnedRefusals.mayRefuse(exchange) || LearnedRefusals.isOtherSuccess(exchange),
            !traffic.followsRefusal(exchange)
        else { return false }
        if let kind = facts.kind, learned.isKnown(kind, of: exchange.request.origin) { return true }
        return isRefusalOfEnded(exchange, facts) || isRefusalByWords(exchange, facts)
    }

    /// Whether an answer says that the token is refused, where the same request had been accepted.
    private func isRefusalByWords(_ exchange: ObservedExchange, _ facts: AnswerFacts) -> Bool {
        guard facts.saysRefusal == true else { return false }
        return traffic.newestFirst.prefix(Self.acceptanceDepth).contains { other in
            other.number != exchange.number && other.purpose == .protected
                && other.outcome == .accepted && other.family == exchange.family
                && other.answer?.saysRefusal != true
                && (!facts.isSuccess || other.answer?.kind != facts.kind)
                && (Self.isSame(exchange.request, other, facts.status)
                    || facts.isSuccess && other.answer?.shape == nil
                        && exchange.request.endpoint == other.request.endpoint)
        }
    }

    /// The exchanges among which the acceptance of an earlier token is looked for.
    private static let acceptanceDepth = 256

    /// Whether an access token that had ended was answered with a status that may refuse it, where
    /// one that had not was accepted.
    private func isRefusalOfEnded(_ exchange: ObservedExchange, _ facts: AnswerFacts) -> Bool {
        guard traffic.isPastEnd(exchange) else { return false }
        var wasAccepted = false
        for other in traffic.newestFirst.prefix(Self.acceptanceDepth) {
            guard other.number != exchange.number, other.purpose == .protected,
                other.outcome == .accepted, other.family == exchange.family
            else { continue }
            // A backend that does not look at the end refuses for something else.
            if traffic.isPastEnd(other) { return false }
            // About the end, the clocks may differ.
            if let end = traffic.accessDeadline(of: other)?.statedEnd,
                other.startedAt.now.seconds(since: end) > -ObservedTraffic.clockTolerance
            {
                continue
            }
            let isSame = Self.isSame(exchange.request, other, facts.status)
            // Where a code, or a page, has come before the end, too, it is about something else.
            if isSame, facts.isSuccess, other.answer?.kind == facts.kind { return false }
            wasAccepted = wasAccepted || isSame
        }
        return wasAccepted
    }

    private static func isSame(
        _ request: RequestFacts,
        _ accepted: ObservedExchange,
        _ status: Int
    ) -> Bool {
        switch status {
        // These say that the session, or the page, has ended, wherever they come from.
        case 419, 440, 498, 499: request.origin == accepted.request.origin
        // It is about who asks.
        case 403:
            request.endpoint == accepted.request.endpoint
                && request.origin == accepted.request.origin
        // What is wrong in a request may be anything; so it may be with a redirection, with a fault, and
        // with an answer that succeeds, and says that it has failed.
        case 200..<300: request.isRepeat(of: accepted.request) && accepted.answer?.shape == nil
        case 302, 303, 307, 422, 500:
            request.isRepeat(of: accepted.request) && accepted.answer?.isSuccess == true
        case 400..<500: request.isRepeat(of: accepted.request)
        default: false
        }
    }
}

extension AnswerFacts {
    /// What answers of one kind have in common: the shape of one that fails, or the code of one that
    /// succeeds; `nil` if it has neither, and is no page.
    fileprivate var kind: String? {
        shape ?? resultCode.map { "\(status) \($0)" } ?? (isPage ? "\(status) html" : nil)
    }
}
