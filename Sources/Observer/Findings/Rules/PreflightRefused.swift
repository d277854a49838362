import Basics
import Model

extension FindingRule {
    static let preflightRefused = FindingRule(
        "preflight-refused",
        .risk,
        summary: "A browser's preflight is refused, so that its request is never sent.",
        remedy: """
            Answer OPTIONS with 204 before anything asks for a token, which browsers do not send with it \
            (Fetch, section 4.8).
            """,
        watch: { PreflightRefusedWatch() }
    )
}

/// Watches for preflights without a successful answer, which every browser takes for a network error.
private struct PreflightRefusedWatch: FindingWatch {
    func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let exchange = fact.over(in: traffic), exchange.purpose == .preflight,
            exchange.request.isForToken != false, let answer = exchange.answer,
            answer.corsAddedFor == nil,
            [401, 403].contains(answer.status) || answer.isRedirect
        else { return [] }
        return [
            FindingDraft(
                exchange,
                evidence: [exchange.evidence("preflight, \(exchange.result)")],
                message: "the preflight #\(exchange.number) for \(exchange.request.template) was "
                    + "\(exchange.result): the browser does not send the request itself"
            )
        ]
    }
}
