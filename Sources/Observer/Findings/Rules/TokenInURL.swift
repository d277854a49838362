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
        if let exchange = fact.over(in: traffic) { return refresh(exchange, traffic) }
        guard let exchange = fact.started(in: traffic) else { return [] }
        for occurrence in exchange.request.occurrences
        where occurrence.place == .query || occurrence.place == .path {
            let isInPath = occurrence.place == .path
            let node = traffic.graph.node(occurrence.fingerprint)
            let severity: ObservedFinding.Severity
            let what: String
            if isRefresh(occurrence, traffic) {
                continue
            } else if node?.isAuxiliary == false, exchange.purpose == .protected || isInPath {
                (severity, what) = (.risk, "an access token")
            } else if node?.isAuxiliary == false, exchange.purpose.isSocket,
                exchange.request.client.origin != nil
            {
                // A browser cannot set a header for it.
                (severity, what) = (.note, "the access token of a socket")
            } else {
                continue
            }
            var draft = Self.draft(exchange, occurrence, what)
            draft.variant = exchange.purpose.isSocket ? "socket" : nil
            draft.severity = severity
            return [draft]
        }
        return []
    }

    private func isRefresh(_ occurrence: TokenOccurrence, _ traffic: ObservedTraffic) -> Bool {
        let node = traffic.graph.node(occurrence.fingerprint)
        return node?.role == .refresh || (node == nil && occurrence.role == .refresh)
    }

    /// A refresh token in a URL is judged by the answer: where the backend takes it in no other place,
    /// that is its protocol, and no mistake of the app.
    private func refresh(
        _ exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        let occurrence = exchange.request.occurrences.first {
            ($0.place == .query || $0.place == .path) && isRefresh($0, traffic)
        }
        guard let occurrence else { return [] }
        var draft = Self.draft(exchange, occurrence, "a refresh token")
        draft.variant = "refresh"
        let isAccepted =
            exchange.outcome == .issued || exchange.outcome == .loggedOut
            || takes(exchange, in: occurrence.place, traffic)
        if takes(exchange, in: .body, traffic) {
            draft.severity = .bug
        } else if isAccepted, exchange.request.method == "GET" || occurrence.place == .path {
            draft.message += ", where the backend takes it"
        } else {
            draft.severity = .bug
            draft.confidence = .likely
            draft.message += ", unless the backend takes it in no other place"
        }
        return [draft]
    }

    /// Whether the endpoint was seen to take a refresh token in a place.
    private func takes(
        _ exchange: ObservedExchange,
        in place: FoundToken.Place,
        _ traffic: ObservedTraffic
    ) -> Bool {
        traffic.newestFirst.prefix(Self.depth).contains { other in
            other.outcome == .issued && other.request.origin == exchange.request.origin
                && other.request.template == exchange.request.template
                && other.request.occurrences.contains {
                    $0.place == place && $0.fingerprint == other.refresh
                }
        }
    }

    private static let depth = 1_024

    private static func draft(
        _ exchange: ObservedExchange,
        _ occurrence: TokenOccurrence,
        _ what: String
    ) -> FindingDraft {
        let isInPath = occurrence.place == .path
        let place = isInPath ? "in the path" : "in the parameter “\(occurrence.name)”"
        return FindingDraft(
            exchange,
            evidence: [exchange.evidence("\(what) \(place)")],
            message: "#\(exchange.number) has \(what) in its URL, \(place)"
        )
    }
}
