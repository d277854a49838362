import Basics
import Model

extension FindingRule {
    static let expiredSent = FindingRule(
        "expired-sent",
        .risk,
        summary: "A request presents an access token that has ended.",
        remedy: """
            Renew before the end; count a lifetime from the answer, not by the wall clock.
            """,
        references: [
            "koala73/worldmonitor#5932", "workos/authkit-nextjs#470",
            "firebase/firebase-js-sdk#6032",
        ],
        watch: { ExpiredSentWatch() }
    )
}

private struct ExpiredSentWatch: FindingWatch {
    /// The tolerated difference between two clocks, in seconds.
    private static let tolerance = 2.0

    func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let exchange = fact.over(in: traffic), exchange.purpose == .protected,
            exchange.outcome == .tokenRefused || exchange.outcome == .accepted,
            let deadline = traffic.accessDeadline(of: exchange),
            traffic.family(of: exchange)?.end == nil,
            traffic.newerGeneration(than: exchange) == nil
        else { return [] }
        let late = exchange.startedAt.now.seconds(since: deadline.statedEnd)
        guard late > Self.tolerance + deadline.expiry.skewWidth else { return [] }
        return [
            FindingDraft(
                exchange,
                confidence: deadline.expiry.isAssumed ? .likely : .certain,
                evidence: [
                    exchange.evidence("request with an expired access token, \(exchange.result)")
                ],
                message: "#\(exchange.number) presents an access token that ended "
                    + "\(late.whole) s before: \(exchange.result)"
            )
        ]
    }
}
