import Basics
import Model
import Profiles

extension FindingRule {
    static let cookieClobbered = FindingRule(
        "cookie-clobbered",
        .bug,
        summary:
            "A late answer deletes a newer cookie, or sets it back; or a prefetch ends a session.",
        remedy: """
            On the server: an answer that refuses must not clear cookies that it did not see. In \
            the app: abort requests that a refresh has overtaken.
            """,
        references: [
            "letsrevel/revel-frontend#950", "opendefender/OpenRisk#700",
            "auth0/nextjs-auth0#544", "supertokens/supertokens-node#17",
        ],
        watch: { CookieClobberedWatch() }
    )
}

private struct CookieClobberedWatch: FindingWatch {
    private static let depth = 128

    func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let late = fact.delivered(in: traffic), late.isDelivered,
            late.purpose != .logout, let facts = late.answer, !facts.cookies.isEmpty
        else { return [] }
        if let draft = prefetched(late, facts) { return [draft] }
        // Where each answer brings another value, only what deletes it says something.
        let isRolling = traffic.family(of: late)?.isRolling ?? false
        let presented = Set(
            late.request.occurrences.filter { $0.place == .cookie && $0.role != .unknown }
                .map(\.name)
        )
        for cookie in facts.cookies
        where presented.contains(cookie.name) && !(isRolling && cookie.value != nil) {
            let newer = traffic.newestFirst.prefix(Self.depth).first { other in
                isOvertaken(late, by: other, cookie, traffic)
            }
            guard let newer else { continue }
            let what = cookie.value == nil ? "deletes" : "sets back"
            return [
                FindingDraft(
                    late,
                    confidence: isRolling ? .likely : .certain,
                    evidence: [
                        newer.evidence("set a newer value of \(cookie.name)"),
                        late.evidence("began before, came after, and \(what) it"),
                    ],
                    message: "the answer to #\(late.number) \(what) the cookie \(cookie.name), "
                        + "which #\(newer.number) had renewed while #\(late.number) was in progress"
                )
            ]
        }
        return []
    }

    /// What a browser or a program fetches ahead, such as the page behind a link for logging out, deletes the
    /// cookie of the session, which the user has not asked for.
    private func prefetched(
        _ exchange: ObservedExchange,
        _ facts: AnswerFacts
    ) -> FindingDraft? {
        guard exchange.request.isPrefetch == true, let access = exchange.access,
            access.place == .cookie, exchange.outcome != .tokenRefused,
            facts.cookies.last(where: { $0.name == access.name })?.value == nil,
            facts.cookies.contains(where: { $0.name == access.name })
        else { return nil }
        var draft = FindingDraft(
            exchange,
            variant: "prefetch",
            evidence: [exchange.evidence("prefetch, whose answer deletes \(access.name)")],
            message:
                "the answer to the prefetch #\(exchange.number) of \(exchange.request.template) "
                + "deletes the cookie \(access.name): the session ends before the user asks for that"
        )
        draft.remedy = """
            Log out by POST from a button; let no link lead to it, or turn off prefetching for that link.
            """
        return draft
    }

    /// Whether another answer set the cookie while a request with the old value was in progress.
    private func isOvertaken(
        _ late: ObservedExchange,
        by other: ObservedExchange,
        _ cookie: AnswerFacts.Cookie,
        _ traffic: ObservedTraffic
    ) -> Bool {
        guard other.number != late.number, other.client == late.client,
            other.request.origin == late.request.origin, let renewedAt = other.deliveredAt?.now,
            let deliveredAt = late.deliveredAt?.now,
            renewedAt < deliveredAt, late.startedAt.now < renewedAt,
            let renewed = other.answer?.cookies.first(where: { $0.name == cookie.name })?.value,
            renewed != cookie.value
        else { return false }
        guard let value = cookie.value else {
            // It must have presented the value that was renewed.
            return !late.request.occurrences.contains { $0.fingerprint == renewed }
        }
        guard let old = traffic.graph.node(value), let new = traffic.graph.node(renewed) else {
            return false
        }
        return old.family == new.family && old.generation < new.generation
    }
}
