import Basics
import Model

extension FindingRule {
    static let noRefresh = FindingRule(
        "no-refresh",
        .bug,
        summary: "An access token was refused, and the app does not renew it.",
        remedy: """
            A refused access token means: renew once, then repeat the request. Only a refused refresh \
            ends a session.
            """,
        references: [
            "open-metadata/OpenMetadata#30763", "openshiftio/openshift.io#3325",
            "cubeplexai/cubeplex#346", "duplicati/ngclient#15",
        ],
        watch: { NoRefreshWatch() }
    )
}

/// Watches for refused access tokens that are not renewed.
///
/// An app that knows the life of its refresh token from the backend's documentation alone makes a last
/// attempt at its end, and uses its access token until that is refused. Where an attempt has failed,
/// and no answer says when the refresh token ends, that looks the same as a mistake.
private struct NoRefreshWatch: FindingWatch {
    private struct Refusal: Sendable {
        let number: Int
        let at: Instant
        /// Whether the refresh token may have ended, for all that is known.
        let mayHaveEnded: Bool
        /// The first request that the client sent since.
        var next: Int?

        var deadline: Instant { at.advanced(bySeconds: NoRefreshWatch.timeout) }
        var severity: ObservedFinding.Severity { mayHaveEnded ? .risk : .bug }
        var exception: String {
            mayHaveEnded ? ", unless that had ended: no answer says when" : ""
        }
    }

    static let timeout = 10.0
    /// The requests with one refused token, each of which knew of the refusal of the one before, that
    /// are a habit.
    private static let useLimit = 3
    /// A token that is refused so soon after its issue is not about its end, in seconds.
    private static let newness = 30.0

    private var refusals = RecentMap<Int, Refusal>(limit: 128)

    var nextDeadline: Instant? { refusals.all.map(\.value.deadline).min() }

    mutating func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        switch fact {
        case .started(let number):
            return traffic.exchange(number).map { follow($0, traffic) } ?? []
        case .over(let number):
            // Another endpoint accepts it: the refusal was not about the token.
            if let exchange = traffic.exchange(number), let family = exchange.family,
                exchange.outcome == .accepted, exchange.purpose == .protected
            {
                refusals[family] = nil
            }
            return goesOn(number, traffic)
        case .delivered(let number):
            if let exchange = traffic.exchange(number) { refuse(exchange, traffic) }
            return []
        case .socketMessage(let number, _), .socketClosed(let number, _):
            return goesOn(number, traffic)
        case .time: return giveUp(traffic, at: moment)
        }
    }

    private mutating func refuse(_ exchange: ObservedExchange, _ traffic: ObservedTraffic) {
        guard exchange.outcome == .tokenRefused, exchange.purpose == .protected,
            let family = traffic.family(of: exchange), family.liveRefreshToken != nil,
            let newest = family.newestGeneration, exchange.generation == newest.number,
            let at = exchange.deliveredAt?.now, refusals[family.id] == nil,
            isAboutAge(exchange, newest), !traffic.hasLogout(ofFamily: family.id),
            !isSecondRefusal(exchange, traffic), traffic.emptyRenewal(before: exchange) == nil,
            traffic.readableAnswer(besides: exchange) == nil
        else { return }
        let end = newest.pair.refreshExpiry?.statedEnd
        if let end, end <= at { return }
        let attempt = traffic.lastAttempt(toRenew: family, at: at)
        guard attempt != .pending else { return }
        refusals[family.id] = Refusal(
            number: exchange.number,
            at: at,
            mayHaveEnded: attempt == .failed && end == nil
        )
    }

    /// Whether an access token was refused because of its age, as far as that is known.
    private func isAboutAge(_ exchange: ObservedExchange, _ pair: TokenGeneration) -> Bool {
        let startedAt = exchange.startedAt.now
        if startedAt.seconds(since: pair.pair.issuedAt.now) > Self.newness { return true }
        guard let end = pair.pair.accessExpiry, !end.expiry.isAssumed else { return false }
        return startedAt.seconds(since: end.statedEnd) > end.expiry.skewWidth
    }

    /// A refused access token is used on, at whatever pace.
    private mutating func goesOn(
        _ number: Int,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        guard let exchange = traffic.exchange(number), exchange.access != nil,
            let use = traffic.refusedUse(of: exchange), use.numbers.last == number,
            use.count >= Self.useLimit, use.seconds >= Self.timeout, !use.wasLoop,
            let family = traffic.family(of: exchange), family.liveRefreshToken != nil,
            let newest = family.newestGeneration, exchange.generation == newest.number,
            isAboutAge(exchange, newest), !use.burst.isSecondInARow,
            !traffic.hasLogout(ofFamily: family.id), traffic.emptyRenewal(before: exchange) == nil,
            traffic.readableAnswer(besides: exchange) == nil
        else { return [] }
        let end = newest.pair.refreshExpiry?.statedEnd
        if let end, end <= exchange.startedAt.now { return [] }
        refusals[family.id] = nil
        let attempt = traffic.lastAttempt(toRenew: family, at: exchange.startedAt.now)
        let refusal = Refusal(
            number: number,
            at: use.first,
            mayHaveEnded: attempt == .failed && end == nil
        )
        let first = use.numbers.first ?? number
        let isShared = family.clients.count > 1
        let exception =
            isShared
            ? ", unless it waits for another process that has the session" : refusal.exception
        var draft = FindingDraft(
            traffic.exchange(first) ?? exchange,
            severity: isShared ? .risk : refusal.severity,
            confidence: .likely,
            evidence: use.numbers.map { number in
                let again = number == first ? "its access token was refused" : "refused again"
                return FindingEvidence(.exchange(number), again)
            },
            message: "\(use.count) requests in \(use.seconds.durationUp) with one access token "
                + "that is refused each time, and the app does not renew it, although it has a refresh "
                + "token\(exception)"
        )
        draft.occurrence = first
        return [draft]
    }

    /// Whether the same request was refused shortly before with another token: it was repeated as it
    /// should be, and an app may end the session after that.
    private func isSecondRefusal(_ exchange: ObservedExchange, _ traffic: ObservedTraffic) -> Bool {
        traffic.newestFirst.prefix(64).contains { other in
            guard other.number != exchange.number, other.outcome == .tokenRefused,
                other.client == exchange.client,
                other.access?.fingerprint != exchange.access?.fingerprint,
                let end = other.endedAt?.now
            else { return false }
            return exchange.startedAt.now.seconds(since: end) <= Self.timeout
                && exchange.request.isRepeat(of: other.request)
        }
    }

    private mutating func follow(
        _ exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        for (family, refusal) in refusals.all {
            guard let refused = traffic.exchange(refusal.number) else {
                refusals[family] = nil
                continue
            }
            // Another process may renew what they share.
            if exchange.purpose == .refresh, exchange.family == family {
                refusals[family] = nil
                continue
            }
            guard exchange.client == refused.client else { continue }
            let isRepeat = exchange.request.isRepeat(of: refused.request)
            let isSameToken = exchange.access?.fingerprint == refused.access?.fingerprint
            if exchange.purpose == .refresh || isRepeat && !isSameToken {
                refusals[family] = nil
                continue
            }
            // What is repeated with the same token is counted as such.
            guard !isRepeat, traffic.isAfter(exchange, refusal.at) else { continue }
            let isEnd = exchange.purpose == .logout && exchange.family == family
            guard isEnd || exchange.purpose == .login else {
                if refusal.next == nil { refusals[family]?.next = exchange.number }
                continue
            }
            refusals[family] = nil
            let what = isEnd ? "logs out" : "logs in"
            return [
                FindingDraft(
                    refused,
                    variant: "logged-out-on-401",
                    severity: refusal.severity,
                    confidence: .likely,
                    evidence: [
                        refused.evidence("its access token was refused"),
                        exchange.evidence("the app \(what)"),
                    ],
                    message: "after #\(refused.number) was refused the app \(what), although it "
                        + "has a refresh token\(refusal.exception)"
                )
            ]
        }
        return []
    }

    private mutating func giveUp(
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        refusals.all.compactMap { family, refusal in
            guard refusal.deadline <= moment.now else { return nil }
            refusals[family] = nil
            guard let refused = traffic.exchange(refusal.number),
                let next = refusal.next.flatMap({ traffic.exchange($0) })
            else { return nil }
            return FindingDraft(
                refused,
                severity: refusal.severity,
                confidence: .likely,
                evidence: [
                    refused.evidence("its access token was refused"),
                    next.evidence("the app goes on"),
                ],
                message: "after #\(refused.number) was refused the app goes on, and neither renews "
                    + "nor repeats the request, although it has a refresh token"
                    + refusal.exception
            )
        }
    }
}
