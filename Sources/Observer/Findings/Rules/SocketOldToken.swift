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
    private var rhythms = RecentMap<Int, MessageRhythm>(limit: 256)

    var nextDeadline: Instant? {
        (deadlines.all.map(\.value) + rhythms.all.compactMap(\.value.silentAt)).min()
    }

    /// The rhythm of the messages of a backend over a socket.
    private struct MessageRhythm: Sendable {
        var count = 0
        var last: Instant
        /// In seconds.
        var longestGap = 0.0
        /// When it will have been silent for long since the end of its token, or `nil` if that is
        /// unknown, or the messages came too seldom to tell.
        var silentAt: Instant?
    }

    /// The number of messages from which on their rhythm is known.
    private static let rhythmCount = 6

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
        case .socketMessage(let number, let message):
            if message.from == .backend, let socket = traffic.exchange(number) {
                recordMessage(socket, traffic, at: moment.now)
            }
            return []
        case .socketClosed(let number, _):
            deadlines[number] = nil
            rhythms[number] = nil
            return []
        case .time:
            let old = deadlines.all.compactMap { number, deadline -> FindingDraft? in
                guard deadline <= moment.now else { return nil }
                deadlines[number] = nil
                return traffic.exchange(number).flatMap { draft(of: $0, traffic, at: moment) }
            }
            let silent = rhythms.all.compactMap { number, rhythm -> FindingDraft? in
                guard let silentAt = rhythm.silentAt, silentAt <= moment.now else { return nil }
                rhythms[number] = nil
                return traffic.exchange(number)
                    .flatMap { silence(of: $0, rhythm, traffic, at: moment) }
            }
            return old + silent
        case .started, .over: return []
        }
    }

    private mutating func recordMessage(
        _ socket: ObservedExchange,
        _ traffic: ObservedTraffic,
        at now: Instant
    ) {
        var rhythm = rhythms[socket.number] ?? MessageRhythm(last: now)
        rhythm.count += 1
        rhythm.longestGap = max(rhythm.longestGap, now.seconds(since: rhythm.last))
        rhythm.last = now
        let deadline = traffic.accessDeadline(of: socket)
        rhythm.silentAt = nil
        if rhythm.count >= Self.rhythmCount, let deadline, !deadline.expiry.isAssumed {
            let wait = max(Self.timeout, 5 * rhythm.longestGap)
            rhythm.silentAt = max(deadline.statedEnd, now).advanced(bySeconds: wait)
        }
        rhythms[socket.number] = rhythm
    }

    /// A socket that brought messages as long as its token lived, and none since.
    private func silence(
        of socket: ObservedExchange,
        _ rhythm: MessageRhythm,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> FindingDraft? {
        guard isOpen(socket), let family = traffic.family(of: socket), family.end == nil,
            let deadline = traffic.accessDeadline(of: socket)
        else { return nil }
        // The last message came when the token ended, give or take the gap between two.
        let slack = 2 * rhythm.longestGap + 2 + deadline.expiry.skewWidth
        guard abs(rhythm.last.seconds(since: deadline.statedEnd)) <= slack else { return nil }
        return FindingDraft(
            socket,
            variant: "silent",
            severity: .risk,
            confidence: .likely,
            evidence: [socket.evidence("open socket, without a message since its token has ended")],
            message: "socket #\(socket.number) has brought nothing for "
                + "\(moment.now.seconds(since: rhythm.last).duration), since its access token has ended; "
                + "before, no gap was longer than \(rhythm.longestGap.durationUp)"
        )
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
