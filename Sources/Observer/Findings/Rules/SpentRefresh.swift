import Basics
import Model

extension FindingRule {
    static let spentRefresh = FindingRule(
        "spent-refresh",
        .bug,
        summary: "A refresh token is sent after the one that replaced it has been delivered.",
        remedy: """
            Store the new refresh token together with the access token before using either of \
            them; on a refusal read the store again before signing out.
            """,
        references: [
            "PostHog/posthog#46982", "evex-dev/linejs#220", "stacklok/toolhive#5636",
            "openid/AppAuth-iOS#634", "forcedotcom/SalesforceMobileSDK-Android#2879",
        ],
        watch: { SpentRefreshWatch() }
    )
}

private struct SpentRefreshWatch: FindingWatch {
    /// A gap after which a new connection is likely one of a new start of the app, in seconds.
    private static let restart = 30.0

    func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard case .over(let number) = fact, let exchange = traffic.exchange(number),
            exchange.purpose == .refresh, let refresh = exchange.refresh,
            let family = traffic.graph.family(of: refresh), !family.isRolling
        else { return [] }
        // The successor, where a client received it before this request began.
        let successor = family.child(of: refresh) { child in
            child.refresh != refresh
                && child.deliveries.contains { traffic.isAfter(exchange, $0) }
        }
        guard let successor, let delivery = successor.deliveries.first,
            let source = traffic.exchange(successor.exchange)
        else { return [] }
        let since = exchange.startedAt.now.seconds(since: delivery.at)
        let holder = holder(exchange, delivery, since)
        let wasAccepted = exchange.outcome == .issued
        var draft = FindingDraft(
            exchange,
            variant: holder.variant,
            severity: wasAccepted ? .risk : .bug,
            evidence: [
                source.evidence("brought the refresh token that replaced it"),
                exchange.evidence("refresh with the replaced token, \(exchange.result)"),
            ],
            message: "#\(exchange.number) sends a refresh token that #\(source.number) had "
                + "replaced \(since.duration) before, \(holder.text): "
                + (wasAccepted ? "the backend still accepts it" : exchange.result)
        )
        if exchange.client != delivery.client { draft.remedy = Self.remedyOfOtherClient }
        return [draft]
    }

    private static let remedyOfOtherClient = """
        Give each client a session of its own, or one store for both: read the refresh token from it \
        right before it is sent, and lock it until the new one is stored.
        """

    private func holder(
        _ exchange: ObservedExchange,
        _ delivery: TokenGeneration.Delivery,
        _ since: Double
    ) -> (variant: String, text: String) {
        if exchange.client != delivery.client {
            return ("other-client", "with one that was delivered to another client")
        }
        if !delivery.isByConnection(of: exchange), since >= Self.restart {
            return ("not-persisted", "perhaps before a restart of the app")
        }
        return ("not-stored", "with one that was delivered to the same client")
    }
}
