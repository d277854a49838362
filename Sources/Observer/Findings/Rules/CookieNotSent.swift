import Basics
import Model
import Profiles

extension FindingRule {
    static let cookieNotSent = FindingRule(
        "cookie-not-sent",
        .bug,
        summary:
            "A login sets a cookie that never comes back, and requests are refused without it.",
        remedy: """
            Let the page send cookies (`credentials: "include"`), and set the cookie so that a browser \
            keeps it and sends it there: look at Path, Domain, Secure, SameSite and the size.
            """,
        references: ["geolens-io/geolens#1446", "BerriAI/litellm#15146"],
        watch: { CookieNotSentWatch() }
    )
}

/// Watches for cookies of logins that their clients neither keep nor send.
///
/// A client that presents its tokens in another way needs none.
private struct CookieNotSentWatch: FindingWatch {
    private struct Place: Hashable, Sendable {
        let client: ObservedClient
        let origin: String
    }

    private struct Cookie: Sendable {
        let name: String
        let login: Int
        let isRefresh: Bool
        let path: String?
        let obstacle: CookieObstacle?
        let end: Instant?
        /// The requests that were refused without it.
        var refused: [Int] = []
    }

    private static let limit = 3
    /// The same where the cookie itself says why it does not come.
    private static let explainedLimit = 2

    private var cookies = RecentMap<Place, [Cookie]>(limit: 128)

    mutating func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let exchange = fact.over(in: traffic) else { return [] }
        let place = Place(client: exchange.client, origin: exchange.request.origin)
        if exchange.purpose == .logout { cookies[place] = nil }
        if exchange.purpose == .login {
            if exchange.outcome == .issued { cookies[place] = Self.cookies(of: exchange) }
            return []
        }
        guard let known = cookies[place] else { return [] }
        let sent = Set(exchange.request.occurrences.filter { $0.place == .cookie }.map(\.name))
        let changed = Set((exchange.answer?.cookies ?? []).map(\.name))
        var left = known.filter { cookie in
            !sent.contains(cookie.name) && !changed.contains(cookie.name)
                && cookie.end.map { $0 > exchange.startedAt.now } ?? true
                && (cookie.isRefresh || exchange.access == nil)
        }
        var drafts: [FindingDraft] = []
        for index in left.indices where isRefused(exchange, without: left[index], traffic) {
            left[index].refused.append(exchange.number)
            drafts += finding(left[index], exchange, traffic)
        }
        cookies[place] = left.isEmpty ? nil : left
        return Array(drafts.prefix(1))
    }

    private static func cookies(of login: ObservedExchange) -> [Cookie] {
        (login.answer?.issued ?? []).compactMap { token in
            guard token.place == .cookie, token.role != .unknown, token.role != .id,
                let cookie = login.answer?.cookies.last(where: { $0.name == token.name }),
                cookie.value != nil
            else { return nil }
            return Cookie(
                name: cookie.name,
                login: login.number,
                isRefresh: token.role == .refresh,
                path: cookie.path,
                obstacle: cookie.obstacle,
                end: token.deadline(sentAt: login.startedAt)?.statedEnd
            )
        }
    }

    /// Whether a request was refused since it has no cookie, as far as that is known.
    private func isRefused(
        _ exchange: ObservedExchange,
        without cookie: Cookie,
        _ traffic: ObservedTraffic
    ) -> Bool {
        let request = exchange.request
        guard exchange.status == 401, exchange.refresh == nil, !request.usesBasic,
            !request.hasCredentials, request.flaws.isEmpty, exchange.purpose != .preflight,
            traffic.isAfter(exchange, traffic.exchange(cookie.login)?.deliveredAt?.now)
        else { return false }
        if cookie.isRefresh {
            let isAskedFor =
                exchange.answer?.serverWords?.asciiLowercased.containsBytes(of: "refresh")
                == true
            return (request.isNamedRefresh || isAskedFor) && exchange.access == nil
        }
        return !request.occurrences.contains { $0.role != .unknown }
    }

    private func finding(
        _ cookie: Cookie,
        _ exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        guard let login = traffic.exchange(cookie.login) else { return [] }
        let reason = reason(for: cookie, exchange)
        let limit = reason == nil ? Self.limit : Self.explainedLimit
        guard cookie.refused.count >= limit else { return [] }
        var draft = FindingDraft(
            login,
            confidence: .likely,
            evidence: [login.evidence("set \(cookie.name)")]
                + cookie.refused.suffix(ObservedFinding.evidenceLimit - 1).map {
                    FindingEvidence(.exchange($0), "refused without it")
                },
            message: "the cookie \(cookie.name) of #\(login.number) does not come back, and "
                + "\(cookie.refused.count) requests are refused without it: "
                + (reason ?? "the app does not store it, or does not send it")
        )
        draft.occurrence = login.number
        return [draft]
    }

    /// What of the cookie keeps a browser from sending it, or `nil` if nothing does.
    private func reason(for cookie: Cookie, _ exchange: ObservedExchange) -> String? {
        switch cookie.obstacle {
        case .insecure: return "it is Secure, and comes over plain HTTP"
        case .tooLarge: return "it is larger than the 4096 bytes that browsers store"
        case .otherDomain: return "its Domain is none of this host's"
        case .noneWithoutSecure: return "it is SameSite=None without Secure"
        case .crossSite:
            return "the page is of another site, and the cookie is not SameSite=None; Secure"
        case nil: break
        }
        guard let path = cookie.path, !Self.isBelow(path, exchange.request.target) else {
            return nil
        }
        return "its Path is \(path), and \(exchange.request.template) is not below that"
    }

    /// Whether a cookie of a path is sent with a request (RFC 6265 section 5.1.4).
    private static func isBelow(_ path: String, _ target: String) -> Bool {
        let asked = String(target.part(before: "?"))
        return asked == path
            || asked.begins(with: path.ends(with: "/") ? path : path + "/")
    }
}
