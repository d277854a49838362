import Basics
import Model
import Profiles

extension FindingRule {
    static let expiryDisagrees = FindingRule(
        "expiry-disagrees",
        .risk,
        summary: "An answer and its token state different ends of the token.",
        remedy: "State one lifetime: let `expires_in` and the token's `exp` come from one value.",
        references: ["auth0/nextjs-auth0#2326"],
        watch: { ExpiryDisagreesWatch() }
    )

    static let claimsChanged = FindingRule(
        "claims-changed",
        .risk,
        summary: "A refresh brings a token for another user, or with fewer rights.",
        remedy: "Issue what a refresh brings for the subject, audience and scope of its session.",
        references: ["openemr/openemr#4133", "Glimesh/glimesh.tv#744"],
        watch: { ClaimsChangedWatch() }
    )
}

private struct ExpiryDisagreesWatch: FindingWatch {
    /// The tolerated difference between sources, in seconds, and as a part of the lifetime.
    private static let tolerance = 5.0
    private static let share = 0.02

    func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let exchange = fact.over(in: traffic), exchange.outcome == .issued else {
            return []
        }
        if let draft = unit(exchange) { return [draft] }
        guard
            let readings = exchange.answer?.issued.lazy.compactMap(\.expiry)
                .map(Self.comparable).first(where: { $0.count > 1 })
        else { return [] }
        let stated = readings.map(\.stated)
        let spread = (stated.max() ?? 0) - (stated.min() ?? 0)
        let took = (exchange.endedAt ?? moment).now.seconds(since: exchange.startedAt.now)
        // The token may have been issued at any time until its answer came.
        guard spread - took > max(Self.tolerance, (stated.max() ?? 0) * Self.share) else {
            return []
        }
        let statements = readings.map { reading in
            "\(reading.source.rawValue) says \(reading.stated.whole) s"
        }
        let ratio = (stated.max() ?? 0) / max(stated.min() ?? 0, 1)
        let isThousandfold = abs(ratio - 1_000) < 20
        var draft = FindingDraft(
            exchange,
            evidence: [exchange.evidence("brought the token")],
            message: "the sources of one expiry in #\(exchange.number) disagree: "
                + statements.joined(separator: ", ")
                + (isThousandfold ? ", as if one were in milliseconds" : "")
        )
        if Set(readings.map(\.source)) == [.webTokenLifetime, .webTokenExpiry] {
            draft.variant = "clock"
            draft.message += ": the clocks differ, or the token is not a new one"
            draft.remedy = """
                Set the clock that is wrong (NTP), and let no cache store tokens; where clocks cannot be set, \
                count the life of a token from its answer.
                """
        }
        if readings.contains(where: \.source.isOfCookie) {
            draft.variant = "cookie"
            // An age that each answer sets again is that of an idle session.
            draft.severity = .note
            draft.message += ": the browser drops the cookie while its token is good"
            draft.remedy = "Let a cookie live as long as its token, or renew it before it ends."
        }
        return [draft]
    }

    /// A claim in milliseconds, which programs that follow RFC 7519 section 2 read as seconds.
    private func unit(_ exchange: ObservedExchange) -> FindingDraft? {
        let isInMilliseconds = exchange.answer?.issued.contains { occurrence in
            let evidence = JSONWebToken.expiryEvidence(in: occurrence.token.claims)
            return evidence?.unusable?.problem == .milliseconds
        }
        guard isInMilliseconds == true else { return nil }
        return FindingDraft(
            exchange,
            variant: "unit",
            evidence: [exchange.evidence("brought a token with exp in milliseconds")],
            message: "#\(exchange.number) brings a token with exp in milliseconds: programs that "
                + "read seconds (RFC 7519) never see its end"
        )
    }

    /// The readings of different ends without those of a cookie that outlives its token: it is kept
    /// so that the backend can tell an expired session from none.
    private static func comparable(_ expiry: Expiry) -> [Expiry.Reading] {
        let own = expiry.mismatch.filter { !$0.source.isOfCookie }.map(\.stated)
        return expiry.mismatch.filter { reading in
            !reading.source.isOfCookie || own.allSatisfy { reading.stated < $0 }
        }
    }
}

private struct ClaimsChangedWatch: FindingWatch {
    func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let exchange = fact.over(in: traffic), exchange.purpose == .refresh,
            exchange.outcome == .issued, let family = traffic.family(of: exchange),
            let after = family.generations.last(where: { $0.exchange == exchange.number }),
            let before = family.generations.last(where: { $0.number == after.number - 1 }),
            let old = before.access?.claims, let new = after.access?.claims,
            let source = traffic.exchange(before.exchange)
        else { return [] }
        let oldSubject = old["sub"]?.displayText
        let newSubject = new["sub"]?.displayText
        let what: String
        let isOtherUser = oldSubject != nil && newSubject != nil && oldSubject != newSubject
        // Where another audience was asked for, or another organization was chosen, it is another token of
        // the session.
        let isAsked =
            exchange.request.asksForAudience
            || source.purpose == .refresh && source.request.asksForAudience
            || traffic.organizationClaims.contains { old[$0] != new[$0] }
        if isOtherUser {
            what = "another subject"
        } else if isAsked {
            return []
        } else if Self.words(new["aud"]).isStrictSubset(of: Self.words(old["aud"])) {
            what = "fewer audiences"
        } else if Self.words(new["aud"]) != Self.words(old["aud"]) {
            guard old["aud"] != nil else { return [] }
            what = "another audience"
        } else {
            let lost = Self.rights.first { right in
                Self.words(new[right.claim]).isStrictSubset(of: Self.words(old[right.claim]))
            }
            if let lost {
                what = "fewer \(lost.noun)"
            } else if let scopes = Self.lostScopes(source, exchange) {
                what = "fewer scopes (without \(scopes))"
            } else {
                return []
            }
        }
        return [
            FindingDraft(
                exchange,
                severity: isOtherUser ? .bug : .risk,
                evidence: [
                    source.evidence("brought the token before"),
                    exchange.evidence("brought one with \(what)"),
                ],
                message: "#\(exchange.number) brings an access token with \(what) than the one "
                    + "before it had"
            )
        ]
    }

    /// The claims with rights.
    private static let rights: [(claim: String, noun: String)] =
        Scopes.claims.map { (claim: $0, noun: "scopes") }
        + [(claim: "roles", noun: "roles"), (claim: "permissions", noun: "permissions")]

    /// Returns the scopes of an answer that the answer after it does not state any more, or `nil` if there
    /// are none, or one of them states none.
    private static func lostScopes(
        _ before: ObservedExchange,
        _ after: ObservedExchange
    ) -> String? {
        guard let old = before.answer?.scopes, let new = after.answer?.scopes, !new.isEmpty,
            new.isSubset(of: old)
        else { return nil }
        let lost = Scopes.lost(from: old, to: new)
        return lost.isEmpty ? nil : lost.prefix(5).joined(separator: ", ")
    }

    private static func words(_ claim: JSONValue?) -> Set<String> {
        switch claim {
        case .array(let elements): Set(elements.compactMap(\.stringValue))
        case .string(let text): Set(text.parts(at: " ").map(String.init))
        default: []
        }
    }
}

extension RequestFacts {
    /// Whether its body or its query has a word of the protocol, such as `scope`.
    fileprivate func names(_ word: String) -> Bool {
        let isInBody = body?.fields.contains { field in
            field.path.parts(at: ".").last.map { $0 == word } ?? false
        }
        let query = target.parts(at: "?").dropFirst().joined(separator: "&").parts(at: "&")
        return isInBody == true || query.contains { $0.begins(with: "\(word)=") }
    }

    /// Whether it says for which audience the token shall be (RFC 8707; `scope` in Entra ID).
    var asksForAudience: Bool {
        ["resource", "audience", "scope"].contains(where: names)
    }
}
