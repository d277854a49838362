import Basics
import Model
import Profiles

extension FindingRule {
    static let expiredSent = FindingRule(
        "expired-sent",
        .risk,
        summary: "A request presents an access token that has ended.",
        remedy: """
            Renew before the end; count a lifetime from the answer, not by the wall clock.
            """,
        references: [
            "koala73/worldmonitor#5932", "workos/authkit-nextjs#470",
            "firebase/firebase-js-sdk#6032",
        ],
        watch: { ExpiredSentWatch() }
    )
}

/// Watches for access tokens that are sent after their end.
///
/// An app may wait for the refusal, and renew then (RFC 6749 section 1.5): what was refused first counts
/// once the app has not renewed.
private struct ExpiredSentWatch: FindingWatch {
    private struct Use: Hashable, Sendable {
        let access: Fingerprint
        let client: ObservedClient
    }

    private struct Refusal: Sendable {
        let draft: FindingDraft
        let deadline: Instant
    }

    /// The time that an app has to renew after a refusal, in seconds.
    private static let timeout = 10.0

    /// The first refusals, after which the app may renew.
    private var refusals = RecentMap<Use, Refusal>(limit: 256)
    /// The tokens that were used on after that.
    private var usedOn = RecentMap<Use, Bool>(limit: 256)

    var nextDeadline: Instant? { refusals.all.map(\.value.deadline).min() }

    mutating func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        if let exchange = fact.started(in: traffic) {
            renew(exchange)
            replace(exchange, traffic)
            return []
        }
        if let exchange = fact.over(in: traffic) {
            // Some logins can be told by their answers alone.
            renew(exchange)
            return use(exchange, traffic, at: moment)
        }
        guard case .time = fact else { return [] }
        return refusals.all.filter { $0.value.deadline <= moment.now }.map { use, refusal in
            refusals[use] = nil
            usedOn[use] = true
            return refusal.draft
        }
    }

    /// A renewal, a login or a logout is what a refusal asks for.
    private mutating func renew(_ exchange: ObservedExchange) {
        guard [.refresh, .login, .logout].contains(exchange.purpose) else { return }
        for (use, refusal) in refusals.all
        where use.client == exchange.client
            || exchange.family != nil && refusal.draft.family == exchange.family
        {
            refusals[use] = nil
        }
    }

    /// A client that makes its tokens itself repeats the request with another one.
    private mutating func replace(_ exchange: ObservedExchange, _ traffic: ObservedTraffic) {
        for (use, refusal) in refusals.all
        where use.client == exchange.client && exchange.access != nil
            && use.access != exchange.access?.fingerprint
        {
            let refused = traffic.exchange(refusal.draft.occurrence)
            if refused.map({ exchange.request.isRepeat(of: $0.request) }) ?? false {
                refusals[use] = nil
            }
        }
    }

    private mutating func use(
        _ exchange: ObservedExchange,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let late = late(exchange, traffic), let access = exchange.access?.fingerprint else {
            return []
        }
        let use = Use(access: access, client: exchange.client)
        guard exchange.outcome != .accepted, usedOn[use] == nil else { return [late] }
        guard let first = refusals[use] else {
            let deadline = moment.now.advanced(bySeconds: Self.timeout)
            refusals[use] = Refusal(draft: late, deadline: deadline)
            return []
        }
        // What began before the first refusal had come knew nothing of it.
        let refused = traffic.exchange(first.draft.occurrence)
        guard traffic.isAfter(exchange, refused?.deliveredAt?.now) else { return [] }
        refusals[use] = nil
        usedOn[use] = true
        return [first.draft, late]
    }

    private func late(_ exchange: ObservedExchange, _ traffic: ObservedTraffic) -> FindingDraft? {
        guard exchange.purpose == .protected,
            exchange.outcome == .tokenRefused || exchange.outcome == .accepted
                || exchange.status == 403 || exchange.saysThatItsTokenHasEnded,
            traffic.family(of: exchange)?.end == nil,
            traffic.newerGeneration(than: exchange) == nil, !isLedOn(exchange)
        else { return nil }
        if let outlived = outlived(exchange, traffic) { return outlived }
        guard let deadline = traffic.accessDeadline(of: exchange) else { return nil }
        let late = exchange.startedAt.now.seconds(since: deadline.statedEnd)
        guard late > ObservedTraffic.clockTolerance + deadline.expiry.skewWidth else { return nil }
        // Without the backend's time, the clocks or the token may be wrong, and the answer tells.
        let isDisputed = !deadline.expiry.mismatch.isEmpty
        guard !isDisputed || exchange.outcome != .accepted else { return nil }
        var draft = FindingDraft(
            exchange,
            confidence: deadline.expiry.isAssumed || exchange.saysThatItsTokenHasEnded || isDisputed
                ? .likely : .certain,
            evidence: [
                exchange.evidence("request with an expired access token, \(exchange.result)")
            ],
            message: "#\(exchange.number) presents an access token that ended "
                + "\(late.duration) before: \(exchange.result)"
        )
        if [.webTokenLifetime, .webTokenExpiry].contains(deadline.expiry.source),
            let left = exchange.access?.token.timeLeft(byOwnClock: exchange.startedAt.wall),
            left > ObservedTraffic.clockTolerance
        {
            draft.message +=
                "; by this clock, which is \((late + left).duration) behind the backend's, it had "
                + "not ended: likely the app compares the two"
        }
        guard exchange.outcome != .accepted else { return draft }
        if let cached = traffic.cachedAnswer(before: exchange) {
            draft.evidence.insert(cached.evidence("brought it from a cache"), at: 0)
            draft.message += "; #\(cached.number) had brought it from a cache (Age, X-Cache)"
            draft.remedy = """
                Send `Cache-Control: no-store` with tokens (RFC 6749, section 5.1), and let no proxy or \
                service worker store them.
                """
            return draft
        }
        // A refusal is about the token, wherever it is sent.
        draft.path = nil
        if traffic.family(of: exchange)?.liveRefreshToken == nil {
            draft.remedy = "Ask for a login when the token ends: there is nothing that renews it."
        }
        return draft
    }

    /// Whether a browser sends a cookie with a page that is redirected, which may be what renews it.
    private func isLedOn(_ exchange: ObservedExchange) -> Bool {
        exchange.access?.place == .cookie && exchange.outcome == .accepted
            && exchange.answer?.isRedirect == true
    }

    /// The first acceptance of the only token of a session after its stated end, which proves that it
    /// had not ended.
    private func outlived(
        _ exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> FindingDraft? {
        guard let access = exchange.access?.fingerprint,
            let outlived = traffic.graph.generation(of: access)?.outlived,
            outlived.exchange == exchange.number
        else { return nil }
        return FindingDraft(
            exchange,
            variant: "prolonged",
            severity: .note,
            evidence: [
                exchange.evidence("request after the stated end of its token, \(exchange.result)")
            ],
            message:
                "#\(exchange.number) presents an access token \(outlived.late.duration) after its "
                + "stated end, and is accepted: the backend prolongs it with its use, or does not "
                + "look at its end"
        )
    }
}

extension ObservedTraffic {
    /// The exchanges among which the answer of a cache is looked for.
    private static let cacheDepth = 256

    /// The newest answer of a cache that had brought the access token of a request before.
    fileprivate func cachedAnswer(before exchange: ObservedExchange) -> ObservedExchange? {
        newest(Self.cacheDepth) { other in
            other.number < exchange.number && other.client == exchange.client
                && other.answer?.isCached == true
                && other.answer?.issued.contains { $0.fingerprint == exchange.access?.fingerprint }
                    == true
        }
    }
}

extension ObservedExchange {
    /// Whether it failed, and the words of its error say that a token is refused, whatever the status.
    fileprivate var saysThatItsTokenHasEnded: Bool {
        answer?.isTransient == true && answer?.saysRefusal == true
    }
}
