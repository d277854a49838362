import Basics
import Model
import Profiles

extension FindingRule {
    static let loop401 = FindingRule(
        "loop-401",
        .bug,
        summary: "Requests are repeated although their tokens are refused each time.",
        remedy: """
            A refused access token means: renew once, then repeat the request with the new one. If \
            that is refused, too, the reason is another one: report it, and do not renew again.
            """,
        references: [
            "open-metadata/OpenMetadata#33773", "OpenMeet-Team/openmeet-platform#414",
            "punkpeye/mcp-remote#338", "PianoNic/Snepilatch#309",
        ],
        watch: { Loop401Watch() }
    )
}

/// Watches for requests that go on after refusals.
///
/// They do so, too, while a renewal is in progress, or failed and waits for its next attempt: only
/// those without one are a loop. An app whose new token is refused as the one before does not renew
/// again, as it should, and one of several processes that share a session waits until the others
/// are done: what they send meanwhile may be their user's, and is a risk. A process learns of a
/// refusal by its own answers alone.
private struct Loop401Watch: FindingWatch {
    /// Refusals at one endpoint, each with a newer token than the one before.
    private struct Rounds: Sendable {
        /// The first refused request with each of the tokens.
        var numbers: [Int] = []
        /// The refused requests with the newest of the tokens, up to a limit.
        private(set) var newest: [Int] = []
        private(set) var generation = 0
        /// Whether each answer refuses the token, and each token states its end: without one, the app
        /// may renew when it is due.
        var isCertain = true

        mutating func begin(_ number: Int, generation: Int) {
            numbers.append(number)
            newest = [number]
            self.generation = generation
        }

        mutating func goOn(_ number: Int) {
            if newest.count < ObservedFinding.evidenceLimit { newest.append(number) }
        }
    }

    private static let roundLimit = 3
    /// The exchanges among which an acceptance is looked for.
    private static let depth = 256
    /// The requests with a dead token, whatever they ask for, that are likely a mistake, and those that
    /// hardly are anything else, in this many seconds.
    private static let deadLimit = 5
    /// The time that a row of refusals takes that is no matter of the moment, in seconds.
    private static let leastTime = 10.0
    private static let surelyDead = (count: 10, seconds: 60.0)
    /// The life of a token that states none, in seconds.
    private static let usualLifetime = 60.0
    /// A token of whose life less than this is left may be renewed for that, as a fraction.
    private static let leftOfLife = 0.5

    private var rounds = RecentMap<ClientEndpoint, Rounds>(limit: 256)

    mutating func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let exchange = fact.over(in: traffic), exchange.purpose == .protected else {
            return []
        }
        guard exchange.outcome == .tokenRefused else {
            if LearnedRefusals.mayRefuse(exchange) {
                return renewals(exchange, traffic) + forbidden(exchange, traffic)
            }
            if exchange.outcome == .accepted { rounds[ClientEndpoint(exchange)] = nil }
            return []
        }
        return repeats(exchange, traffic) + renewals(exchange, traffic)
    }

    private func repeats(
        _ exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        guard let use = traffic.refusedUse(of: exchange), !isOfGuest(exchange, traffic) else {
            return []
        }
        let isLoop = use.burst.isLoop && use.burst.numbers.last == exchange.number
        guard isLoop else { return goesOn(exchange, use, traffic) }
        let isShared = traffic.family(of: exchange).map { $0.clients.count > 1 } ?? false
        let doubt: String? =
            if use.burst.isSecondInARow {
                ", which may not help: the one before was refused, too"
            } else if isShared {
                ", unless it waits for another process that has the session"
            } else {
                nil
            }
        let seconds = exchange.startedAt.now.seconds(since: use.burst.first)
        var draft = FindingDraft(
            exchange,
            severity: doubt == nil ? .bug : .risk,
            confidence: isPending(exchange, traffic) ? .likely : .certain,
            evidence: use.burst.numbers.suffix(ObservedFinding.evidenceLimit).map {
                FindingEvidence(.exchange($0), "refused, same access token")
            },
            message: "\(use.burst.numbers.count) requests in \(seconds.durationUp) with one "
                + "access token that is refused each time"
                + withoutRenewal(exchange, traffic) + (doubt ?? "")
        )
        // One loop is one occurrence, however long it runs.
        let first = use.burst.numbers.first ?? exchange.number
        draft.occurrence = first
        draft.path = (traffic.exchange(first) ?? exchange).request.template
        if canNotRenew(exchange, traffic) { draft.remedy = Self.remedyOfDeadToken }
        return [draft]
    }

    /// Whether it presents a cookie that no login has brought, and that the endpoint never took: that of a
    /// guest, who is asked about until a login.
    private func isOfGuest(_ exchange: ObservedExchange, _ traffic: ObservedTraffic) -> Bool {
        guard exchange.access?.place == .cookie, let family = traffic.family(of: exchange) else {
            return false
        }
        let isOfLogin = family.generations.contains {
            traffic.exchange($0.exchange).map { $0.purpose == .login || $0.purpose == .refresh }
                ?? true
        }
        guard !isOfLogin else { return false }
        let wasTaken = traffic.newest(Self.guestDepth) {
            $0.family == family.id && $0.outcome == .accepted
                && $0.request.endpoint == exchange.request.endpoint
        }
        return wasTaken == nil
    }

    /// Whether a session that nothing has accepted yet is refused with a code that does not speak of its
    /// token: it may wait for a second factor, or for somebody's approval.
    private func isPending(_ exchange: ObservedExchange, _ traffic: ObservedTraffic) -> Bool {
        guard exchange.answer?.errorCode != nil, exchange.answer?.saysRefusal != true else {
            return false
        }
        let wasTaken = traffic.newest(Self.guestDepth) {
            $0.family == exchange.family && $0.outcome == .accepted
        }
        return wasTaken == nil
    }

    private static let guestDepth = 512

    /// What the app does not do instead.
    private func withoutRenewal(
        _ exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> String {
        if let newer = traffic.newerGeneration(than: exchange) {
            return ", although #\(newer.exchange) has brought a newer one"
        }
        guard let family = traffic.family(of: exchange), family.liveRefreshToken != nil else {
            return ", and no refresh"
        }
        return ", and no refresh, although the app has a refresh token"
    }

    private static let remedyOfDeadToken = """
        A token that is refused is dead: stop, and ask for a login unless something else renews it.
        """

    /// Whether the session has no refresh token, as far as is known, or had one that was refused.
    private func canNotRenew(_ exchange: ObservedExchange, _ traffic: ObservedTraffic) -> Bool {
        guard let family = traffic.family(of: exchange) else { return false }
        switch family.end {
        case nil: return family.liveRefreshToken == nil
        case .refreshRefused, .reuseDetected: return true
        case .logout, .replaced, .expired, .silent: return false
        }
    }

    /// A token that nothing renews is used on, at whatever pace, and no login follows.
    private func goesOn(
        _ exchange: ObservedExchange,
        _ use: RefusedUse,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        guard use.count >= Self.deadLimit, use.numbers.last == exchange.number, !use.wasLoop,
            canNotRenew(exchange, traffic)
        else { return [] }
        let unused = unusedLogin(of: exchange, traffic)
        let isSure =
            use.count >= Self.surelyDead.count && use.seconds >= Self.surelyDead.seconds
        var draft = FindingDraft(
            exchange,
            variant: "dead-token",
            severity: isSure ? .bug : .risk,
            confidence: .likely,
            evidence: [unused?.evidence("login, whose token is not used")].compactMap(\.self)
                + use.numbers.map { FindingEvidence(.exchange($0), "refused, same access token") },
            message: "\(use.count) requests in \(use.seconds.durationUp) with "
                + ((exchange.access.map { traffic.isRolled($0.fingerprint) } ?? false)
                    ? "the token of one session " : "one access token ")
                + "that is refused each time, and "
                + (unused.map { "what #\($0.number) has brought since is not used" }
                    ?? "no login follows")
        )
        draft.occurrence = use.numbers.first ?? exchange.number
        draft.path = nil
        draft.remedy = Self.remedyOfDeadToken
        return [draft]
    }

    /// A login of the client like that of a refused token, after it, whose token nothing presents.
    private func unusedLogin(
        of exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> ObservedExchange? {
        guard let first = traffic.family(of: exchange)?.generations.first,
            let login = traffic.exchange(first.exchange), login.purpose == .login
        else { return nil }
        return traffic.newest(Self.depth) { other in
            other.number > login.number && other.purpose == .login && other.outcome == .issued
                && other.client == exchange.client && other.family != exchange.family
                && other.request.endpoint == login.request.endpoint
                && traffic.isAfter(exchange, other.deliveredAt?.now)
                && traffic.newest(Self.depth) {
                    $0.family == other.family && $0.purpose == .protected
                } == nil
        }
    }

    /// Everything is forbidden from one moment on, also what had been allowed, and no word says why.
    private func forbidden(
        _ exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        guard exchange.status == 403, !exchange.isRefusalInferred,
            exchange.answer.map(Self.isWordless) == true,
            let access = exchange.access?.fingerprint
        else { return [] }
        let uses = traffic.newestFirst.prefix(Self.depth).filter {
            $0.purpose == .protected && $0.client == exchange.client && $0.isOver
                && $0.access?.fingerprint == access
        }
        let row = Array(uses.prefix { $0.status == 403 })
        guard row.count >= Self.deadLimit, let first = row.last,
            exchange.startedAt.now.seconds(since: first.startedAt.now) >= Self.leastTime,
            let allowed = uses.dropFirst(row.count).first(where: { $0.isTaken }),
            uses.contains(where: {
                $0.isTaken && ClientEndpoint($0) == ClientEndpoint(exchange)
            })
        else { return [] }
        var draft = FindingDraft(
            exchange,
            variant: "forbidden",
            severity: .risk,
            confidence: .likely,
            evidence: [allowed.evidence("the last that was allowed")]
                + row.reversed().prefix(Self.deadLimit).map { $0.evidence("answered 403") },
            message: "\(row.count) requests in a row were answered 403, also what had been allowed "
                + "with the same token until #\(allowed.number): the session may have ended, or the "
                + "user's rights"
        )
        draft.occurrence = first.number
        draft.path = nil
        draft.remedy = """
            Answer 401 where the session has ended, so that an app can tell that from what its user may \
            not do.
            """
        return [draft]
    }

    /// Whether an answer says no more than its status does.
    private static func isWordless(_ answer: AnswerFacts) -> Bool {
        let words = [answer.errorCode, answer.serverWords].compactMap(\.self)
        return words.allSatisfy { phrases.contains($0.asciiLowercased) }
    }

    private static let phrases: Set = [
        "403", "403 forbidden", "access denied", "access_denied", "forbidden",
    ]

    private mutating func renewals(
        _ exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        guard let generation = exchange.generation else { return [] }
        // A token that came to its end on the way is refused for that.
        if let deadline = traffic.accessDeadline(of: exchange), !deadline.expiry.isAssumed,
            let end = exchange.endedAt?.now, deadline.statedEnd <= end
        {
            return []
        }
        let place = ClientEndpoint(exchange)
        var known = rounds[place] ?? Rounds()
        let last = known.numbers.last.flatMap { traffic.exchange($0) }
        if let last, last.family == exchange.family {
            guard generation > known.generation else {
                if generation == known.generation { known.goOn(exchange.number) }
                rounds[place] = known
                return []
            }
            if !isYoung(exchange, traffic) || !isRenewal(exchange, becauseOf: known, traffic) {
                known = Rounds()
            }
        } else {
            known = Rounds()
        }
        known.begin(exchange.number, generation: generation)
        let deadline = traffic.accessDeadline(of: exchange)
        let isRefused = exchange.outcome == .tokenRefused
        if !isRefused || deadline?.expiry.isAssumed ?? true { known.isCertain = false }
        rounds[place] = known
        guard known.numbers.count > Self.roundLimit else { return [] }
        // Where another client is accepted with the same token, the backend may be the cause.
        let tokens = Set(known.numbers.compactMap { traffic.exchange($0)?.access?.fingerprint })
        let accepted = traffic.newest(Self.depth) { other in
            other.outcome == .accepted && other.client != exchange.client
                && other.request.endpoint == exchange.request.endpoint
                && other.access.map { tokens.contains($0.fingerprint) } ?? false
        }
        let evidence = known.numbers.suffix(ObservedFinding.evidenceLimit).map {
            FindingEvidence(
                .exchange($0),
                isRefused ? "refused with a new access token" : "failed with a new access token"
            )
        }
        var draft = FindingDraft(
            exchange,
            variant: "fresh-token",
            confidence: known.isCertain && accepted == nil ? .certain : .likely,
            evidence: evidence
                + [accepted?.evidence("accepted with one of them")].compactMap(\.self),
            message:
                "\(exchange.request.endpoint) \(isRefused ? "is refused" : "fails") with each of "
                + "\(known.numbers.count) access tokens in a row, and the app renews again each time"
        )
        draft.occurrence = known.numbers.first ?? exchange.number
        return [draft]
    }

    /// Whether the refused access token was young by the measure of authtop's own client.
    ///
    /// An older one may have been revoked, and is worth a renewal.
    private func isYoung(_ exchange: ObservedExchange, _ traffic: ObservedTraffic) -> Bool {
        guard let number = exchange.generation, let end = exchange.endedAt?.now,
            let issued = traffic.family(of: exchange)?
                .generation(number, with: exchange.access?.fingerprint)
        else { return false }
        let lifetime = traffic.accessDeadline(of: exchange)?.statedLifetime ?? Self.usualLifetime
        return Breaker.isYoung(
            age: end.seconds(since: issued.pair.issuedAt.now),
            lifetime: lifetime
        )
    }

    /// Whether the client has got the access token of an exchange because the one before was refused
    /// while it was young.
    ///
    /// It asked for it soon after that, and long before the end of the token that was refused: one
    /// that waits before it renews once more is in no loop. Neither is one that goes on with a token
    /// until that is no longer young, and renews when it is refused then.
    private func isRenewal(
        _ exchange: ObservedExchange,
        becauseOf known: Rounds,
        _ traffic: ObservedTraffic
    ) -> Bool {
        guard let family = traffic.family(of: exchange), let number = exchange.generation,
            let issued = family.generation(number, with: exchange.access?.fingerprint),
            let renewal = traffic.exchange(issued.exchange), renewal.client == exchange.client,
            let refused = known.newest.reversed().lazy.compactMap({ traffic.exchange($0) })
                .first(where: { isDelivered($0, before: renewal) }),
            known.newest.first == refused.number || isYoung(refused, traffic),
            exchange.startedAt.now.seconds(since: refused.startedAt.now)
                <= ObservedTraffic.longestRound
        else { return false }
        guard let deadline = traffic.accessDeadline(of: refused), !deadline.expiry.isAssumed else {
            return true
        }
        let left = deadline.statedEnd.seconds(since: renewal.startedAt.now)
        return left > deadline.statedLifetime * Self.leftOfLife
    }

    /// Whether a renewal follows soon after a refusal that the app has read.
    private func isDelivered(
        _ refused: ObservedExchange,
        before renewal: ObservedExchange
    ) -> Bool {
        guard let delivery = refused.deliveredAt?.now, delivery <= renewal.startedAt.now else {
            return false
        }
        return renewal.startedAt.now.seconds(since: delivery) <= RefusedUse.Burst.window
    }
}
