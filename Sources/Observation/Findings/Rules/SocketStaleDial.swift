import Lifecycle
import Timekeeping
import Tokens

extension FindingRule {
    static let socketStaleDial = FindingRule(
        "socket-stale-dial",
        .bug,
        summary: "A socket is dialed with a token that has ended or was replaced.",
        remedy: """
            Build the URL or the header at each dial from the store; on 401 or 403 renew once, \
            then dial.
            """,
        references: [
            "AntaresSimulatorTeam/AntaREST#604", "hypothesis/client#3837",
            "kubestellar/console#3897", "Yaffle/EventSource#137", "vi/websocat#304",
        ],
        watch: { SocketStaleDialWatch() }
    )
}

private struct SocketStaleDialWatch: FindingWatch {
    private static let loopLimit = 5
    private static let loopWindow = 30.0
    /// What two clocks may differ by, in seconds.
    private static let tolerance = 2.0

    private var refused = RecentMap<Fingerprint, [Int]>(limit: 128)

    mutating func note(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let exchange = fact.over(in: traffic), exchange.purpose.isSocket,
            let access = exchange.access?.fingerprint, exchange.outcome != .notSent
        else { return [] }
        let isRefused = exchange.status == 401 || exchange.status == 403
        if isRefused, let loop = loop(exchange, access, traffic) { return [loop] }
        if let newer = traffic.newerGeneration(than: exchange),
            traffic.isStored(newer, before: exchange),
            let source = traffic.exchange(newer.exchange)
        {
            return [
                FindingDraft(
                    exchange,
                    evidence: [
                        source.evidence("brought a newer access token"),
                        exchange.evidence("dial with the old one, \(exchange.result)"),
                    ],
                    message: "#\(exchange.number) dials with the access token of generation "
                        + "\(exchange.generation ?? 0) after #\(source.number) has brought "
                        + "generation \(newer.number): \(exchange.result)"
                )
            ]
        }
        guard let deadline = traffic.accessDeadline(of: exchange), !deadline.expiry.isAssumed
        else { return [] }
        let late = exchange.startedAt.now.seconds(since: deadline.statedEnd)
        guard late > Self.tolerance + deadline.expiry.skewWidth else { return [] }
        return [
            FindingDraft(
                exchange,
                variant: "expired",
                severity: isRefused ? .bug : .risk,
                evidence: [
                    exchange.evidence("dial with an expired access token, \(exchange.result)")
                ],
                message: "#\(exchange.number) dials with an access token that ended "
                    + "\(late.whole) s before: \(exchange.result)"
            )
        ]
    }

    private mutating func loop(
        _ exchange: ObservedExchange,
        _ access: Fingerprint,
        _ traffic: ObservedTraffic
    ) -> FindingDraft? {
        var numbers = refused[access] ?? []
        numbers = numbers.filter { number in
            guard let other = traffic.exchange(number) else { return false }
            return exchange.startedAt.now.seconds(since: other.startedAt.now) <= Self.loopWindow
        }
        numbers.append(exchange.number)
        refused[access] = Array(numbers.suffix(ObservedFinding.evidenceLimit))
        guard numbers.count >= Self.loopLimit else { return nil }
        var draft = FindingDraft(
            exchange,
            variant: "socket-loop",
            evidence: numbers.suffix(ObservedFinding.evidenceLimit).map {
                FindingEvidence(.exchange($0), "dial refused, same access token")
            },
            message: "\(numbers.count) dials within 30 s with one access token, each refused"
        )
        draft.occurrence = numbers.first ?? exchange.number
        return draft
    }
}
