import Basics
import Model

extension FindingRule {
    static let aliveAfterLogout = FindingRule(
        "alive-after-logout",
        .risk,
        summary: "A token is used after the logout of its session.",
        remedy: """
            On the server: refuse the tokens of an ended session, at least for refreshes. In the app: \
            erase the tokens before anything else.
            """,
        references: ["casdoor/casdoor#2133"],
        watch: { AliveAfterLogoutWatch() }
    )
}

private struct AliveAfterLogoutWatch: FindingWatch {
    func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let exchange = fact.over(in: traffic),
            [.protected, .refresh, .socket, .stream].contains(exchange.purpose),
            let family = traffic.family(of: exchange), family.end == .logout,
            let logout = family.endedIn.flatMap({ traffic.exchange($0) }),
            let loggedOutAt = logout.deliveredAt?.now, let status = logout.status,
            traffic.isAfter(exchange, loggedOutAt),
            !isResurrected(exchange, traffic, since: loggedOutAt)
        else { return [] }
        let what = exchange.purpose == .refresh ? "refresh token" : "access token"
        let since = exchange.startedAt.now.seconds(since: loggedOutAt).duration
        let isAlive =
            exchange.outcome == .issued || exchange.outcome == .accepted || exchange.status == 101
        let isRefused: Bool =
            switch exchange.outcome {
            case .tokenRefused, .refreshRefused: true
            default: exchange.purpose.isSocket && exchange.status == 403
            }
        // A logout that was refused shows that the session had ended before.
        guard isAlive && status < 400 || isRefused && (status < 400 || status == 401) else {
            return []
        }
        return [
            FindingDraft(
                exchange,
                variant: isAlive ? nil : "used-after-logout",
                severity: isAlive ? .risk : .bug,
                confidence: isAlive ? .certain : .likely,
                evidence: [
                    logout.evidence("logout, \(logout.result)"),
                    exchange.evidence("use of its \(what), \(exchange.result)"),
                ],
                message: "#\(exchange.number) uses the \(what) of a session that #\(logout.number) "
                    + "ended \(since) before: "
                    + (isAlive ? "the backend accepts it" : "the backend refuses it")
            )
        ]
    }

    /// Whether its tokens reached the app after the logout, which is another finding.
    private func isResurrected(
        _ exchange: ObservedExchange,
        _ traffic: ObservedTraffic,
        since loggedOutAt: Instant
    ) -> Bool {
        let token = exchange.purpose == .refresh ? exchange.refresh : exchange.access?.fingerprint
        let delivered = token.flatMap { traffic.graph.generation(of: $0)?.deliveredAt() }
        return delivered.map { $0 > loggedOutAt } ?? false
    }
}
