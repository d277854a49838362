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
        if let outlived = outlived(exchange, traffic) { return [outlived] }
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

    /// The first acceptance of the only token of a session after its stated end, which proves that it
    /// had not ended.
    private func outlived(
        _ exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> FindingDraft? {
        guard let access = exchange.access?.fingerprint,
            let outlived = traffic.graph.generation(of: access)?.outlived,
            outlived.exchange == exchange.number
        else { return nil }
        return FindingDraft(
            exchange,
            variant: "prolonged",
            severity: .note,
            evidence: [
                exchange.evidence("request after the stated end of its token, \(exchange.result)")
            ],
            message:
                "#\(exchange.number) presents an access token \(outlived.late.whole) s after its "
                + "stated end, and is accepted: the backend prolongs it with its use, or does not "
                + "look at its end"
        )
    }
}
