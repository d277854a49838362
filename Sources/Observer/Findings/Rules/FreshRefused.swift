import Basics
import Model
import Profiles

extension FindingRule {
    static let freshRefused = FindingRule(
        "fresh-refused",
        .risk,
        summary: "An access token is refused although it has not ended.",
        remedy: """
            Compare what the token is for with what the backend checks: audience, issuer, scopes, key, \
            clock. See whether the Authorization header arrives there.
            """,
        watch: { FreshRefusedWatch() }
    )
}

/// Watches for refusals that are not about the age of a token: the backend has taken none of the session,
/// or one endpoint refuses what others accept.
private struct FreshRefusedWatch: FindingWatch {
    /// The refusals from which on chance is no explanation, and the seconds that they take: servers learn
    /// of a new token one after the other.
    private static let least = (count: 3, seconds: 5.0)
    /// A token that is refused so soon after its issue has not ended, whatever its life, in seconds.
    private static let newness = 60.0
    /// The part of a life after which a token may have been renewed for its age.
    private static let share = 0.9
    private static let depth = 512

    /// The sessions and endpoints that were told.
    private var told = RecentMap<String, Bool>(limit: 256)

    mutating func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let exchange = fact.over(in: traffic), exchange.outcome == .tokenRefused,
            exchange.purpose == .protected, exchange.request.flaws.isEmpty,
            !exchange.isAccessInferred, !exchange.isRefusalInferred,
            // A password or a PIN may be what is refused.
            !exchange.request.hasCredentials,
            let family = traffic.family(of: exchange), family.end == nil
        else { return [] }
        if let draft = inTurn(exchange, family, traffic) { return [draft] }
        guard isFresh(exchange, family) else { return [] }
        let own = traffic.newestFirst.prefix(Self.depth).filter {
            $0.family == family.id && $0.purpose == .protected && $0.isOver
                && $0.client == exchange.client && !isServedToAnybody($0)
        }
        let refused = own.filter { $0.outcome == .tokenRefused && isFresh($0, family) }
        let draft =
            own.contains { $0.isTaken }
            ? elsewhere(exchange, own, refused, traffic) : never(exchange, own, refused, family)
        let place = "\(exchange.request.origin) \(exchange.request.endpoint)"
        guard let draft else { return [] }
        let key = "\(family.id) \(draft.variant == nil ? "" : place)"
        guard told[key] == nil else { return [] }
        told[key] = true
        return [draft]
    }

    /// Whether it is a page to which a browser added the session's cookie, as it does to everything: that it
    /// comes says nothing of the cookie.
    private func isServedToAnybody(_ exchange: ObservedExchange) -> Bool {
        exchange.access?.place == .cookie && exchange.answer?.isPage == true
            && exchange.answer?.isSuccess == true
    }

    /// Whether the token was issued in this run, and has not come to its end.
    private func isFresh(_ exchange: ObservedExchange, _ family: TokenFamily) -> Bool {
        guard let number = exchange.generation,
            let pair = family.generation(number, with: exchange.access?.fingerprint),
            pair.kind != .joined
        else { return false }
        let age = exchange.startedAt.now.seconds(since: pair.pair.issuedAt.now)
        guard let end = pair.pair.accessExpiry, !end.expiry.isAssumed else {
            return age <= Self.newness
        }
        return age <= end.statedLifetime * Self.share
    }

    /// One request is refused and accepted in turn with one token: not every server knows that.
    private mutating func inTurn(
        _ exchange: ObservedExchange,
        _ family: TokenFamily,
        _ traffic: ObservedTraffic
    ) -> FindingDraft? {
        let same = Array(
            traffic.newestFirst.prefix(Self.depth).filter {
                $0.isOver && $0.client == exchange.client
                    && $0.request.isRepeat(of: exchange.request)
                    && $0.access?.fingerprint == exchange.access?.fingerprint
                    && ($0.outcome == .tokenRefused || $0.outcome == .accepted)
            }
            .reversed()
        )
        // A request counts that began once the answer to the one before had come.
        let turns = zip(same, same.dropFirst()).filter { before, after in
            before.outcome == .tokenRefused && after.outcome == .accepted
                && before.deliveredAt.map { $0.now <= after.startedAt.now } ?? false
        }
        guard turns.count >= Self.leastTurns, let first = turns.first?.0 else { return nil }
        let refused = same.count { $0.outcome == .tokenRefused }
        var draft = FindingDraft(
            exchange,
            variant: "in-turn",
            confidence: .likely,
            evidence: turns.suffix(Self.leastTurns + 1).flatMap { before, after in
                [before.evidence("refused"), after.evidence("accepted with the same token")]
            } + [exchange.evidence("refused again")],
            message:
                "\(refused) of \(same.count) answers to \(exchange.request.endpoint) refuse one "
                + "token that the others accept, in turn\(Self.words(exchange)): likely not every "
                + "server knows it"
        )
        draft.occurrence = first.number
        draft.remedy = """
            Keep sessions where all servers find them, or send a client to the same server each time; \
            compare the keys, clocks and versions of the servers.
            """
        return draft
    }

    /// The acceptances after a refusal that are no matter of the moment.
    private static let leastTurns = 2

    /// None of the session's tokens was ever accepted.
    private func never(
        _ exchange: ObservedExchange,
        _ own: [ObservedExchange],
        _ refused: [ObservedExchange],
        _ family: TokenFamily
    ) -> FindingDraft? {
        guard own.count == refused.count, isEnough(refused), let first = refused.last,
            let source = family.generations.first,
            first.startedAt.now.seconds(since: source.pair.issuedAt.now) <= Self.newness
        else { return nil }
        var draft = FindingDraft(
            first,
            confidence: .likely,
            evidence: [FindingEvidence(.exchange(source.exchange), "brought the access token")]
                + refused.reversed().prefix(Self.least.count).map { $0.evidence("refused") },
            message: "the session of #\(source.exchange) is refused from its first request on: "
                + "\(refused.count) requests, none of them accepted\(Self.words(exchange))"
        )
        draft.path = nil
        return draft
    }

    /// One endpoint refuses a token that others accept meanwhile.
    private func elsewhere(
        _ exchange: ObservedExchange,
        _ own: [ObservedExchange],
        _ refused: [ObservedExchange],
        _ traffic: ObservedTraffic
    ) -> FindingDraft? {
        func isHere(_ other: ObservedExchange) -> Bool {
            other.request.endpoint == exchange.request.endpoint
                && other.request.origin == exchange.request.origin
        }
        let here = refused.filter(isHere)
        guard isEnough(here), let first = here.last,
            traffic.newest(
                ObservedTraffic.exchangeLimit,
                where: {
                    isHere($0) && $0.isTaken
                }
            ) == nil,
            let accepted = own.first(where: {
                $0.isTaken && $0.access?.fingerprint == exchange.access?.fingerprint
                    && $0.number > first.number
            })
                ?? here.lazy.compactMap({ refusal in
                    own.first {
                        $0.isTaken && $0.number > refusal.number
                            && $0.access?.fingerprint == refusal.access?.fingerprint
                    }
                }).first
        else { return nil }
        var draft = FindingDraft(
            first,
            variant: "elsewhere",
            confidence: .likely,
            evidence: here.reversed().prefix(Self.least.count).map { $0.evidence("refused") }
                + [accepted.evidence("accepted with such a token")],
            message: "\(exchange.request.endpoint) has refused each of \(here.count) requests with "
                + "tokens that \(accepted.request.endpoint) accepts"
                + "\(Self.words(exchange)): it is not about their age"
        )
        draft.remedy = """
            Compare the audience, scopes and roles that this endpoint asks for with those of the token. Where \
            another token does not help, 403 says so to the app (RFC 6750, section 3.1).
            """
        return draft
    }

    private func isEnough(_ refused: [ObservedExchange]) -> Bool {
        guard refused.count >= Self.least.count, let first = refused.last, let last = refused.first
        else { return false }
        return last.startedAt.now.seconds(since: first.startedAt.now) >= Self.least.seconds
    }

    private static func words(_ exchange: ObservedExchange) -> String {
        exchange.answer?.serverWords.map { " (“\($0)”)" } ?? ""
    }
}
