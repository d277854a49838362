import Basics
import Model

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
    /// The tolerated difference between two clocks, in seconds.
    private static let tolerance = 2.0

    /// The way in which a socket gave its token.
    private struct Presentation: Sendable {
        let at: Instant
        let way: String
    }

    private var presented = RecentMap<Int, Presentation>(limit: 256)
    private var refused = RecentMap<Fingerprint, [Int]>(limit: 128)
    /// The sockets that gave a token in a message, with the time until which it may be refused.
    private var pending = RecentMap<Int, Instant>(limit: 256)

    var nextDeadline: Instant? { pending.all.map(\.value).min() }

    mutating func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        switch fact {
        case .over(let number):
            guard let exchange = traffic.exchange(number), exchange.purpose.isSocket,
                exchange.access != nil, exchange.outcome != .notSent
            else { return [] }
            presented[number] = Presentation(at: exchange.startedAt.now, way: "dials with")
            let isRefused = exchange.status == 401 || exchange.status == 403
            return judge(exchange, isRefused: isRefused, exchange.result, traffic)
        case .socketMessage(let number, let message) where message.from == .backend:
            guard message.refusesToken == true, presented[number] != nil,
                let exchange = traffic.exchange(number)
            else { return [] }
            pending[number] = nil
            return judge(exchange, isRefused: true, "refused in a message", traffic)
        case .socketMessage(let number, let message):
            guard message.from == .app, let exchange = traffic.exchange(number),
                let access = exchange.access?.fingerprint,
                message.occurrences.contains(where: { $0.fingerprint == access })
            else { return [] }
            presented[number] = Presentation(at: moment.now, way: "sends, in a message,")
            // The backend has some time to refuse it.
            pending[number] = moment.now.advanced(bySeconds: ObservationMachine.refusalTime)
            return []
        case .socketClosed(let number, let end):
            guard let exchange = traffic.exchange(number), let presentation = presented[number]
            else { return [] }
            let wasPending = pending[number] != nil
            pending[number] = nil
            guard end.by == .backend, let code = end.code,
                end.refusesToken == true || FeedPolicy.verdict(code: code) == .tokenRejected,
                moment.now.seconds(since: presentation.at) <= ObservationMachine.refusalTime
            else { return wasPending ? accept(exchange, traffic) : [] }
            // Other backends may use the code for something else.
            let isUsual = FeedPolicy.verdict(code: code) == .tokenRejected
            return judge(exchange, isRefused: true, "closed with \(code)", traffic).map { draft in
                var draft = draft
                if !isUsual { draft.confidence = .likely }
                return draft
            }
        case .time:
            return pending.all.filter { $0.value <= moment.now }.flatMap { number, _ in
                pending[number] = nil
                return traffic.exchange(number).map { accept($0, traffic) } ?? []
            }
        case .started, .delivered: return []
        }
    }

    private mutating func accept(
        _ exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        judge(exchange, isRefused: false, "not refused", traffic)
    }

    private mutating func judge(
        _ exchange: ObservedExchange,
        isRefused: Bool,
        _ result: String,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        guard let access = exchange.access?.fingerprint,
            let presentation = presented[exchange.number]
        else { return [] }
        if isRefused, let loop = loop(exchange, access, traffic) { return [loop] }
        if let newer = traffic.storedGeneration(newerThan: exchange),
            let source = traffic.exchange(newer.exchange)
        {
            return [
                FindingDraft(
                    exchange,
                    evidence: [
                        source.evidence("brought a newer access token"),
                        exchange.evidence("\(presentation.way) the old one, \(result)"),
                    ],
                    message: "#\(exchange.number) \(presentation.way) the access token of "
                        + "generation \(exchange.generation ?? 0) after #\(source.number) has "
                        + "brought generation \(newer.number): \(result)"
                )
            ]
        }
        guard let deadline = traffic.accessDeadline(of: exchange), !deadline.expiry.isAssumed
        else { return [] }
        let late = presentation.at.seconds(since: deadline.statedEnd)
        guard late > Self.tolerance + deadline.expiry.skewWidth else { return [] }
        return [
            FindingDraft(
                exchange,
                variant: "expired",
                severity: isRefused ? .bug : .risk,
                evidence: [
                    exchange.evidence("\(presentation.way) an expired access token, \(result)")
                ],
                message: "#\(exchange.number) \(presentation.way) an access token that ended "
                    + "\(late.duration) before: \(result)"
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
