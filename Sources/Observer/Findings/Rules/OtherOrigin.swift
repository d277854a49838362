import Basics
import Model

extension FindingRule {
    static let otherOrigin = FindingRule(
        "other-origin",
        .risk,
        summary: "A token goes to an origin that does not belong to its backend.",
        remedy: "Send a token only to the origins that it is for; drop it at a redirect.",
        references: [
            "nodejs/undici#872", "adobe/fetch#447", "Azure/azure-sdk-for-net#59606",
        ],
        watch: { OtherOriginWatch() }
    )
}

private struct OtherOriginWatch: FindingWatch {
    func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let exchange = fact.over(in: traffic), !traffic.origins.isEmpty,
            let family = traffic.family(of: exchange), exchange.outcome != .notSent,
            exchange.request.origin != family.origin,
            !traffic.origins.contains(exchange.request.origin),
            exchange.outcome != .accepted, exchange.outcome != .issued,
            !isAudience(exchange.request.origin, of: family)
        else { return [] }
        let wasAccepted = traffic.newestFirst.prefix(512).contains {
            $0.family == family.id && $0.request.origin == exchange.request.origin
                && $0.outcome == .accepted
        }
        guard !wasAccepted else { return [] }
        return [
            FindingDraft(
                exchange,
                evidence: [exchange.evidence("a token of \(family.origin)")],
                message: "#\(exchange.number) takes a token of \(family.origin) to "
                    + exchange.request.origin
            )
        ]
    }

    private func isAudience(_ origin: String, of family: TokenFamily) -> Bool {
        guard let audience = family.newestGeneration?.access?.claims["aud"] else { return false }
        let host = origin.parts(at: "/").last.map(String.init) ?? origin
        return audience.serialized.contains(host)
    }
}
