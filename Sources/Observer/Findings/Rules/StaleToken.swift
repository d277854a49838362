import Basics
import Model

extension FindingRule {
    static let staleToken = FindingRule(
        "stale-token",
        .bug,
        summary: "An access token is sent after a newer one has been delivered.",
        remedy: """
            Take the token from the store when a request is sent, also when it is repeated or \
            comes out of a queue; do not build headers beforehand.
            """,
        references: [
            "jackmusick/bifrost#16", "openai/codex#2699", "microsoft/onefuzz#1017",
            "yegobox/flipper#586", "felangel/fresh#141",
        ],
        watch: { StaleTokenWatch() }
    )
}

private struct StaleTokenWatch: FindingWatch {
    private static let depth = 256
    /// The time since a request was refused that this one repeats, in seconds.
    private static let retryTime = 10.0

    func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard case .over(let number) = fact, let exchange = traffic.exchange(number),
            exchange.purpose == .protected,
            let newer = traffic.storedGeneration(newerThan: exchange),
            let family = traffic.family(of: exchange), family.end == nil,
            let source = traffic.exchange(newer.exchange), exchange.outcome != .notSent
        else { return [] }
        let isOnSameConnection = newer.deliveries.contains {
            $0.isByConnection(of: exchange)
        }
        let original = traffic.newestFirst.prefix(Self.depth).first { other in
            guard other.number != number, other.outcome == .tokenRefused,
                other.request.isRepeat(of: exchange.request), let at = other.deliveredAt
            else { return false }
            return (0...Self.retryTime).contains(exchange.startedAt.now.seconds(since: at.now))
        }
        var evidence = [
            source.evidence("brought a newer access token"),
            exchange.evidence("request with the old one, \(exchange.result)"),
        ]
        if let original {
            evidence.insert(original.evidence("the same request, refused before"), at: 0)
        }
        let isRefused = exchange.outcome == .tokenRefused
        let whose = isOnSameConnection ? "" : " (or another tab or worker of it does)"
        return [
            FindingDraft(
                exchange,
                variant: original == nil ? nil : "stale-retry",
                severity: isRefused ? .bug : .note,
                confidence: isOnSameConnection ? .certain : .likely,
                evidence: evidence,
                message: "the client sends the access token of generation "
                    + "\(exchange.generation ?? 0) in #\(number) after #\(source.number) has "
                    + "brought generation \(newer.number)\(whose): \(exchange.result)"
            )
        ]
    }
}
