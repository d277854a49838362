import Basics

/// The sockets of the feed, and their ends.
extension CheckMachine {
    /// The codes that a network, a proxy or a new deployment causes as well (RFC 6455 section 7.4).
    private static let ambiguousCodes: Set<Int> = [1001, 1005, 1006, 1011, 1012, 1013, 1014]

    /// Begins to watch the socket that a step of a probe session has opened.
    mutating func watch(
        _ step: Int,
        after occasion: FeedOccasion,
        sequence: Int,
        probeSession: Int,
        at now: Moment
    ) {
        guard let socket = groups[0][sequence].probeSessions?[probeSession].sockets[step] else {
            groups[0][sequence].probeSessions?[probeSession].phase = .failed(.notPossible)
            return
        }
        groups[0][sequence].probeSessions?[probeSession].results.append([])
        groups[0][sequence].probeSessions?[probeSession].phase = .watching(
            SocketWatch(socket: socket, step: step, occasion: occasion, since: now)
        )
    }

    /// When the next socket has been watched long enough.
    var nextWatchEnd: Instant? {
        (groups.first ?? []).flatMap { $0.probeSessions ?? [] }.compactMap(\.watch?.end).min()
    }

    /// Goes on with the probe sessions whose socket is closed, or has been watched long enough.
    mutating func endWatches(at now: Moment) {
        for (sequence, probeSessions) in (groups.first ?? []).map({ $0.probeSessions ?? [] })
            .enumerated()
        {
            for probeSession in probeSessions {
                guard let watch = probeSession.watch else { continue }
                let end = sockets[watch.socket]?.end
                guard end != nil || now.now >= watch.end else { continue }
                finish(watch, of: probeSession, sequence: sequence, end, at: now)
            }
        }
    }

    private mutating func finish(
        _ watch: SocketWatch,
        of probeSession: ProbeSession,
        sequence: Int,
        _ end: OpenedSocket.End?,
        at now: Moment
    ) {
        guard let name = groups[0][sequence].probes.first else { return }
        var probeSession = probeSession
        var outcome = ExchangeOutcome.accepted
        if let end {
            let isAmbiguous =
                Self.ambiguousCodes.contains(end.code)
                && !probeSession.cuts.contains(watch.occasion)
            outcome = isAmbiguous ? .unclear(.cut(code: end.code)) : .closed(code: end.code)
            probeSession.cuts.insert(watch.occasion)
        }
        let place = probeSession.results.count - 1
        let exchange = CheckExchange(
            number: record.exchanges.count + 1,
            probe: name,
            probeSession: probeSession.number,
            attempt: probeSession.attempt,
            action: .watch(step: watch.step, watch.occasion),
            sentAt: seconds(watch.since),
            endedAt: seconds(end?.at ?? now),
            status: nil,
            outcome: outcome
        )
        record.exchanges.append(exchange)
        probeSession.results[place].append(exchange)
        probeSession.phase = .ready
        if case .unclear(let answer) = outcome {
            recover(&probeSession, from: answer, at: place, of: exchange.action, now)
        }
        groups[0][sequence].probeSessions?[probeSession.number] = probeSession
    }

    /// Takes over the sockets of a probe session, by their steps.
    mutating func release(_ sockets: [Int: Int]) {
        unneededSockets += sockets.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Returns the effects that close what no probe needs any more.
    mutating func closings() -> [CheckEffect] {
        defer { unneededSockets = [] }
        return unneededSockets.compactMap { number in
            guard let socket = sockets.removeValue(forKey: number), socket.end == nil else {
                return nil
            }
            return .close(socket: number)
        }
    }
}

extension ProbeSession {
    fileprivate var watch: SocketWatch? {
        if case .watching(let watch) = phase { watch } else { nil }
    }
}
