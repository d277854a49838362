import Basics
import Model
import Profiles

extension FindingRule {
    static let refreshRefused = FindingRule(
        "refresh-refused",
        .risk,
        summary: "A refresh is refused for what it asks, or asks for what it cannot bring.",
        remedy: """
            Refresh as the client that logged in, for what the login was granted; sign in again where \
            the backend asks for the user.
            """,
        watch: { RefreshRefusedWatch() }
    )
}

private struct RefreshRefusedWatch: FindingWatch {
    /// The codes that ask for the user (OpenID Connect Core 1.0 section 3.1.2.6).
    private static let aboutUser: Set = [
        "login_required", "consent_required", "interaction_required", "account_selection_required",
    ]
    /// The codes that ask for what no renewal brings: another login (RFC 9470 section 3), more scopes
    /// (RFC 6750 section 3.1), and the claims that Entra ID wants to see.
    private static let stepUps = [
        "insufficient_user_authentication": "another sign-in of the user (RFC 9470)",
        "insufficient_scope": "more scopes (RFC 6750)",
        "insufficient_claims": "the claims of their challenge",
    ]
    /// The longest time between the steps of an app that renews because of that, in seconds.
    private static let longestStep = 10.0
    private static let depth = 256
    private static let compared = ["client_id", "resource", "audience", "scope"]

    /// The first refusal of a refresh token for what was asked.
    private var refusals = RecentMap<Fingerprint, Int>(limit: 256)
    /// The last exchange in which an endpoint asked a session for more.
    private var challenges = RecentMap<String, (number: Int, isLivedWith: Bool)>(limit: 256)

    mutating func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let exchange = fact.over(in: traffic), let answer = exchange.answer,
            !answer.isTransient
        else { return [] }
        let codes = answer.challenges.union([answer.errorCode].compactMap(\.self))
        if let code = Self.stepUps.keys.sorted().first(where: codes.contains),
            exchange.purpose != .refresh
        {
            return stepUp(exchange, asking: code, traffic)
        }
        guard exchange.outcome != .issued else {
            if let refresh = exchange.refresh { refusals[refresh] = nil }
            return []
        }
        if let code = answer.errorCode, Self.aboutUser.contains(code) {
            return silentRenewal(exchange, code, traffic)
        }
        guard exchange.purpose == .refresh, let refresh = exchange.refresh else { return [] }
        if answer.saysForgery == true { return forgery(exchange, refresh, traffic) }
        if let code = answer.errorCode, answer.isAboutRequest {
            return refusal(exchange, refresh, code, traffic)
        }
        if let draft = noEndpoint(exchange, answer) { return [draft] }
        if let draft = besideToken(exchange, answer, traffic) { return [draft] }
        guard answer.refusesForGood else { return [] }
        return spent(exchange, refresh, traffic)
    }

    /// The access token that is sent beside the refresh token, and is over, may be what is refused: the answer
    /// has the words with which the token was refused before.
    private func besideToken(
        _ exchange: ObservedExchange,
        _ answer: AnswerFacts,
        _ traffic: ObservedTraffic
    ) -> FindingDraft? {
        guard !answer.refusesForGood, answer.status == 401 || answer.status == 403,
            let words = answer.serverWords, answer.saysRefusal == true,
            let access = exchange.request.occurrences.first(where: {
                $0.role == .access && ($0.place == .authorization || $0.place == .header)
            }), access.fingerprint != exchange.refresh,
            let refused = traffic.newest(
                Self.depth,
                where: { other in
                    other.number < exchange.number && other.purpose == .protected
                        && other.outcome == .tokenRefused
                        && other.access?.fingerprint == access.fingerprint
                        && other.answer?.status == answer.status
                        && other.answer?.serverWords == words
                }
            )
        else { return nil }
        var draft = FindingDraft(
            exchange,
            variant: "beside",
            confidence: .likely,
            evidence: [
                refused.evidence("its access token was refused"),
                exchange.evidence("refresh that sends it, too, refused in the same words"),
            ],
            message: "#\(exchange.number) sends its refresh token with the access token that "
                + "#\(refused.number) had refused, and is refused in the same words (“\(words)”): what "
                + "checks access tokens may refuse it before its refresh token is looked at"
        )
        draft.remedy = """
            Send a refresh without the access token, or let the backend leave its endpoint out of what checks \
            access tokens.
            """
        return draft
    }

    // MARK: - Who answers

    /// An answer that no token endpoint gives: there is none at that path, or a page came from something
    /// before it.
    private func noEndpoint(
        _ exchange: ObservedExchange,
        _ answer: AnswerFacts
    ) -> FindingDraft? {
        guard !answer.refusesForGood, answer.saysRefusal != true, answer.meaning == nil else {
            return nil
        }
        let (variant, what): (String, String)
        if [404, 405, 501].contains(answer.status) {
            variant = "no-endpoint"
            what =
                answer.status == 404
                ? "no refresh endpoint is there, or it does not know the token"
                : "the endpoint takes no \(exchange.request.method)"
        } else if answer.isPage, answer.status >= 400 {
            variant = "page"
            what =
                "a page came in place of tokens, as from a firewall, a portal or a server before "
                + "the backend"
        } else {
            return nil
        }
        var draft = FindingDraft(
            exchange,
            variant: variant,
            confidence: .likely,
            evidence: [exchange.evidence(exchange.result)],
            message:
                "#\(exchange.number) asks for a renewal at \(exchange.request.endpoint) and was "
                + "\(exchange.result): \(what)"
        )
        draft.remedy = "Look at the address of the refresh, and at what answers there."
        return draft
    }

    // MARK: - What was asked

    private mutating func refusal(
        _ exchange: ObservedExchange,
        _ refresh: Fingerprint,
        _ code: String,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        if refusals[refresh] == nil { refusals[refresh] = exchange.number }
        let difference = difference(exchange, traffic, Self.compared)
        return [
            FindingDraft(
                exchange,
                evidence: (difference?.evidence ?? [])
                    + [exchange.evidence("refused with \(code)")],
                message: "#\(exchange.number) was refused with \(code): "
                    + (difference?.text
                        ?? "that is about the request or its client, not about the token")
            )
        ]
    }

    /// The token against forged requests is refused again: the app has not fetched another one.
    private mutating func forgery(
        _ exchange: ObservedExchange,
        _ refresh: Fingerprint,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        guard let first = refusals[refresh].flatMap({ traffic.exchange($0) }) else {
            refusals[refresh] = exchange.number
            return []
        }
        let reason = "refused for its CSRF token"
        var draft = FindingDraft(
            exchange,
            variant: "forgery",
            confidence: .likely,
            evidence: [first.evidence(reason), exchange.evidence(reason)],
            message:
                "#\(first.number) and #\(exchange.number) were refused for their token against "
                + "forged requests (CSRF): nothing is known against the refresh token"
        )
        draft.remedy = "Fetch a new CSRF token, and repeat the refresh with it."
        return [draft]
    }

    /// The word of a refresh that is another one than that of what brought its token.
    private func difference(
        _ exchange: ObservedExchange,
        _ traffic: ObservedTraffic,
        _ names: [String]
    ) -> (text: String, evidence: [FindingEvidence])? {
        // What brought it first: a token that is never replaced is in each pair after that.
        guard let family = traffic.family(of: exchange), let refresh = exchange.refresh,
            let first = family.generations.first(where: { $0.refresh == refresh }),
            let source = traffic.exchange(first.exchange), source.number != exchange.number
        else { return nil }
        let (old, new) = (source.request.words, exchange.request.words)
        let name = names.first { name in
            guard let word = new[name], let before = old[name],
                !isUsual(name, of: exchange, traffic)
            else { return false }
            // A refresh may ask for less (RFC 6749 section 6).
            return name == "scope" ? !word.isSubset(of: before) : word != before
        }
        let what: String
        if let name {
            what = "another \(name)"
        } else if names.contains("scope"), source.request.usesBasic != exchange.request.usesBasic {
            what = "another authentication of the client"
        } else {
            return nil
        }
        return (
            "it sends \(what) than #\(source.number), which brought its token",
            [source.evidence("brought the refresh token")]
        )
    }

    /// Whether a renewal of the session succeeded with the same word.
    private func isUsual(
        _ name: String,
        of exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> Bool {
        let accepted = traffic.newest(Self.depth) { other in
            other.purpose == .refresh && other.outcome == .issued
                && other.family == exchange.family
                && other.request.words[name] == exchange.request.words[name]
        }
        return accepted != nil
    }

    /// A refusal for what was asked, after which the token is refused for good.
    private func spent(
        _ exchange: ObservedExchange,
        _ refresh: Fingerprint,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        if let first = refusals[refresh], let refused = traffic.exchange(first) {
            let code = refused.answer?.errorCode ?? "an error"
            return [
                FindingDraft(
                    exchange,
                    variant: "spent",
                    severity: .bug,
                    confidence: .likely,
                    evidence: [
                        refused.evidence("refused with \(code)"),
                        exchange.evidence("the same token, refused for good"),
                    ],
                    message: "#\(first) was refused with \(code), and has spent the refresh token "
                        + "all the same: #\(exchange.number) with it is refused for good"
                )
            ]
        }
        // A token of another client is refused like one that has ended (RFC 6749 section 5.2).
        guard let difference = difference(exchange, traffic, ["client_id"]) else { return [] }
        return [
            FindingDraft(
                exchange,
                variant: "differs",
                confidence: .likely,
                evidence: difference.evidence + [exchange.evidence("refused for good")],
                message: "#\(exchange.number) was refused for good: \(difference.text)"
            )
        ]
    }

    // MARK: - What no refresh brings

    /// A renewal in the background that the provider refuses since it wants to see the user.
    ///
    /// Without a session it is a question whether there is one, to which this is the answer.
    private func silentRenewal(
        _ exchange: ObservedExchange,
        _ code: String,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        let own = traffic.graph.families.values.filter {
            $0.end == nil && $0.clients.contains(exchange.client)
        }
        let family = traffic.family(of: exchange) ?? own.max { $0.id < $1.id }
        guard let family, family.end == nil, family.liveRefreshToken == nil,
            let source = family.newestGeneration.flatMap({ traffic.exchange($0.exchange) })
        else { return [] }
        var draft = FindingDraft(
            exchange,
            variant: "user",
            confidence: source.request.origin == exchange.request.origin ? .certain : .likely,
            evidence: [
                source.evidence("brought the access token"),
                exchange.evidence("renewal, refused with \(code)"),
            ],
            message: "#\(exchange.number) was refused with \(code): the session ends with its "
                + "access token, unless the user signs in again"
        )
        draft.family = family.id
        return [draft]
    }

    /// The app renews because of what a challenge asks for, and gets the same one again.
    ///
    /// A renewal that was due may have come between two requests of the user: it followed the challenge
    /// at once, as the repeated request followed it.
    private mutating func stepUp(
        _ exchange: ObservedExchange,
        asking code: String,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        guard let family = traffic.family(of: exchange) else { return [] }
        let key = "\(family.id) \(exchange.request.origin) \(exchange.request.endpoint) \(code)"
        let known = challenges[key]
        let last = known.flatMap { traffic.exchange($0.number) }
        let isSame = last.map { $0.access?.fingerprint == exchange.access?.fingerprint } ?? false
        // An app that goes on with the token after such an answer renews for another reason.
        challenges[key] = (exchange.number, isSame)
        guard let last, !isSame, known?.isLivedWith == false, let askedAt = last.deliveredAt?.now
        else { return [] }
        func isSoon(_ later: Instant, after earlier: Instant) -> Bool {
            (0...Self.longestStep).contains(later.seconds(since: earlier))
        }
        let renewal = traffic.newest(Self.depth) { other in
            other.purpose == .refresh && other.outcome == .issued && other.family == family.id
                && other.number > last.number && other.number < exchange.number
                && isSoon(other.startedAt.now, after: askedAt)
                && other.deliveredAt.map { isSoon(exchange.startedAt.now, after: $0.now) } == true
        }
        guard let renewal else { return [] }
        let left = traffic.accessDeadline(of: last).map { deadline in
            deadline.statedEnd.seconds(since: renewal.startedAt.now) / deadline.statedLifetime
        }
        if let left, left <= 0.5 { return [] }
        var draft = FindingDraft(
            exchange,
            variant: "step-up",
            confidence: left != nil && !exchange.isOfPage ? .certain : .likely,
            evidence: [
                last.evidence("answered with \(code)"),
                renewal.evidence("renewal"),
                exchange.evidence("answered with \(code) again"),
            ],
            message: "#\(last.number) and #\(exchange.number) ask for "
                + "\(Self.stepUps[code] ?? code), which the renewal in #\(renewal.number) does not bring"
        )
        draft.remedy = Self.remedyOfStepUp
        return [draft]
    }

    private static let remedyOfStepUp = """
        Do not renew: send the user to the authorization endpoint with what the challenge names \
        (acr_values, max_age, scope or claims), and repeat the request with the token of that.
        """
}

extension AnswerFacts {
    /// The codes that are about the request and its client, and not about its token (RFC 6749 section
    /// 5.2, RFC 8707 section 2).
    private static let codesAboutRequest: Set = [
        "invalid_target", "invalid_scope", "invalid_client", "unauthorized_client",
        "invalid_request", "unsupported_grant_type",
    ]

    /// Whether it refuses a request for what that asks, and not for its token.
    var isAboutRequest: Bool {
        errorCode.map(Self.codesAboutRequest.contains) ?? false && !refusesForGood
            && saysRefusal != true
    }
}
