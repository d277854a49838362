import Basics
import Model

extension FindingRule {
    static let resurrected = FindingRule(
        "resurrected",
        .bug,
        summary: "A refresh that was in progress at the logout brings the session back.",
        remedy: """
            Number the sessions: drop what an older number brings, and revoke it.
            """,
        references: [
            "logto-io/kotlin#253", "supabase/supabase-swift#1371", "gethouston/houston#1192",
        ],
        watch: { ResurrectedWatch() }
    )
}

private struct ResurrectedWatch: FindingWatch {
    func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let exchange = fact.over(in: traffic), exchange.purpose != .logout,
            let family = traffic.family(of: exchange), family.end == .logout,
            let logout = family.endedIn.flatMap({ traffic.exchange($0) }),
            let loggedOutAt = logout.deliveredAt?.now
        else { return [] }
        let token = exchange.purpose == .refresh ? exchange.refresh : exchange.access?.fingerprint
        guard let generation = token.flatMap({ traffic.graph.generation(of: $0) }),
            let refresh = traffic.exchange(generation.exchange), refresh.purpose == .refresh,
            let deliveredAt = refresh.deliveredAt?.now,
            refresh.startedAt.now < logout.startedAt.now, deliveredAt > loggedOutAt,
            traffic.isAfter(exchange, deliveredAt)
        else { return [] }
        return [
            FindingDraft(
                exchange,
                evidence: [
                    refresh.evidence("refresh that began before the logout"),
                    logout.evidence("logout, \(logout.result)"),
                    exchange.evidence("use of what the refresh brought, \(exchange.result)"),
                ],
                message: "#\(exchange.number) uses a token that #\(refresh.number) brought after "
                    + "#\(logout.number) had ended the session"
            )
        ]
    }
}
