import Basics
import Model

extension FindingRule {
    static let feedGap = FindingRule(
        "feed-gap",
        .risk,
        summary: "Messages are missing between a socket and the next.",
        remedy: "Resume with the number of the last message, or load what was missed.",
        references: ["aws-samples/remote-swe-agents#447", "ably/docs#837"],
        watch: { FeedGapWatch() }
    )
}

private struct FeedGapWatch: FindingWatch {
    private struct Place: Hashable, Sendable {
        let family: Int
        let template: String

        init?(_ socket: ObservedExchange) {
            guard let family = socket.family else { return nil }
            self.family = family
            template = socket.request.template
        }
    }

    /// The numbers of a socket's messages.
    private struct Count: Sendable {
        var last: Int64
        /// The number of times that a number followed the one before it.
        var steps = 0
        var isBroken = false
    }

    /// Steps after which a number is one that counts messages.
    private static let leastSteps = 20

    private var counts = RecentMap<Int, Count>(limit: 128)
    /// The highest number that any socket of a place has brought.
    private var newest = RecentMap<Place, Int64>(limit: 128)
    /// The last number of the socket that was closed last, and that socket.
    private var ends = RecentMap<Place, (socket: Int, last: Int64)>(limit: 128)

    mutating func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        switch fact {
        case .socketMessage(let number, let message):
            guard message.from == .backend, let value = message.number,
                let socket = traffic.exchange(number)
            else { return [] }
            return count(value, of: socket, traffic)
        case .socketClosed(let number, _):
            guard let socket = traffic.exchange(number), let place = Place(socket),
                let count = counts[number], !count.isBroken, count.steps >= Self.leastSteps
            else { return [] }
            ends[place] = (number, count.last)
            return []
        case .started, .over, .delivered, .time: return []
        }
    }

    private mutating func count(
        _ value: Int64,
        of socket: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        defer { recordNewest(value, of: socket) }
        guard var known = counts[socket.number] else {
            counts[socket.number] = Count(last: value)
            return gap(before: value, of: socket, traffic)
        }
        if value == known.last &+ 1 {
            known.steps += 1
        } else if value != known.last {
            known.isBroken = true
        }
        known.last = max(known.last, value)
        counts[socket.number] = known
        return []
    }

    private mutating func recordNewest(_ value: Int64, of socket: ObservedExchange) {
        guard let place = Place(socket), value > newest[place] ?? .min else { return }
        newest[place] = value
    }

    private mutating func gap(
        before value: Int64,
        of socket: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        guard let place = Place(socket), let end = ends[place],
            let before = traffic.exchange(end.socket)
        else { return [] }
        ends[place] = nil
        // Another socket has brought more since.
        guard newest[place].map({ $0 <= end.last }) ?? true else { return [] }
        let (steps, overflow) = value.subtractingReportingOverflow(end.last)
        guard !overflow, steps > 1 else { return [] }
        let missing = steps - 1
        return [
            FindingDraft(
                socket,
                evidence: [
                    before.evidence("socket whose last message was \(end.last)"),
                    socket.evidence("socket whose first message is \(value)"),
                ],
                message: "\(missing) messages are missing between socket #\(before.number) and "
                    + "socket #\(socket.number)"
            )
        ]
    }
}
