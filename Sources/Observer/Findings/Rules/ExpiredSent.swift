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
    func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let exchange = fact.over(in: traffic), exchange.purpose == .protected,
            exchange.outcome == .tokenRefused || exchange.outcome == .accepted
                || exchange.status == 403,
            traffic.family(of: exchange)?.end == nil,
            traffic.newerGeneration(than: exchange) == nil
        else { return [] }
        guard let deadline = traffic.accessDeadline(of: exchange) else { return [] }
        let late = exchange.startedAt.now.seconds(since: deadline.statedEnd)
        guard late > ObservedTraffic.clockTolerance + deadline.expiry.skewWidth else { return [] }
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
