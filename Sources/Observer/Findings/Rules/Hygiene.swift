import Basics
import Model
import Profiles

/// Habits that are not wrong by themselves, and make other faults worse.
extension FindingRule {
    static let noStore = FindingRule(
        "no-store",
        .note,
        summary: "An answer with tokens does not forbid caches to store it.",
        remedy: "Send `Cache-Control: no-store` with tokens (RFC 6749, section 5.1).",
        watch: { NoStoreWatch() }
    )

    static let cookieFlags = FindingRule(
        "cookie-flags",
        .note,
        summary: "A cookie with a token has no HttpOnly, Secure or SameSite.",
        remedy: "Set HttpOnly, Secure and SameSite on cookies with tokens.",
        watch: { CookieFlagsWatch() }
    )

    static let longRefresh = FindingRule(
        "long-refresh",
        .note,
        summary: "A refresh token lives for more than 30 days and is never replaced.",
        remedy: "Replace refresh tokens at each use, or let them live for a shorter time.",
        watch: { LongRefreshWatch() }
    )

    static let silentLogout = FindingRule(
        "silent-logout",
        .note,
        summary: "A login takes the place of a session that was not logged out.",
        remedy: "Log the old session out at the backend before another one takes its place.",
        watch: { SilentLogoutWatch() }
    )
}

private struct NoStoreWatch: FindingWatch {
    func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let exchange = fact.over(in: traffic), exchange.outcome == .issued,
            let facts = exchange.answer, !facts.forbidsStoring, !facts.isRedirect,
            facts.issued.contains(where: { $0.place == .body })
        else { return [] }
        var draft = FindingDraft(
            exchange,
            evidence: [exchange.evidence("tokens without Cache-Control: no-store")],
            message: "the answer to #\(exchange.number) brings tokens, and caches may store it"
        )
        draft.family = nil
        return [draft]
    }
}

private struct CookieFlagsWatch: FindingWatch {
    func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let exchange = fact.over(in: traffic), let facts = exchange.answer else { return [] }
        let tokens = Set(facts.issued.filter { $0.place == .cookie }.map(\.name))
        for cookie in facts.cookies where cookie.value != nil && tokens.contains(cookie.name) {
            var missing: [String] = []
            if !cookie.flags.contains("httponly") { missing.append("HttpOnly") }
            // Over HTTP a browser would not store it then.
            if !cookie.flags.contains("secure"), exchange.request.origin.begins(with: "https:") {
                missing.append("Secure")
            }
            if !cookie.flags.contains(where: { $0.begins(with: "samesite") }) {
                missing.append("SameSite")
            }
            guard !missing.isEmpty else { continue }
            let list = missing.joined(separator: ", ")
            var draft = FindingDraft(
                exchange,
                evidence: [exchange.evidence("\(cookie.name) without \(list)")],
                message: "the cookie \(cookie.name) of #\(exchange.number) has no \(list)"
            )
            draft.family = nil
            return [draft]
        }
        return []
    }
}

private struct LongRefreshWatch: FindingWatch {
    private static let longest = 30.0 * 86_400

    func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let exchange = fact.over(in: traffic), exchange.purpose == .refresh,
            exchange.outcome == .issued, let family = traffic.family(of: exchange),
            let generation = family.generations.last(where: { $0.exchange == exchange.number }),
            !generation.pair.rotated, generation.refresh == exchange.refresh,
            let deadline = generation.pair.refreshExpiry, !deadline.expiry.isAssumed,
            deadline.statedLifetime > Self.longest
        else { return [] }
        let days = (deadline.statedLifetime / 86_400).whole
        var draft = FindingDraft(
            exchange,
            evidence: [exchange.evidence("refresh that brought no new refresh token")],
            message: "a refresh token that lives for \(days) days was not replaced at its use"
        )
        draft.family = nil
        return [draft]
    }
}

private struct SilentLogoutWatch: FindingWatch {
    /// The origins at which a logout was seen.
    private var origins = RecentMap<String, Int>(limit: 64)

    mutating func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let exchange = fact.over(in: traffic) else { return [] }
        let origin = exchange.request.origin
        if exchange.outcome == .loggedOut { origins[origin] = exchange.number }
        guard exchange.purpose == .login, exchange.outcome == .issued,
            let logout = origins[origin].flatMap({ traffic.exchange($0) })
        else { return [] }
        let replaced = traffic.graph.families.values.first {
            $0.end == .replaced && $0.endedIn == exchange.number
        }
        guard replaced != nil else { return [] }
        return [
            FindingDraft(
                exchange,
                evidence: [
                    logout.evidence("the backend has a logout"),
                    exchange.evidence("login in the place of a session that goes on"),
                ],
                message: "#\(exchange.number) takes the place of a session without logging it out"
            )
        ]
    }
}
