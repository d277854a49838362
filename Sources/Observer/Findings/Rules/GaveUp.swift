import Basics
import Model

extension FindingRule {
    static let gaveUp = FindingRule(
        "gave-up",
        .bug,
        summary: "A refresh failed for a while, and the app ended the session.",
        remedy: "A temporary failure ends no session: keep it, wait, and try again.",
        references: [
            "damienbod/angular-auth-oidc-client#2103", "ginlix-ai/LangAlpha#379",
            "bayesimpact/bayes-platform#710", "owncloud/client#11984", "opencloud-eu/web#2128",
        ],
        watch: { GaveUpWatch() }
    )
}

private struct GaveUpWatch: FindingWatch {
    private static let window = 60.0
    /// The number of exchanges that are looked through for another try.
    private static let depth = 256

    /// The refresh that failed last, by client.
    private var failures = RecentMap<ObservedClient, Int>(limit: 128)

    mutating func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        if let exchange = fact.over(in: traffic), exchange.purpose == .refresh {
            // A request that was sent and not answered is another matter: its answer is lost.
            let isTransient =
                exchange.outcome == .transient || exchange.outcome == .notSent
                || exchange.outcome == .inconclusive && exchange.answer?.saysForgery == true
            failures[exchange.client] = isTransient ? exchange.number : nil
            return []
        }
        guard let exchange = fact.started(in: traffic), let number = failures[exchange.client],
            let failed = traffic.exchange(number)
        else { return [] }
        if exchange.purpose == .refresh {
            failures[exchange.client] = nil
            return []
        }
        let isLogout = exchange.purpose == .logout && exchange.family == failed.family
        guard isLogout || exchange.purpose == .login,
            let family = traffic.family(of: failed), family.end == nil,
            let failedAt = (failed.deliveredAt ?? failed.endedAt)?.now,
            exchange.startedAt.now >= failedAt
        else { return [] }
        failures[exchange.client] = nil
        let seconds = exchange.startedAt.now.seconds(since: failed.startedAt.now)
        guard seconds <= Self.window, !hasReason(exchange, failed, family, traffic) else {
            return []
        }
        let what = isLogout ? "logs out" : "logs in"
        let when = seconds.whole > 0 ? "\(seconds.duration) later" : "at once"
        let how =
            failed.answer?.saysForgery == true
            ? "was refused for its token against forged requests (CSRF)" : "failed for the moment"
        // An app may know from elsewhere that its refresh token has ended.
        let mayHaveEnded = !isLogout && deadline(of: failed, family) == nil
        let exception =
            mayHaveEnded ? ", unless its refresh token had ended: no answer says when" : ""
        return [
            FindingDraft(
                failed,
                severity: mayHaveEnded ? .risk : .bug,
                confidence: .likely,
                evidence: [
                    failed.evidence("refresh, \(failed.result)"),
                    exchange.evidence("the app \(what)"),
                ],
                message: "the refresh #\(failed.number) \(how) (\(failed.result)), "
                    + "and the app \(what) \(when) without another try\(exception)"
            )
        ]
    }

    /// Whether there was no use in another try: the app had made one with the same token, and ends
    /// a session after a number of tries, or the token had come to its end, or another process of
    /// the app is logging out.
    private func hasReason(
        _ exchange: ObservedExchange,
        _ failed: ObservedExchange,
        _ family: TokenFamily,
        _ traffic: ObservedTraffic
    ) -> Bool {
        if let end = deadline(of: failed, family)?.statedEnd, end <= exchange.startedAt.now {
            return true
        }
        return traffic.newestFirst.prefix(Self.depth).contains { other in
            guard other.number != failed.number, other.number != exchange.number else {
                return false
            }
            return other.purpose == .refresh && other.refresh == failed.refresh
                || other.purpose == .logout && other.family == family.id
        }
    }

    private func deadline(of failed: ObservedExchange, _ family: TokenFamily) -> Deadline? {
        family.generations.last { $0.refresh == failed.refresh }?.pair.refreshExpiry
    }
}
