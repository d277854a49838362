import Basics
import Model
import Profiles

extension FindingRule {
    static let noOfflineAccess = FindingRule(
        "no-offline-access",
        .risk,
        summary: "A session ends with its access token: its login did not ask for offline_access.",
        remedy: """
            Ask for the scope offline_access in the authorization request, if the provider offers it: it \
            brings a refresh token (OpenID Connect Core section 11). Or renew with prompt=none before \
            the end.
            """,
        watch: { NoOfflineAccessWatch() }
    )
}

/// Watches for tokens of OpenID providers that are used after their end, and that nothing could renew.
private struct NoOfflineAccessWatch: FindingWatch {
    private static let scope = "offline_access"
    private static let openID = "openid"
    private static let depth = 256

    private var known = RecentMap<Int, Bool>(limit: 256)

    mutating func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let exchange = fact.over(in: traffic), exchange.outcome == .tokenRefused,
            traffic.isPastEnd(exchange), let family = traffic.family(of: exchange),
            known[family.id] == nil, family.generations.allSatisfy({ $0.refresh == nil }),
            let number = family.newestGeneration?.exchange, let login = traffic.exchange(number),
            login.purpose == .login, let asked = scopes(askedBy: login, traffic),
            asked.contains(Self.openID) || namesIssuer(exchange), !asked.contains(Self.scope)
        else { return [] }
        known[family.id] = true
        let offer = traffic.newest(Self.depth) { other in
            other.request.origin == login.request.origin && other.outcome == .issued
                && (other.answer?.scopes?.contains(Self.scope) == true
                    || other.request.words["scope"]?.contains(Self.scope) == true)
        }
        let offered = offer.map { ", which #\($0.number) shows that the provider offers" } ?? ""
        return [
            FindingDraft(
                exchange,
                severity: offer == nil ? .note : .risk,
                confidence: .likely,
                evidence: [
                    login.evidence("brought no refresh token"),
                    offer?.evidence("asked for offline_access"),
                    exchange.evidence("request after the end of its token, \(exchange.result)"),
                ].compactMap(\.self),
                message:
                    "the session that #\(login.number) began has no refresh token, and has ended "
                    + "with its access token: the scopes of its login are without offline_access"
                    + offered
            )
        ]
    }

    /// Whether an access token names its issuer with the scopes or the client that it is for (RFC 9068), as
    /// those of OpenID providers do, of whichever scopes they are.
    private func namesIssuer(_ exchange: ObservedExchange) -> Bool {
        let claims = exchange.access?.token.claims ?? [:]
        return claims["iss"] != nil && ["scp", "scope", "azp"].contains { claims[$0] != nil }
    }

    /// The scopes of a login, as far as traffic shows them: by its request, its answer, or the newest
    /// authorization request before it.
    private func scopes(
        askedBy login: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> Set<String>? {
        // A client's own token needs no refresh token (RFC 6749 section 4.4.3).
        guard login.request.discriminator != "client_credentials" else { return nil }
        if let asked = login.request.words["scope"] ?? login.answer?.scopes { return asked }
        let authorization = traffic.newest(Self.depth) { other in
            other.number < login.number && other.request.origin == login.request.origin
                && other.request.queryValue("response_type") == "code"
        }
        return authorization?.request.queryValue("scope").map { scopes in
            Set(Scopes.words(of: scopes))
        }
    }
}

extension RequestFacts {
    /// The value of a parameter of its query that is shown, or `nil` if there is none.
    fileprivate func queryValue(_ name: String) -> String? {
        target.halves(at: "?").flatMap { FormEncoding.decode($0.after)[name] }
    }
}
