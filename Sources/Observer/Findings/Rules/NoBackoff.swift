import Basics
import Model

extension FindingRule {
    static let noBackoff = FindingRule(
        "no-backoff",
        .risk,
        summary: "Requests follow failures without the wait that was asked for, or without any.",
        remedy: "Respect Retry-After; otherwise double the wait after each failure, with jitter.",
        references: [
            "ginlix-ai/LangAlpha#379", "6529-Collections/6529seize-frontend#3220",
            "cortexkit/anthropic-auth#40",
        ],
        watch: { NoBackoffWatch() }
    )
}

private struct NoBackoffWatch: FindingWatch {
    private struct Wait: Sendable {
        let number: Int
        let deliveredAt: Instant
        let until: Instant
    }

    private static let limit = 6
    /// Gaps that waits with jitter hardly ever have so often in a row, in seconds.
    private static let longestGap = 1.0
    private static let tolerance = 0.5

    /// The polls that came too soon after an answer had asked to slow down, by endpoint.
    private struct Polls: Sendable {
        var number: Int
        var deliveredAt: Instant
        var tooSoon: [Int] = []
    }

    /// The time that must be added to the interval of polls after `slow_down` (RFC 8628 section 3.5), in
    /// seconds; the interval itself is longer than nothing.
    private static let slowDown = 5.0
    private static let pollLimit = 3

    private var polls = RecentMap<ClientEndpoint, Polls>(limit: 128)
    private var waits = RecentMap<ClientEndpoint, Wait>(limit: 128)
    private var failures = RecentMap<ClientEndpoint, [Int]>(limit: 128)

    mutating func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        switch fact {
        case .started(let number):
            return traffic.exchange(number).map { tooSoon($0, traffic) + poll($0, traffic) } ?? []
        case .over(let number):
            return traffic.exchange(number).map { row(of: $0, traffic) } ?? []
        case .delivered(let number):
            if let exchange = traffic.exchange(number) { slowDown(exchange) }
            guard let exchange = traffic.exchange(number), let facts = exchange.answer,
                facts.status == 429 || facts.status == 503, let seconds = facts.retryAfter,
                seconds > Self.tolerance, let at = exchange.deliveredAt?.now
            else { return [] }
            waits[ClientEndpoint(exchange)] = Wait(
                number: number,
                deliveredAt: at,
                until: at.advanced(bySeconds: seconds)
            )
            return []
        case .socketMessage, .socketClosed, .time: return []
        }
    }

    private mutating func tooSoon(
        _ exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        let place = ClientEndpoint(exchange)
        guard let wait = waits[place], let limited = traffic.exchange(wait.number) else {
            return []
        }
        let left = wait.until.seconds(since: exchange.startedAt.now)
        guard left > Self.tolerance else {
            waits[place] = nil
            return []
        }
        guard traffic.isAfter(exchange, wait.deliveredAt) else { return [] }
        let seconds = limited.answer?.retryAfter ?? 0
        return [
            FindingDraft(
                exchange,
                variant: "retry-after",
                evidence: [
                    limited.evidence("asked to wait \(seconds.duration)"),
                    exchange.evidence("sent \(left.durationUp) too soon"),
                ],
                message: "#\(exchange.number) comes \(left.durationUp) sooner than the "
                    + "Retry-After of #\(limited.number) allows"
            )
        ]
    }

    private mutating func slowDown(_ exchange: ObservedExchange) {
        let place = ClientEndpoint(exchange)
        if exchange.outcome == .issued { polls[place] = nil }
        guard exchange.answer?.errorCode == "slow_down", let at = exchange.deliveredAt?.now else {
            return
        }
        polls.change(place, default: Polls(number: exchange.number, deliveredAt: at)) {
            ($0.number, $0.deliveredAt) = (exchange.number, at)
        }
    }

    /// A poll sooner than an answer had allowed that asked to slow down.
    private mutating func poll(
        _ exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        let place = ClientEndpoint(exchange)
        guard var known = polls[place], let asked = traffic.exchange(known.number),
            asked.request.discriminator == exchange.request.discriminator
        else { return [] }
        let gap = exchange.startedAt.now.seconds(since: known.deliveredAt)
        guard gap < Self.slowDown - Self.tolerance,
            traffic.isAfter(exchange, known.deliveredAt)
        else { return [] }
        known.tooSoon.append(exchange.number)
        polls[place] = known
        guard known.tooSoon.count >= Self.pollLimit else { return [] }
        let first = known.tooSoon[0]
        var draft = FindingDraft(
            exchange,
            variant: "slow-down",
            evidence: known.tooSoon.suffix(ObservedFinding.evidenceLimit).map {
                FindingEvidence(.exchange($0), "polled again too soon")
            },
            message: "\(known.tooSoon.count) polls less than \(Self.slowDown.whole) s after an "
                + "answer that asked to slow down (slow_down)"
        )
        draft.occurrence = first
        draft.remedy = """
            Add 5 s to the interval at each slow_down, and keep it (RFC 8628, section 3.5).
            """
        return [draft]
    }

    private mutating func row(
        of exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        // What the app itself has ended is no failure, as of a search while one types.
        if exchange.isGivenUp { return [] }
        let place = ClientEndpoint(exchange)
        let hasFailed: Bool =
            switch exchange.outcome {
            case .transient, .unanswered, .notSent: true
            default: false
            }
        guard hasFailed else {
            failures[place] = nil
            return []
        }
        var numbers = failures[place] ?? []
        if let last = numbers.last.flatMap({ traffic.exchange($0) }),
            let end = (last.deliveredAt ?? last.lostAt ?? last.endedAt)?.now
        {
            let gap = exchange.startedAt.now.seconds(since: end)
            // Those side by side are no row.
            if gap < 0 { return [] }
            if gap >= Self.longestGap { numbers = [] }
        }
        numbers.append(exchange.number)
        failures[place] = Array(numbers.suffix(ObservedFinding.evidenceLimit))
        guard numbers.count >= Self.limit else { return [] }
        // Requests for one thing after the other repeat nothing, though none of them waits.
        let targets = Set(numbers.compactMap { traffic.exchange($0)?.request.target }).count
        guard targets < numbers.count else { return [] }
        var draft = FindingDraft(
            exchange,
            confidence: targets > 1 ? .likely : .certain,
            evidence: numbers.map { FindingEvidence(.exchange($0), "failed") },
            message:
                "\(numbers.count) failures in a row at \(exchange.request.endpoint)"
                + (targets > 1 ? ", of \(targets) addresses" : "") + ", less than a second apart"
        )
        draft.occurrence = numbers.first ?? exchange.number
        return [draft]
    }
}
