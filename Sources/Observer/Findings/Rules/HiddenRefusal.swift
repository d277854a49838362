import Basics
import Model

extension FindingRule {
    static let hiddenRefusal = FindingRule(
        "hidden-refusal",
        .bug,
        summary: "A refusal lacks the CORS fields, so that the page takes it for a network error.",
        remedy: """
            Send Access-Control-Allow-Origin with answers of every status: let the server handle CORS \
            before it looks at tokens, and have gateways add it to their own errors (nginx: `add_header … \
            always`).
            """,
        references: ["source-academy/frontend#311", "axios/axios#4921", "angular/angular#20991"],
        watch: { HiddenRefusalWatch() }
    )
}

/// Watches for refusals that a page of another origin cannot read, where it could read other answers.
private struct HiddenRefusalWatch: FindingWatch {
    func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let exchange = fact.over(in: traffic), let what = Self.what(exchange),
            let readable = traffic.readableAnswer(besides: exchange)
        else { return [] }
        return [
            FindingDraft(
                exchange,
                confidence: exchange.request.page == nil ? .likely : .certain,
                evidence: [
                    readable.evidence("can be read by the page"),
                    exchange.evidence("refused, and cannot be read"),
                ],
                message:
                    "#\(exchange.number) refuses \(what) without Access-Control-Allow-Origin, which "
                    + "#\(readable.number) has for the page: its browser reports a network error, and "
                    + "the page does not learn of \(exchange.status ?? 0)"
            )
        ]
    }

    private static func what(_ exchange: ObservedExchange) -> String? {
        switch exchange.outcome {
        case .tokenRefused where exchange.answer?.isRedirect == false: "the access token"
        case .refreshRefused: "the refresh token"
        default: nil
        }
    }
}
