import Basics
import Model

extension FindingRule {
    static let tooEarly = FindingRule(
        "too-early",
        .risk,
        summary: """
            Refresh follows refresh, each with most of the token's life left; five within a minute \
            are a bug.
            """,
        remedy: """
            Derive the lead from the lifetime: a fixed lead that is longer than the token's life \
            renews indefinitely. If a library has the lead (google-auth: 3 m 45 s; MSAL: 5 m), let \
            tokens live several times as long.
            """,
        references: [
            "AxaFrance/oidc-client#923", "nhost/nhost#2037", "langgenius/dify#41787",
            "Bdaya-Dev/oidc#123", "depictio/depictio#1024",
        ],
        watch: { TooEarlyWatch() }
    )
}

private struct TooEarlyWatch: FindingWatch {
    /// Early refreshes in a row, with the newest generation that one of them presented.
    private struct Streak: Sendable {
        var numbers: [Int] = []
        var starts: [Instant] = []
        var generation = 0
        /// The times that the tokens had left, in seconds, and how long they lived.
        var left: [(left: Double, life: Double)] = []
        /// Whether each of the tokens was used for some time before it was renewed.
        var isUsed = true
        /// How much less of the life of the newest token was left by authtop's clock, in seconds, if
        /// each of them was at its end by that; `nil` if one was not.
        var behind: Double? = 0
        /// The refresh before, whether it was early or not.
        var last: ObservedExchange?

        /// Whether the refreshes come at one time before the ends of the tokens, which were used until
        /// then.
        var isSteady: Bool {
            let times = left.map(\.left)
            guard isUsed, let least = times.min(), let most = times.max() else { return false }
            let life = left.map(\.life).min() ?? 0
            return most <= TooEarlyWatch.longestLead && most - least <= max(2, life / 20)
        }
    }

    private static let leftOfLife = 0.8
    private static let limit = 3
    private static let bugLimit = 5
    private static let bugWindow = 60.0
    /// The longest lead that libraries have on their own, that of MSAL, in seconds.
    fileprivate static let longestLead = 300.0
    /// The shortest time for which a token is used that is not renewed for each request, in seconds.
    private static let useTime = 1.0
    /// Refreshes that come more seldom cost nothing, however long the tokens live, in seconds: an app
    /// may renew at each start.
    private static let seldom = 600.0

    /// By the session, and by what each refresh asks a token for.
    private var streaks = RecentMap<String, Streak>(limit: 256)
    /// Refreshes in a row whose tokens end when those before them do.
    private var rests = RecentMap<Int, [Int]>(limit: 256)

    mutating func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        if let exchange = fact.over(in: traffic) { return rest(exchange, traffic) }
        guard let exchange = fact.started(in: traffic), exchange.purpose == .refresh,
            let id = exchange.family, let family = traffic.graph.families[id],
            !family.isRolling, let number = exchange.refreshGeneration
        else { return [] }
        let key = Self.audience(of: exchange, in: id)
        var streak = streaks[key] ?? Streak()
        let replaced = replaced(by: exchange, after: streak, family)
        let early = replaced.flatMap { timeLeft(exchange, $0, family, traffic) }
        // A repeated refresh is no other one, but it may be the one that is in time.
        guard number > streak.generation || number == streak.generation && early == nil else {
            return []
        }
        streak.generation = number
        guard let generation = replaced, let early,
            !isStart(exchange, after: streak, traffic),
            !hasSeveralHolders(family, exchange, traffic)
        else {
            streaks[key] = Streak(generation: number, last: exchange)
            return []
        }
        streak.last = exchange
        streak.numbers.append(exchange.number)
        streak.starts.append(exchange.startedAt.now)
        streak.left.append(early)
        streak.isUsed = streak.isUsed && isUsed(generation, traffic)
        streak.behind = streak.behind.flatMap { _ in timeBehind(exchange, generation, early) }
        streaks[key] = streak
        guard streak.numbers.count >= Self.limit, isOften(streak) else { return [] }
        let newest = streak.starts.suffix(Self.bugLimit)
        let isFast =
            newest.count == Self.bugLimit
            && (newest.last ?? .origin).seconds(since: newest.first ?? .origin) <= Self.bugWindow
        var draft = FindingDraft(
            exchange,
            severity: isFast ? .bug : .risk,
            evidence: streak.numbers.suffix(ObservedFinding.evidenceLimit).map {
                FindingEvidence(.exchange($0), "refresh with most of the life left")
            },
            message: "\(streak.numbers.count) refreshes in a row, each with more than 80 % of the "
                + "access token's life left"
        )
        draft.occurrence = streak.numbers.first ?? exchange.number
        // A page that is opened again begins with a refresh, and its tokens are used.
        if exchange.isOfPage, streak.isUsed {
            draft.severity = .risk
            draft.confidence = .likely
        }
        if streak.isSteady {
            draft.variant = "fixed-lead"
            draft.severity = isFast ? .risk : .note
            draft.confidence = .likely
            draft.message =
                "\(streak.numbers.count) refreshes in a row, each "
                + "\(early.left.whole) s before the end of a token that lives "
                + "\(early.life.whole) s: likely a fixed lead that is nearly the token's life, or a "
                + "timer"
            draft.remedy = Self.remedyOfFixedLead
        }
        if let behind = streak.behind {
            draft.variant = "clock"
            draft.severity = .risk
            draft.confidence = .likely
            draft.message =
                "\(streak.numbers.count) refreshes in a row, each with more than 80 % of the access "
                + "token's life left, but at its end (exp) by this clock, which is "
                + "\(behind.duration) ahead of the backend's: likely the app compares the two"
            draft.remedy = Self.remedyOfClock
        }
        return [draft]
    }

    private static let remedyOfClock = """
        Count the life of a token from its answer (`expires_in`, or `exp` less `iat`), and do not compare \
        `exp` with the app's own clock; set the clock that is wrong.
        """

    private static let remedyOfFixedLead = """
        If a library has the lead (google-auth: 3 m 45 s; MSAL: 5 m), let tokens live several times as \
        long; a lead or a timer of your own is derived from the lifetime.
        """

    /// The session of a refresh, with what it asks for: one refresh token obtains tokens for several
    /// resources (RFC 8707).
    private static func audience(of exchange: ObservedExchange, in family: Int) -> String {
        let words = exchange.request.words
        let asked = ["audience", "resource", "scope"].flatMap { (words[$0] ?? []).sorted() }
        return ([String(family)] + asked).joined(separator: " ")
    }

    /// The pair whose access token a refresh replaces, or `nil` if there is none: of one that asks for a
    /// resource, what the refresh before it for the same one has brought.
    private func replaced(
        by exchange: ObservedExchange,
        after streak: Streak,
        _ family: TokenFamily
    ) -> TokenGeneration? {
        guard Self.audience(of: exchange, in: family.id) != String(family.id) else {
            return exchange.refreshGeneration.flatMap { family.generation($0) }
        }
        return streak.last.flatMap { last in
            family.generations.last { $0.exchange == last.number }
        }
    }

    /// Whether a program begins with a refresh, or a page that has been loaded again.
    private func isStart(
        _ exchange: ObservedExchange,
        after streak: Streak,
        _ traffic: ObservedTraffic
    ) -> Bool {
        guard let last = streak.last else { return false }
        if last.client != exchange.client { return true }
        return traffic.newest(256) {
            $0.number > last.number && $0.number < exchange.number
                && $0.request.page == .document
        } != nil
    }

    /// Whether older access tokens of a session are used on, whose refresh token is never replaced:
    /// several parts of an app have one each.
    private func hasSeveralHolders(
        _ family: TokenFamily,
        _ exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> Bool {
        guard let refresh = exchange.refresh,
            family.generations.suffix(3).allSatisfy({ $0.refresh == nil || $0.refresh == refresh })
        else { return false }
        return traffic.newest(256) { other in
            other.family == family.id && other.purpose == .protected
                && traffic.newerGeneration(than: other) != nil
        } != nil
    }

    /// Whether an access token was accepted for some time, and not renewed for each request.
    private func isUsed(_ generation: TokenGeneration, _ traffic: ObservedTraffic) -> Bool {
        let uses = traffic.newestFirst.prefix(256).filter {
            $0.purpose == .protected && $0.outcome == .accepted
                && $0.access?.fingerprint == generation.access?.fingerprint
        }
        .map(\.startedAt.now)
        guard let first = uses.last, let last = uses.first else { return false }
        return last.seconds(since: first) >= Self.useTime
    }

    /// The time that the access token of a refresh had left, and how long it lived, if that is early.
    private func timeLeft(
        _ exchange: ObservedExchange,
        _ generation: TokenGeneration,
        _ family: TokenFamily,
        _ traffic: ObservedTraffic
    ) -> (left: Double, life: Double)? {
        guard let deadline = generation.pair.accessExpiry, !deadline.expiry.isAssumed,
            deadline.statedLifetime > 0
        else { return nil }
        let left = deadline.statedEnd.seconds(since: exchange.startedAt.now)
        let before = family.generation(generation.number - 1)
        if let before, generation.hasEnd(of: before) { return nil }
        if let older = before?.access, !generation.isSuccessor(of: older) { return nil }
        // What an answer says that failed may be a refusal, too.
        let wasRefused = traffic.newestFirst.prefix(256).contains {
            $0.access?.fingerprint == generation.access?.fingerprint
                && ($0.outcome == .tokenRefused || $0.status == 401 || $0.status == 403
                    || LearnedRefusals.mayRefuse($0))
        }
        return left > deadline.statedLifetime * Self.leftOfLife && !wasRefused
            ? (left, deadline.statedLifetime) : nil
    }

    /// How much less of a token's life was left by authtop's clock, in seconds, if the token was at its
    /// end by that; `nil` if it was not, or does not state when it ends.
    private func timeBehind(
        _ exchange: ObservedExchange,
        _ generation: TokenGeneration,
        _ early: (left: Double, life: Double)
    ) -> Double? {
        let now = exchange.startedAt.wall
        guard let left = generation.access?.timeLeft(byOwnClock: now) else { return nil }
        return left < early.life * (1 - Self.leftOfLife) ? early.left - left : nil
    }

    private func isOften(_ streak: Streak) -> Bool {
        let newest = streak.starts.suffix(Self.limit)
        guard let first = newest.first, let last = newest.last else { return false }
        return last.seconds(since: first) <= Self.seldom * Double(Self.limit - 1)
    }

    /// A session that ends at an instant limits all of its tokens to it: renewing brings nothing more.
    private mutating func rest(
        _ exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        guard exchange.purpose == .refresh, exchange.outcome == .issued, let id = exchange.family,
            let family = traffic.graph.families[id], !family.isRolling,
            let newer = family.generations.last(where: { $0.exchange == exchange.number }),
            let older = family.generation(newer.number - 1)
        else { return [] }
        guard newer.hasEnd(of: older) else {
            rests[id] = nil
            return []
        }
        let earlier = (rests[id] ?? []).suffix(ObservedFinding.evidenceLimit - 1)
        let numbers = earlier + [exchange.number]
        rests[id] = Array(numbers)
        guard numbers.count >= Self.limit, let first = numbers.first else { return [] }
        var draft = FindingDraft(
            exchange,
            variant: "session-end",
            severity: .note,
            confidence: .likely,
            evidence: numbers.map {
                FindingEvidence(.exchange($0), "brought a token with the end of the one before it")
            },
            message: "the tokens of \(numbers.count) refreshes in a row end at one instant: likely "
                + "the end of the session, which no refresh puts off; sign in again before it"
        )
        draft.occurrence = first
        return [draft]
    }
}

extension TokenGeneration {
    /// Whether its access token ends when an older one does, and so lives for less.
    fileprivate func hasEnd(of older: TokenGeneration) -> Bool {
        guard let new = pair.accessExpiry, let old = older.pair.accessExpiry,
            !new.expiry.isAssumed, !old.expiry.isAssumed, access != older.access
        else { return false }
        // Ends are stated in whole seconds: within less, every token seems to have the end of the last.
        let between = pair.issuedAt.now.seconds(since: older.pair.issuedAt.now)
        let gap = abs(new.statedEnd.seconds(since: old.statedEnd))
        return between >= 0.9 && gap <= Swift.min(between, 4) / 2
            && new.statedLifetime < old.statedLifetime
    }
}
