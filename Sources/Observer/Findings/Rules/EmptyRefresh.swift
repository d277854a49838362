import Basics
import Model
import Profiles

extension FindingRule {
    static let emptyRefresh = FindingRule(
        "empty-refresh",
        .risk,
        summary: "A refresh is answered with success, and brings no new access token.",
        remedy: """
            Look at what the backend answers to a refresh. If the token is there, say under which name in \
            recognition.toml, or describe the backend with `authtop proxy --write-profile`.
            """,
        watch: { EmptyRefreshWatch() }
    )
}

/// Watches for access tokens that are refused after a refresh that left them as they were.
private struct EmptyRefreshWatch: FindingWatch {
    /// The refreshes that were told, by session.
    private var told = RecentMap<Int, Int>(limit: 128)

    mutating func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let exchange = fact.over(in: traffic), exchange.outcome == .tokenRefused,
            exchange.purpose == .protected, let renewal = traffic.emptyRenewal(before: exchange),
            let family = exchange.family, told[family] != renewal.number
        else { return [] }
        told[family] = renewal.number
        let isSame = renewal.bringsAccess
        let isCached = renewal.answer?.isCached == true
        let what = isSame ? "the same access token" : "no access token that is known as one"
        var draft = FindingDraft(
            renewal,
            confidence: .likely,
            evidence: [
                renewal.evidence("refresh that brought \(what)"),
                exchange.evidence("the access token from before is refused"),
            ],
            message: "the refresh #\(renewal.number) was \(renewal.result)"
                + (isCached ? " by a cache" : renewal.answer?.isPage == true ? " by a page" : "")
                + " and brought \(what)" + (isSame ? " again" : "")
                + "; #\(exchange.number) presents the one from before: \(exchange.result)"
        )
        if isCached, isSame {
            draft.variant = "cached"
            draft.severity = .bug
            draft.remedy = """
                Answer a refresh with `Cache-Control: no-store` (RFC 6749, section 5.1), and let no proxy \
                or service worker store it.
                """
        }
        return [draft]
    }
}

extension ObservedExchange {
    /// Whether its access token was good for what it asked for.
    var isTaken: Bool {
        outcome == .accepted && answer?.isSuccess == true && answer?.isNull != true
    }

    /// Whether its answer brought an access token, or that of a session.
    fileprivate var bringsAccess: Bool {
        answer?.issued.contains { [.access, .session].contains($0.role) } ?? false
    }
}

extension ObservedTraffic {
    /// The time in which a token that a refresh left as it was is refused because of that, in seconds: an
    /// app that asks early is told that it is still good.
    private static let emptyWindow = 60.0

    /// The last refresh of a session, if it was answered with success before a request, and left the
    /// access token that this presents as it was, which nothing has accepted since; else `nil`.
    func emptyRenewal(before exchange: ObservedExchange) -> ObservedExchange? {
        guard let family = family(of: exchange), !family.isRolling,
            let access = exchange.access?.fingerprint,
            let renewal = family.lastRefresh.flatMap({ self.exchange($0) }),
            renewal.number < exchange.number, renewal.client == exchange.client,
            renewal.isDelivered, isAfter(exchange, renewal.deliveredAt?.now),
            exchange.startedAt.now.seconds(since: renewal.startedAt.now) <= Self.emptyWindow,
            [.issued, .accepted, .inconclusive].contains(renewal.outcome),
            !renewal.renewsSessionToken,
            let answer = renewal.answer, answer.isSuccess, answer.shape == nil,
            answer.saysRefusal != true, answer.unreadCoding == nil,
            !answer.issued.contains(where: {
                [.access, .session].contains($0.role) && $0.fingerprint != access
            })
        else { return nil }
        // The access token was there before the refresh, and is not what a login brought since.
        let isOlder = newest(Self.exchangeLimit) {
            $0.number < renewal.number && $0.access?.fingerprint == access
        }
        let isIssuedBefore = family.generations.contains {
            $0.access?.fingerprint == access && $0.exchange < renewal.number
        }
        let wasAccepted = newest(256) {
            $0.number > renewal.number && $0.isTaken && $0.access?.fingerprint == access
        }
        return (isOlder != nil || isIssuedBefore) && wasAccepted == nil ? renewal : nil
    }
}
