import Basics
import Model
import Profiles

extension FindingRule {
    static let keptNothing = FindingRule(
        "kept-nothing",
        .bug,
        summary: "A refresh brought no refresh token, and the app did not keep the old one.",
        remedy: "No refresh token in an answer means: keep the old one (RFC 6749, section 6).",
        references: [
            "modelcontextprotocol/rust-sdk#949", "modelcontextprotocol/python-sdk#2274",
            "cognizant-ai-lab/nsflow#239", "Bdaya-Dev/oidc#170", "auth0/Auth0.swift#144",
        ],
        watch: { KeptNothingWatch() }
    )
}

/// Watches for logins where the app's last session had come to its end.
///
/// Processes of an app that share their sessions take over each other's without a request. Where
/// several clients have used a session, it is unknown which one a login follows.
private struct KeptNothingWatch: FindingWatch {
    /// An app may renew or log in this long before the end, in seconds.
    private static let lead = 5.0
    /// The same as a part of the lifetime, which may be as short.
    private static let leadShare = 0.25

    /// The last refresh without a refresh token, by client.
    private var renewals = RecentMap<ObservedClient, Int>(limit: 128)
    /// The clients that have kept a refresh token that an answer left out, in whatever session: they
    /// know how to, and log in for another reason.
    private var keepers = RecentMap<ObservedClient, Bool>(limit: 128)

    mutating func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let exchange = fact.over(in: traffic) else { return [] }
        if exchange.purpose == .refresh, let token = exchange.refresh {
            // It renews with a token that an answer had left out before.
            if let family = traffic.family(of: exchange),
                family.generations.filter({ generation in
                    generation.refresh == token && generation.exchange != exchange.number
                }).count > 1
            {
                keepers[exchange.client] = true
            }
            let brings = exchange.answer?.issued.contains { $0.role == .refresh } ?? false
            let isPair = exchange.outcome == .issued && !brings
            renewals[exchange.client] = isPair ? exchange.number : nil
            return []
        }
        guard let renewal = renewals[exchange.client].flatMap({ traffic.exchange($0) }) else {
            return []
        }
        // The client has moved on to another session.
        if exchange.purpose != .login, let used = exchange.family, used != renewal.family {
            renewals[exchange.client] = nil
            return []
        }
        guard keepers[exchange.client] == nil,
            let family = traffic.family(of: renewal), isOver(family, exchange, traffic)
        else { return [] }
        let isEmptyRefresh = exchange.purpose == .refresh && exchange.refresh == nil
        let isLogin = exchange.purpose == .login && exchange.outcome == .issued
        guard isEmptyRefresh || isLogin else { return [] }
        renewals[exchange.client] = nil
        let what = isLogin ? "logs in" : "refreshes without a token"
        return [
            FindingDraft(
                renewal,
                confidence: .likely,
                evidence: [
                    renewal.evidence("refresh that brought no refresh token"),
                    exchange.evidence("the app \(what)"),
                ],
                message: "#\(renewal.number) brought an access token and no refresh token, and at "
                    + "its end the app \(what) (#\(exchange.number))"
            )
        ]
    }

    /// Whether the session needed a renewal when the request began, and had a token for it.
    private func isOver(
        _ family: TokenFamily,
        _ exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> Bool {
        guard family.end == nil || family.endedIn == exchange.number,
            let newest = family.newestGeneration, let refresh = newest.refresh,
            !family.refused.contains(refresh), !traffic.hasLogout(ofFamily: family.id),
            family.clients.count < 2
        else { return false }
        if let deadline = newest.pair.accessExpiry {
            let left = deadline.statedEnd.seconds(since: exchange.startedAt.now)
            let lead = min(Self.lead, deadline.lifetime.inSeconds * Self.leadShare)
            if left < lead { return true }
        }
        return traffic.newestFirst.prefix(64).contains {
            $0.outcome == .tokenRefused && $0.access?.fingerprint == newest.access?.fingerprint
                && !traffic.isSecondInARow($0)
        }
    }
}
