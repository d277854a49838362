import Basics
import FoundationEssentials
import Model

extension FindingRule {
    static let earlyDeath = FindingRule(
        "early-death",
        .risk,
        summary: "The backend refuses an access token long before its stated end.",
        remedy: """
            Find out what ends it: another instance with other keys, a restart that loses \
            sessions, a lifetime that is stated wrongly. Renew after a 401 in any case.
            """,
        references: ["cubeplexai/cubeplex#346"],
        watch: { EarlyDeathWatch() }
    )
}

private struct EarlyDeathWatch: FindingWatch {
    private static let leastLeft = 5.0
    private static let leastShare = 0.05
    private static let window = 60.0

    /// The refusal that is not explained yet, by family.
    private var refusals = RecentMap<Int, Int>(limit: 128)

    mutating func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let exchange = fact.over(in: traffic), exchange.purpose == .protected,
            let family = traffic.family(of: exchange)
        else { return [] }
        if exchange.outcome == .tokenRefused {
            if exchange.answer?.isCached == true { return [cached(exchange)] }
            if let draft = notYet(exchange) { return [draft] }
            if refusals[family.id] == nil, isEarly(exchange, family, traffic) {
                refusals[family.id] = exchange.number
            }
            return []
        }
        // The same request with a newer token shows that the refusal was about the token.
        guard exchange.outcome == .accepted,
            let refused = refusals[family.id].flatMap({ traffic.exchange($0) }),
            let generation = refused.generation
        else { return [] }
        if (exchange.generation ?? 0) <= generation {
            refusals[family.id] = nil
            return []
        }
        guard exchange.request.endpoint == refused.request.endpoint else { return [] }
        refusals[family.id] = nil
        guard exchange.startedAt.now.seconds(since: refused.startedAt.now) <= Self.window,
            family.end == nil, let deadline = traffic.accessDeadline(of: refused)
        else { return [] }
        let left = deadline.statedEnd.seconds(since: refused.startedAt.now)
        let stated = deadline.statedLifetime
        return [
            FindingDraft(
                refused,
                evidence: [
                    refused.evidence("its access token was refused"),
                    exchange.evidence("the same request with a newer token, \(exchange.result)"),
                ],
                message: seemsInMilliseconds(deadline, left)
                    ? "#\(refused.number) was refused \((stated - left).duration) after its access "
                        + "token, of \(stated.whole) s, was issued: as if that were in milliseconds"
                    : "#\(refused.number) was refused \(left.duration) before the stated end of "
                        + "its access token, of \(stated.duration)"
            )
        ]
    }

    /// A refusal that a cache has sent, which was made for another request.
    private func cached(_ exchange: ObservedExchange) -> FindingDraft {
        var draft = FindingDraft(
            exchange,
            variant: "cached",
            confidence: .likely,
            evidence: [exchange.evidence("refused by the answer of a cache")],
            message: "#\(exchange.number) was refused by an answer that a cache had stored "
                + "(Age, X-Cache), and that does not differ by the token"
        )
        draft.remedy = """
            Send `Cache-Control: no-store` with every refusal, and `Vary: Authorization` with what may \
            be cached.
            """
        return draft
    }

    /// A token whose time has not begun by the clock of the backend (`nbf`, RFC 7519 section 4.1.5).
    private func notYet(_ exchange: ObservedExchange) -> FindingDraft? {
        guard let begin = exchange.access?.token.claims["nbf"]?.numberValue,
            let offset = exchange.answer?.offset
        else { return nil }
        let now = exchange.startedAt.wall.timeIntervalSince1970 + (offset.high ?? offset.likelyHigh)
        guard begin - now > 1 else { return nil }
        var draft = FindingDraft(
            exchange,
            variant: "not-yet",
            confidence: .likely,
            evidence: [exchange.evidence("refused before its access token begins")],
            message: "#\(exchange.number) was refused \((begin - now).duration) before its access "
                + "token begins (nbf): the clock of what issues it is ahead of the backend's"
        )
        draft.remedy = """
            Keep the clocks of issuer and backend by NTP, let `nbf` be no later than `iat`, and accept \
            some seconds of difference (RFC 7519 section 4.1.5).
            """
        return draft
    }

    /// Whether a token was refused at the age that its lifetime would be in milliseconds.
    private func seemsInMilliseconds(_ deadline: Deadline, _ left: Double) -> Bool {
        let stated = deadline.statedLifetime
        let (age, meant) = (stated - left, stated / 1_000)
        return meant >= Self.leastLeft && stated.truncatingRemainder(dividingBy: 1_000) == 0
            && (meant * 0.9...meant * 3 + 2).contains(age)
    }

    private func isEarly(
        _ exchange: ObservedExchange,
        _ family: TokenFamily,
        _ traffic: ObservedTraffic
    ) -> Bool {
        // A token that the app has had revoked ends before its time.
        guard family.end == nil, family.refused.isEmpty, exchange.generation == family.newest,
            !traffic.hasLogout(ofFamily: family.id),
            !family.generations.contains(where: { $0.branch > 0 }),
            let deadline = traffic.accessDeadline(of: exchange), !deadline.expiry.isAssumed
        else { return false }
        let isBeingReplaced = traffic.newestFirst.prefix(64).contains {
            $0.purpose == .refresh && $0.family == family.id
                && ($0.endedAt.map { $0.now > exchange.startedAt.now } ?? true)
        }
        let left = deadline.statedEnd.seconds(since: exchange.startedAt.now)
        return !isBeingReplaced
            && left > max(Self.leastLeft, deadline.statedLifetime * Self.leastShare)
                + deadline.expiry.skewWidth
    }
}
