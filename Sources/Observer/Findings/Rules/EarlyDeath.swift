import Basics
import FoundationEssentials
import Model

extension FindingRule {
    static let earlyDeath = FindingRule(
        "early-death",
        .risk,
        summary: "The backend refuses a token long before its stated end.",
        remedy: """
            Find out what ends it: another instance with other keys, a restart that loses \
            sessions, a lifetime that is stated wrongly. Renew after a 401 in any case.
            """,
        references: ["cubeplexai/cubeplex#346", "keycloak/keycloak#38246"],
        watch: { EarlyDeathWatch() }
    )
}

private struct EarlyDeathWatch: FindingWatch {
    private static let leastLeft = 5.0
    private static let leastShare = 0.05
    private static let window = 60.0
    private static let depth = 256

    /// The refusal that is not explained yet, by family.
    private var refusals = RecentMap<Int, Int>(limit: 128)

    mutating func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let exchange = fact.over(in: traffic), let family = traffic.family(of: exchange)
        else { return [] }
        if exchange.purpose == .refresh {
            return [deadRefreshToken(exchange, family, traffic)].compactMap(\.self)
        }
        guard exchange.purpose == .protected else { return [] }
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

    /// The newest refresh token of a session, which was never used before, and is refused for good.
    private func deadRefreshToken(
        _ exchange: ObservedExchange,
        _ family: TokenFamily,
        _ traffic: ObservedTraffic
    ) -> FindingDraft? {
        guard exchange.outcome == .refreshRefused(isFinal: true), let refresh = exchange.refresh,
            let pair = family.holder(of: refresh), pair.kind != .joined,
            pair.number == family.newest, pair.branch == 0, family.clients.count < 2,
            family.child(of: refresh) == nil, !traffic.hasLogout(ofFamily: family.id),
            let source = traffic.exchange(pair.exchange), let deadline = pair.pair.refreshExpiry,
            !deadline.expiry.isAssumed, !deadline.expiry.source.isOfCookie,
            isLong(deadline, left: deadline.statedEnd.seconds(since: exchange.startedAt.now))
        else { return nil }
        let isUsed = traffic.newest(Self.depth) {
            $0.number != exchange.number && $0.purpose == .refresh && $0.refresh == refresh
        }
        guard isUsed == nil else { return nil }
        let left = deadline.statedEnd.seconds(since: exchange.startedAt.now)
        let words = exchange.answer.flatMap { $0.serverWords ?? $0.errorCode }
        var draft = FindingDraft(
            exchange,
            variant: "refresh",
            confidence: .likely,
            evidence: [
                source.evidence("brought the refresh token"),
                exchange.evidence("its first use, refused for good"),
            ],
            message: "#\(exchange.number) was refused \(left.duration) before the stated end of "
                + "its refresh token, of \(deadline.statedLifetime.duration), which had not been "
                + "used before" + (words.map { ": “\($0)”" } ?? "")
        )
        draft.remedy = """
            Find out what ended the session: a limit for idle ones, a logout or a sign-in \
            elsewhere, a changed password, a store that loses sessions. Sign in again.
            """
        return draft
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

    /// A token whose time has not begun by the clock of the backend (`nbf`, RFC 7519 section 4.1.5), or
    /// that was issued later than that, which some libraries do not take either (`iat`).
    private func notYet(_ exchange: ObservedExchange) -> FindingDraft? {
        guard let offset = exchange.answer?.offset, let claims = exchange.access?.token.claims
        else {
            return nil
        }
        let now = exchange.startedAt.wall.timeIntervalSince1970 + (offset.high ?? offset.likelyHigh)
        let (name, tolerance) = claims["nbf"] == nil ? ("iat", Self.leastLeft) : ("nbf", 1)
        guard let begin = claims[name]?.numberValue, begin - now > tolerance else { return nil }
        var draft = FindingDraft(
            exchange,
            variant: "not-yet",
            confidence: .likely,
            evidence: [exchange.evidence("refused before its access token begins")],
            message: "#\(exchange.number) was refused \((begin - now).duration) before its access "
                + "token begins (\(name)): the clock of what issues it is ahead of the backend's"
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

    /// Whether nothing but the age of a cookie says how long its token is good: it is kept longer, so that
    /// the backend can tell an expired session from none.
    private func isOfCookieAlone(_ deadline: Deadline, _ exchange: ObservedExchange) -> Bool {
        let readings = deadline.expiry.mismatch.map(\.source) + [deadline.expiry.source]
        return readings.allSatisfy(\.isOfCookie) && exchange.access?.token.claims["exp"] == nil
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
            let deadline = traffic.accessDeadline(of: exchange), !deadline.expiry.isAssumed,
            !isOfCookieAlone(deadline, exchange)
        else { return false }
        let isBeingReplaced = traffic.newestFirst.prefix(64).contains {
            $0.purpose == .refresh && $0.family == family.id
                && ($0.endedAt.map { $0.now > exchange.startedAt.now } ?? true)
        }
        let left = deadline.statedEnd.seconds(since: exchange.startedAt.now)
        return !isBeingReplaced && isLong(deadline, left: left)
    }

    /// Whether a time before the stated end is more than clocks differ by.
    private func isLong(_ deadline: Deadline, left: Double) -> Bool {
        left > max(Self.leastLeft, deadline.statedLifetime * Self.leastShare)
            + deadline.expiry.skewWidth
    }
}
