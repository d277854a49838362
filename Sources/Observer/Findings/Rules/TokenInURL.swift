import Basics
import Model
import Profiles

extension FindingRule {
    static let tokenInURL = FindingRule(
        "token-in-url",
        .risk,
        summary: "A URL contains a token, which logs and histories keep.",
        remedy: """
            Send tokens in a header or a body; give a browser's socket a ticket that is good once.
            """,
        references: [
            "duplicati/duplicati#5550", "bitwarden/clients#4290", "Azure/azure-signalr#1770",
        ],
        watch: { TokenInURLWatch() }
    )
}

private struct TokenInURLWatch: FindingWatch {
    func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let exchange = fact.started(in: traffic) else { return [] }
        for occurrence in exchange.request.sightings
        where occurrence.place == .query || occurrence.place == .path {
            let isInPath = occurrence.place == .path
            let node = traffic.graph.node(occurrence.fingerprint)
            let isRefresh = node?.role == .refresh || (node == nil && occurrence.role == .refresh)
            let severity: ObservedFinding.Severity
            let what: String
            if isRefresh {
                (severity, what) = (.bug, "a refresh token")
            } else if node?.isAuxiliary == false, exchange.purpose == .protected || isInPath {
                (severity, what) = (.risk, "an access token")
            } else if node?.isAuxiliary == false, exchange.purpose.isSocket,
                exchange.client.origin != nil
            {
                // A browser cannot set a header for it.
                (severity, what) = (.note, "the access token of a socket")
            } else {
                continue
            }
            return [
                FindingDraft(
                    exchange,
                    variant: isRefresh ? "refresh" : exchange.purpose.isSocket ? "socket" : nil,
                    severity: severity,
                    evidence: [
                        exchange.evidence(
                            isInPath
                                ? "\(what) in the path"
                                : "\(what) in the parameter \(occurrence.name)"
                        )
                    ],
                    message: "#\(exchange.number) has \(what) in its URL, "
                        + (isInPath ? "as a part of the path" : "as \(occurrence.name)")
                )
            ]
        }
        return []
    }
}
