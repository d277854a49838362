import Basics
import Model
import Profiles

extension FindingRule {
    static let hiddenToken = FindingRule(
        "hidden-token",
        .bug,
        summary: "A new token comes in a header field that the page may not read (CORS).",
        remedy: """
            Name the fields that have tokens in Access-Control-Expose-Headers, with answers of every \
            status, or send the token in the body.
            """,
        references: [
            "neroniaky/angular-token#411", "spatie/laravel-cors#22",
            "jadjoubran/laravel5-angular-material-starter#264",
        ],
        watch: { HiddenTokenWatch() }
    )
}

/// Watches for tokens in fields that their page cannot read, and requests that are refused without them.
///
/// What presents such a token could read it, and is no page of a browser.
private struct HiddenTokenWatch: FindingWatch {
    private struct Hidden: Sendable {
        let number: Int
        let tokens: Set<Fingerprint>
        /// The token that the request had presented.
        let before: Fingerprint?
        /// The requests that were refused without a token.
        var refused: [Int] = []
    }

    /// The refusals without a token that are no matter of the moment.
    private static let limit = 2

    /// The newest answers with hidden tokens.
    private var answers = RecentMap<ObservedClient, Hidden>(limit: 128)
    /// The clients that can read them.
    private var readers = RecentMap<ObservedClient, Bool>(limit: 128)

    mutating func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let exchange = fact.over(in: traffic), exchange.purpose != .preflight,
            readers[exchange.client] == nil
        else { return [] }
        let drafts = answers[exchange.client].map { find(exchange, $0, traffic) } ?? []
        if let tokens = exchange.answer?.hidden, !tokens.isEmpty,
            exchange.answer?.isSuccess == true,
            readers[exchange.client] == nil
        {
            answers[exchange.client] = Hidden(
                number: exchange.number,
                tokens: tokens,
                before: exchange.access?.fingerprint
            )
        }
        return drafts
    }

    private mutating func find(
        _ exchange: ObservedExchange,
        _ known: Hidden,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        if exchange.request.presented.contains(where: { known.tokens.contains($0.fingerprint) }) {
            readers[exchange.client] = true
            answers[exchange.client] = nil
            return []
        }
        guard let source = traffic.exchange(known.number),
            traffic.isAfter(exchange, source.deliveredAt?.now)
        else { return [] }
        let presented = exchange.request.occurrences.filter { $0.role != .unknown }
        // The page has another token, or another way to one.
        let isOther = exchange.access.map { $0.fingerprint != known.before } ?? false
        if isOther && exchange.outcome == .accepted
            || traffic.family(of: exchange)?.generations.contains(where: { $0.refresh != nil })
                == true
        {
            answers[exchange.client] = nil
            return []
        }
        if exchange.outcome == .tokenRefused, let access = exchange.access?.fingerprint,
            access == known.before
        {
            let isPage = exchange.request.page != nil
            return [finding(source, [exchange], isPage ? .certain : .likely)]
        }
        guard exchange.status == 401, presented.isEmpty, !exchange.request.hasCredentials,
            !exchange.request.usesBasic
        else { return [] }
        var known = known
        known.refused.append(exchange.number)
        answers[exchange.client] = known
        guard known.refused.count >= Self.limit else { return [] }
        return [finding(source, known.refused.compactMap { traffic.exchange($0) }, .likely)]
    }

    private func finding(
        _ source: ObservedExchange,
        _ refused: [ObservedExchange],
        _ confidence: ObservedFinding.Confidence
    ) -> FindingDraft {
        let field = source.answer?.issued.first {
            source.answer?.hidden?.contains($0.fingerprint) ?? false
        }
        let how = refused.count > 1 ? "without a token" : "with the token before it"
        return FindingDraft(
            source,
            confidence: confidence,
            evidence: [source.evidence("brings a token in a field that the page cannot read")]
                + refused.suffix(ObservedFinding.evidenceLimit - 1).map {
                    $0.evidence("sent \(how), \($0.result)")
                },
            message: "#\(source.number) brings a token in \(field?.name ?? "a field"), which "
                + "Access-Control-Expose-Headers does not name, so that the page cannot read it: "
                + "#\(refused.last?.number ?? source.number) is sent \(how), and refused"
        )
    }
}
