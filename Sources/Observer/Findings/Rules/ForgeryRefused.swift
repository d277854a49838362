import Basics
import Model

extension FindingRule {
    static let forgeryRefused = FindingRule(
        "csrf-refused",
        .bug,
        summary:
            "Requests are refused for their token against forged requests, one after the other.",
        remedy: """
            Fetch a new CSRF token after a login, after a logout and after such a refusal, and send the \
            newest one: a copy in memory or in the page is an old one. The session itself is not refused.
            """,
        references: ["laravel/sanctum#166", "laravel/sanctum#572", "laravel/sanctum#219"],
        watch: { ForgeryRefusedWatch() }
    )
}

/// Watches for refusals because of CSRF that the app does not mend.
///
/// A sound app fetches another token after the first one. Those of refreshes are a matter of
/// `refresh-refused`.
private struct ForgeryRefusedWatch: FindingWatch {
    private struct Place: Hashable, Sendable {
        let client: ObservedClient
        let origin: String
    }

    private static let limit = 3

    private var refusals = RecentMap<Place, [Int]>(limit: 128)

    mutating func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let exchange = fact.over(in: traffic), exchange.purpose != .refresh,
            let answer = exchange.answer,
            !["GET", "HEAD", "OPTIONS"].contains(exchange.request.method),
            isAlive(exchange, traffic)
        else { return [] }
        let place = Place(client: exchange.client, origin: exchange.request.origin)
        guard answer.saysForgery == true else {
            if answer.isSuccess { refusals[place] = nil }
            return []
        }
        var numbers = refusals[place] ?? []
        if let last = numbers.last.flatMap({ traffic.exchange($0) }),
            !traffic.isAfter(exchange, last.deliveredAt?.now)
        {
            return []
        }
        numbers.append(exchange.number)
        refusals[place] = Array(numbers.suffix(ObservedFinding.evidenceLimit))
        guard numbers.count >= Self.limit, let first = numbers.first else { return [] }
        var draft = FindingDraft(
            exchange,
            confidence: .likely,
            evidence: numbers.map { FindingEvidence(.exchange($0), "refused for its CSRF token") },
            message:
                "\(numbers.count) requests in a row were refused for their token against forged "
                + "requests (CSRF), the last of them #\(exchange.number), \(exchange.result): nothing "
                + "is known against the session"
        )
        draft.occurrence = first
        draft.path = traffic.exchange(first)?.request.template
        return [draft]
    }

    /// Whether the session may go on: one that is over takes its token against forged requests with it.
    private func isAlive(_ exchange: ObservedExchange, _ traffic: ObservedTraffic) -> Bool {
        guard traffic.family(of: exchange)?.end == nil else { return false }
        guard let end = traffic.accessDeadline(of: exchange)?.statedEnd else { return true }
        return exchange.startedAt.now < end
    }
}
