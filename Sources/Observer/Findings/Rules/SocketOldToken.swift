import Basics
import Model

extension FindingRule {
    static let socketOldToken = FindingRule(
        "socket-old-token",
        .note,
        summary: "A socket stays open on a token that was replaced.",
        remedy: """
            Dial again after a renewal, or present the new token on the open socket, if the \
            backend does not keep sockets on purpose.
            """,
        references: ["mcdonc/klangk#3160"],
        watch: { SocketOldTokenWatch() }
    )
}

private struct SocketOldTokenWatch: FindingWatch {
    static let timeout = 30.0

    /// When sockets have had an old token for long, by their numbers.
    private var deadlines = RecentMap<Int, Instant>(limit: 256)

    var nextDeadline: Instant? { deadlines.all.map(\.value).min() }

    mutating func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        switch fact {
        case .delivered(let number):
            guard let renewal = traffic.exchange(number), renewal.issuedGeneration != nil,
                renewal.purpose == .refresh, renewal.isDelivered
            else { return [] }
            for socket in traffic.newestFirst.prefix(512)
            where isOpen(socket) && socket.family == renewal.family
                && socket.client == renewal.client && deadlines[socket.number] == nil
            {
                deadlines[socket.number] = moment.now.advanced(bySeconds: Self.timeout)
            }
            return []
        case .socketClosed(let number, _):
            deadlines[number] = nil
            return []
        case .time:
            return deadlines.all.compactMap { number, deadline in
                guard deadline <= moment.now else { return nil }
                deadlines[number] = nil
                return traffic.exchange(number).flatMap { draft(of: $0, traffic, at: moment) }
            }
        case .started, .over, .socketMessage: return []
        }
    }

    private func isOpen(_ exchange: ObservedExchange) -> Bool {
        exchange.purpose == .socket && exchange.openedAt != nil && exchange.closedAt == nil
    }

    private func draft(
        of socket: ObservedExchange,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> FindingDraft? {
        guard isOpen(socket), let family = traffic.family(of: socket), family.end == nil,
            let used = socket.generation, used < family.newest,
            let newest = family.newestGeneration, let source = traffic.exchange(newest.exchange)
        else { return nil }
        let isOver = traffic.accessDeadline(of: socket).map { $0.statedEnd < moment.now } ?? false
        return FindingDraft(
            socket,
            severity: isOver ? .risk : .note,
            evidence: [
                socket.evidence("socket that was opened with generation \(used)"),
                source.evidence("brought generation \(newest.number)"),
            ],
            message: "socket #\(socket.number) is open on the access token of generation \(used), "
                + (isOver ? "which has ended" : "which was replaced")
        )
    }
}
