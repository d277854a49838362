import Basics
import Model
import Profiles

extension FindingRule {
    static let race = FindingRule(
        "race",
        .bug,
        summary: "Two refreshes present one refresh token at the same time.",
        remedy: """
            One refresh at a time for all callers: timer, 401 handler, tabs and workers. Share one \
            promise; across tabs or processes take a lock, and read the store again inside it.
            """,
        references: [
            "nightscout/nocturne#326", "axios/axios#10701", "Flyrell/axios-auth-refresh#210",
            "supabase/auth-js#213", "tuist/tuist#10276", "keycloak/keycloak#14040",
        ],
        watch: { RaceWatch() }
    )
}

/// Refreshes with one token that overlap: the second began before the answer to the first had
/// reached the app, which had not given up the first.
///
/// One that began a moment after the first had brought another refresh token is likely the same:
/// no client that refreshes once at a time sends it. Over the connection that brought the answer it
/// had waited for its turn, or the app did not use what it had: each is a mistake.
private struct RaceWatch: FindingWatch {
    private static let depth = 256
    /// The winners of races by the access tokens that they brought, with the races.
    private var winners = RecentMap<Fingerprint, (second: Int, racers: [Int])>(limit: 256)

    mutating func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard case .over(let number) = fact, let exchange = traffic.exchange(number) else {
            return []
        }
        if exchange.purpose == .refresh { return race(around: exchange, traffic) }
        guard exchange.outcome == .tokenRefused, let access = exchange.access?.fingerprint else {
            return []
        }
        guard let race = winners[access], let second = traffic.exchange(race.second) else {
            return [overtaken(exchange, access, traffic)].compactMap(\.self)
        }
        winners[access] = nil
        var draft = draft(of: race.racers, last: second, traffic)
        draft.evidence.append(exchange.evidence("the winner's access token, refused"))
        draft.message += "; then the tokens that were issued were refused, too"
        return [draft]
    }

    private mutating func race(
        around exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        guard let refresh = exchange.refresh, traffic.family(of: exchange)?.isRolling != true else {
            return []
        }
        // One that is refused for what it asks has not used the token.
        guard exchange.answer?.isAboutRequest != true else { return [] }
        let others = traffic.newestFirst.prefix(Self.depth).filter { other in
            guard other.number != exchange.number, other.purpose == .refresh,
                other.refresh == refresh, other.answer?.isAboutRequest != true
            else { return false }
            return overlap(exchange, other) || isCloseBehind(exchange, other, traffic)
        }
        let racers = (others + [exchange]).sorted { $0.startedAt.now < $1.startedAt.now }
        // The last of them tells the whole story.
        guard racers.count > 1, racers.allSatisfy(\.isOver), let last = racers.last else {
            return []
        }
        // Different requests that are all accepted ask for tokens of different audiences.
        let bodies = Set(racers.map(\.request.bodyDigest))
        if bodies.count > 1, racers.allSatisfy({ $0.outcome == .issued }) { return [] }
        for racer in racers where racer.outcome == .issued {
            let issued = racer.answer?.issued.first { $0.role != .refresh }
            if let issued {
                winners[issued.fingerprint] = (last.number, racers.map(\.number))
            }
        }
        // A refresh token that is not replaced is good for all of them, unless their tokens are refused.
        let isHarmless = racers.allSatisfy { racer in
            racer.outcome == .issued
                && racer.answer?.issued.allSatisfy {
                    $0.role != .refresh || $0.fingerprint == refresh
                } ?? false
        }
        guard !isHarmless else { return [] }
        var draft = draft(of: racers.map(\.number), last: last, traffic)
        if Self.haveOneSuccessor(racers) {
            draft.severity = .risk
            draft.message += ", with one new refresh token: the backend has a window of grace"
        }
        return [draft]
    }

    /// Whether each of them has brought the same refresh token, as backends answer that expect it.
    private static func haveOneSuccessor(_ racers: [ObservedExchange]) -> Bool {
        let brought = racers.map { racer in
            racer.outcome == .issued ? racer.answer?.issued.first { $0.role == .refresh } : nil
        }
        return brought.allSatisfy { $0 != nil } && Set(brought.map { $0?.fingerprint }).count == 1
    }

    /// The refusal of a token that one of two requests at once had brought, where each answer brings
    /// another token: the backend likely knows that of the other one alone.
    private func overtaken(
        _ exchange: ObservedExchange,
        _ access: Fingerprint,
        _ traffic: ObservedTraffic
    ) -> FindingDraft? {
        func brought(_ other: ObservedExchange) -> TokenOccurrence? {
            guard other.number != exchange.number, other.access != nil, other.refresh == nil,
                other.purpose == .protected || other.purpose == .refresh
            else { return nil }
            return other.answer?.issued.first { [.cookie, .header].contains($0.place) }
        }
        let source = traffic.newest(Self.depth) { brought($0)?.fingerprint == access }
        guard let source, let token = brought(source), let at = source.deliveredAt?.now,
            (0...Self.useTime).contains(exchange.startedAt.now.seconds(since: at))
        else { return nil }
        let rival = traffic.newest(Self.depth) { other in
            guard other.number != source.number, let another = brought(other) else { return false }
            return other.family == source.family && another.fingerprint != access
                && another.name.isEqualIgnoringCase(token.name)
                && other.access?.fingerprint == source.access?.fingerprint
                && overlap(other, source)
        }
        guard let rival, let known = brought(rival) else { return nil }
        let wasAccepted = traffic.newest(Self.depth) { other in
            other.number < exchange.number && other.outcome == .accepted
                && other.access?.fingerprint == access
        }
        guard wasAccepted == nil, known.fingerprint != access else { return nil }
        var draft = FindingDraft(
            exchange,
            variant: "each-answer",
            confidence: .likely,
            evidence: [
                rival.evidence("brought one \(token.name)"),
                source.evidence("at the same time, brought another one"),
                exchange.evidence("request with the latter, \(exchange.result)"),
            ],
            message:
                "#\(rival.number) and #\(source.number) ran at the same time, and each brought "
                + "another \(token.name): that of #\(source.number) is refused in #\(exchange.number)"
        )
        draft.remedy = Self.remedyOfEachAnswer
        return draft
    }

    private static let remedyOfEachAnswer = """
        Where each answer replaces the token, send one request at a time, or let the backend accept \
        the token before for some seconds.
        """
    /// The time in which a token that an answer brought is used next, in seconds.
    private static let useTime = 60.0

    private func overlap(_ one: ObservedExchange, _ other: ObservedExchange) -> Bool {
        let (earlier, later) = inOrder(one, other)
        return earlier.isPending(at: later.startedAt.now)
    }

    /// Whether the second began when the first had just brought the token that replaced theirs.
    private func isCloseBehind(
        _ one: ObservedExchange,
        _ other: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> Bool {
        let (earlier, later) = inOrder(one, other)
        guard let refresh = earlier.refresh, let family = traffic.graph.family(of: refresh) else {
            return false
        }
        let child = family.child(of: refresh, broughtBy: earlier.number)
        guard let child, child.refresh != refresh else { return false }
        let deliveries = child.deliveries.filter { $0.at <= later.startedAt.now }
        return !deliveries.isEmpty && !deliveries.contains { traffic.isAfter(later, $0) }
    }

    private func inOrder(
        _ one: ObservedExchange,
        _ other: ObservedExchange
    ) -> (earlier: ObservedExchange, later: ObservedExchange) {
        one.startedAt.now <= other.startedAt.now ? (one, other) : (other, one)
    }

    private func draft(
        of numbers: [Int],
        last: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> FindingDraft {
        let racers = numbers.compactMap { traffic.exchange($0) }
        let first = racers.first ?? last
        let gap = last.startedAt.now.seconds(since: first.startedAt.now)
        let milliseconds = (gap * 1_000).whole
        let apart = milliseconds > 0 ? "\(milliseconds) ms apart" : "at once"
        let clients = Set(racers.map(\.client))
        let whose = clients.count > 1 ? "two clients" : "the same client, its tabs or its workers"
        let results = racers.map { "#\($0.number) \($0.result)" }.joined(separator: ", ")
        func everyRacerHasOne(_ isRival: (ObservedExchange, ObservedExchange) -> Bool) -> Bool {
            racers.allSatisfy { racer in
                racers.contains { $0.number != racer.number && isRival(racer, $0) }
            }
        }
        let isCertain = everyRacerHasOne {
            overlap($0, $1)
                || $0.request.connection == $1.request.connection && $0.request.connection > 0
                    && !$0.isOfPage && !$1.isOfPage
        }
        let isAtOnce = everyRacerHasOne(overlap)
        let doubt = isAtOnce ? "" : "; or the app had the new token by then, and did not use it"
        var draft = FindingDraft(
            last,
            confidence: isCertain ? .certain : .likely,
            evidence: racers.map { racer in
                let token = racer.refreshGeneration.map { "the token of generation \($0)" }
                return racer.evidence("refresh with \(token ?? "one token"), \(racer.result)")
            },
            message: "\(racers.count) refreshes with one refresh token, \(apart), by "
                + "\(whose): \(results)\(doubt)"
        )
        if !isAtOnce { draft.remedy = Self.remedyOfDoubt }
        return draft
    }

    private static let remedyOfDoubt = """
        One refresh at a time for all callers: timer, 401 handler, tabs and workers; and keep what it \
        brings where each of them, and the next start of the app, reads the refresh token.
        """
}
