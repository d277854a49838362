import Basics
import Model

extension FindingRule {
    static let socketNotBack = FindingRule(
        "socket-not-back",
        .bug,
        summary: "A socket was closed, and the app does not dial again.",
        remedy: "Dial again after every end that the app did not choose, with growing waits.",
        references: ["duplicati/ngclient#283", "wireapp/wire-webapp#21612"],
        watch: { SocketNotBackWatch() }
    )
}

private struct SocketNotBackWatch: FindingWatch {
    private struct Loss: Sendable {
        let at: Instant
        /// When its client last sent a request.
        var activeAt: Instant?

        var deadline: Instant { at.advanced(bySeconds: SocketNotBackWatch.timeout) }
    }

    static let timeout = 60.0
    /// The close codes of an orderly end.
    private static let orderly: Set = [1000]

    private var losses = RecentMap<Int, Loss>(limit: 64)

    var nextDeadline: Instant? { losses.all.map(\.value.deadline).min() }

    mutating func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        switch fact {
        case .socketClosed(let number, let end):
            guard end.by == .backend, !Self.orderly.contains(end.code ?? 1006),
                let socket = traffic.exchange(number),
                let family = traffic.family(of: socket), family.end == nil,
                !hasOther(than: socket, traffic)
            else { return [] }
            losses[number] = Loss(at: moment.now)
            return []
        case .started(let number):
            if let exchange = traffic.exchange(number) { follow(exchange, traffic) }
            return []
        case .time: return giveUp(traffic, at: moment)
        case .over, .delivered, .socketMessage: return []
        }
    }

    /// Whether the client has another socket of the kind open.
    private func hasOther(than socket: ObservedExchange, _ traffic: ObservedTraffic) -> Bool {
        traffic.newestFirst.prefix(512).contains {
            $0.number != socket.number && $0.openedAt != nil && $0.closedAt == nil
                && $0.client == socket.client && $0.request.template == socket.request.template
        }
    }

    private mutating func follow(_ exchange: ObservedExchange, _ traffic: ObservedTraffic) {
        for (number, loss) in losses.all where exchange.startedAt.now > loss.at {
            guard let socket = traffic.exchange(number), socket.client == exchange.client else {
                continue
            }
            let isBack =
                exchange.purpose.isSocket
                && exchange.request.template == socket.request.template
            if isBack || exchange.purpose == .logout {
                losses[number] = nil
            } else {
                losses[number]?.activeAt = exchange.startedAt.now
            }
        }
    }

    private mutating func giveUp(
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        losses.all.compactMap { number, loss in
            guard loss.deadline <= moment.now else { return nil }
            losses[number] = nil
            // A client that is gone needs no socket.
            guard let activeAt = loss.activeAt,
                activeAt.seconds(since: loss.at) > Self.timeout / 2,
                let socket = traffic.exchange(number),
                traffic.family(of: socket)?.end == nil
            else { return nil }
            return FindingDraft(
                socket,
                confidence: .likely,
                evidence: [socket.evidence("socket that the backend closed")],
                message: "socket #\(number) was closed, and the app went on for a minute without "
                    + "dialing again"
            )
        }
    }
}
