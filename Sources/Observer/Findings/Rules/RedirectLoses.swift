import Basics
import Model
import Profiles

extension FindingRule {
    static let redirectLoses = FindingRule(
        "redirect-loses",
        .bug,
        summary: "A redirection costs a request its token, or its method and body.",
        remedy: """
            Ask for the address that the backend redirects to: its scheme, its host, and the slash at its \
            end. On the server: answer both forms, or redirect within one origin, and with 308 or 307 \
            what is no GET (RFC 9110 section 15.4).
            """,
        references: ["Kaoruha/GinkGO#5389", "psf/requests#2949", "aio-libs/aiohttp#3578"],
        watch: { RedirectLosesWatch() }
    )
}

/// Watches for requests that follow a redirection to the same path without what they had.
///
/// Clients leave credentials out for another origin, and make a GET of what is redirected with 301 or 302.
private struct RedirectLosesWatch: FindingWatch {
    func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let exchange = fact.over(in: traffic), let status = exchange.status,
            (400..<500).contains(status), exchange.purpose != .preflight,
            let source = traffic.redirection(before: exchange), source.outcome != .tokenRefused,
            Self.path(exchange) == Self.path(source)
        else { return [] }
        return [method(exchange, source) ?? token(exchange, source)].compactMap(\.self)
    }

    /// Such as 301 from HTTP to HTTPS, or to the path with a slash.
    private func method(_ exchange: ObservedExchange, _ source: ObservedExchange) -> FindingDraft? {
        let (before, after) = (source.request.method, exchange.request.method)
        guard after == "GET", before != after, before != "HEAD" else { return nil }
        let what =
            switch source.purpose {
            case .refresh: "refresh"
            case .login: "login"
            default: before
            }
        return FindingDraft(
            exchange,
            variant: "method",
            confidence: .likely,
            evidence: [
                source.evidence("\(before), \(source.result)"),
                exchange.evidence("follows it as GET, \(exchange.result)"),
            ],
            message: "the \(what) #\(source.number) was redirected (\(source.status ?? 0)), and "
                + "#\(exchange.number) follows as GET, without its body: \(exchange.result)"
        )
    }

    private func token(_ exchange: ObservedExchange, _ source: ObservedExchange) -> FindingDraft? {
        let presented = exchange.request.occurrences.filter { $0.role != .unknown }
        guard [401, 403].contains(exchange.status), let access = source.access,
            access.place == .authorization || access.place == .header, presented.isEmpty
        else { return nil }
        let isElsewhere = exchange.request.origin != source.request.origin
        return FindingDraft(
            exchange,
            confidence: .likely,
            evidence: [
                source.evidence("presented the access token, \(source.result)"),
                exchange.evidence("follows it without a token, \(exchange.result)"),
            ],
            message: "#\(exchange.number) follows the redirection of #\(source.number) "
                + (isElsewhere ? "to \(exchange.request.origin) " : "")
                + "without the access token"
                + (isElsewhere ? ", which clients leave out for another origin" : "")
                + ": \(exchange.result)"
        )
    }

    private static func path(_ exchange: ObservedExchange) -> Substring {
        exchange.request.template.trimming { $0 == UInt8(ascii: "/") }
    }
}
