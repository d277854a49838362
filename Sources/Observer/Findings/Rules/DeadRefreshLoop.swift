import Basics
import Model

extension FindingRule {
    static let deadRefreshLoop = FindingRule(
        "dead-refresh-loop",
        .bug,
        summary: "A refresh token is sent again and again after it was refused for good.",
        remedy:
            "A permanent refusal, such as `invalid_grant`, is final: stop, and ask for a login.",
        references: [
            "NousResearch/hermes-agent#103652", "memrynote/memry#850",
            "vaadin/vaadin-connect#335",
        ],
        watch: { DeadRefreshLoopWatch() }
    )
}

/// A refusal that does not say that it is for good counts for that once it is repeated, and the next
/// answer may show that it was not: what follows it is likely a loop, and no more.
private struct DeadRefreshLoopWatch: FindingWatch {
    private static let limit = 3

    /// The refusal that was final, or the first of a row, and the refreshes that followed its delivery.
    private struct Refusal: Sendable {
        let number: Int
        var later: [Int] = []
    }

    /// The exchanges among which a row of refusals is looked for.
    private static let depth = 256

    /// The failures of one token, none of which says that it is refused, that are likely a loop.
    private static let failureLimit = 5

    private var refusals = RecentMap<Fingerprint, Refusal>(limit: 256)
    /// The refreshes that failed one after the other, and not for the moment.
    private var failures = RecentMap<Fingerprint, [Int]>(limit: 256)

    mutating func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard case .over(let number) = fact, let exchange = traffic.exchange(number),
            exchange.purpose == .refresh, let refresh = exchange.refresh
        else { return [] }
        guard var refusal = refusals[refresh] else {
            guard exchange.outcome == .refreshRefused(isFinal: true) else {
                return fail(exchange, refresh, traffic)
            }
            failures[refresh] = nil
            // Many in a row are final because they are many: they are the loop.
            let row = Self.row(endingWith: exchange, traffic)
            guard row.count >= BareRefusals.limit else {
                refusals[refresh] = Refusal(number: number)
                return []
            }
            let loop = Refusal(number: row[0], later: Array(row.dropFirst()))
            refusals[refresh] = loop
            return finding(exchange, loop, traffic)
        }
        if exchange.outcome == .issued {
            refusals[refresh] = nil
            return []
        }
        let first = traffic.exchange(refusal.number)
        guard let first, traffic.isAfter(exchange, first.deliveredAt?.now) else { return [] }
        refusal.later.append(number)
        refusals[refresh] = refusal
        return finding(exchange, refusal, traffic)
    }

    /// The refusals of one refresh token up to this one that do not say that they are for good, each of a
    /// request that began once the one before had come.
    private static func row(
        endingWith last: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> [Int] {
        var next = last
        var numbers: [Int] = []
        for other in traffic.newestFirst.prefix(depth)
        where other.number <= last.number && other.purpose == .refresh
            && other.refresh == last.refresh && other.client == last.client
        {
            guard case .refreshRefused = other.outcome, other.answer?.refusesForGood != true else {
                break
            }
            let isBefore = other.deliveredAt.map { $0.now <= next.startedAt.now } ?? false
            guard isBefore || other.number == last.number else { continue }
            numbers.append(other.number)
            next = other
        }
        return numbers.reversed()
    }

    private func finding(
        _ exchange: ObservedExchange,
        _ refusal: Refusal,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        guard refusal.later.count >= Self.limit, let first = traffic.exchange(refusal.number) else {
            return []
        }
        let seconds = exchange.startedAt.now.seconds(since: first.startedAt.now)
        let isCertain = first.answer?.refusesForGood ?? false
        let how = isCertain ? " for good" : ""
        var draft = FindingDraft(
            exchange,
            confidence: isCertain ? .certain : .likely,
            evidence: [first.evidence("refused\(how)")]
                + refusal.later.suffix(ObservedFinding.evidenceLimit - 1).map {
                    FindingEvidence(.exchange($0), "the same refresh token again")
                },
            message: "\(refusal.later.count) refreshes in \(seconds.durationUp) with a "
                + "refresh token that #\(first.number) had refused\(how)"
        )
        draft.occurrence = first.number
        if !isCertain { draft.remedy = Self.remedyOfRefusals }
        return [draft]
    }

    private static let remedyOfRefusals = """
        A refusal that comes again is final, whatever its code: stop after a few, and ask for a login.
        """

    /// A failure that does not say that the token is refused, as 404 for a session that is gone.
    private mutating func fail(
        _ exchange: ObservedExchange,
        _ refresh: Fingerprint,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        guard exchange.outcome == .inconclusive, let status = exchange.status,
            (400..<500).contains(status)
        else {
            if exchange.isOver { failures[refresh] = nil }
            return []
        }
        var numbers = failures[refresh] ?? []
        if let last = numbers.last.flatMap({ traffic.exchange($0) }),
            !traffic.isAfter(exchange, last.deliveredAt?.now)
        {
            return []
        }
        numbers.append(exchange.number)
        failures[refresh] = Array(numbers.suffix(ObservedFinding.evidenceLimit))
        guard numbers.count >= Self.failureLimit,
            let first = numbers.first.flatMap({ traffic.exchange($0) })
        else { return [] }
        let seconds = exchange.startedAt.now.seconds(since: first.startedAt.now)
        var draft = FindingDraft(
            exchange,
            variant: "failing",
            severity: .risk,
            confidence: .likely,
            evidence: numbers.map {
                FindingEvidence(.exchange($0), "the same refresh token, failed")
            },
            message:
                "\(numbers.count) refreshes in \(seconds.durationUp) with one refresh token, each "
                + "of which fails (\(exchange.result)), and none brings tokens"
        )
        draft.occurrence = first.number
        draft.remedy = Self.remedyOfRefusals
        return [draft]
    }
}
