import Backend
import Basics
import HTTP

/// Serves one socket of a feed from its upgrade to its end.
///
/// It stores no messages, since the feed's log computes them, so that a slow client uses no memory.
struct ServedFeedSocket: Sendable {
    /// The end of the socket.
    private enum Ending: Sendable {
        /// Closed by the client, or by the end of the transport.
        case closed(WebSocketCloseReport)
        case close(FeedClose)
        /// Half-open from now on.
        case frozen
    }

    static let goodbye = FeedClose(code: 1001, reason: "the sandbox is closing")

    let connection: any ServedConnection
    let core: SandboxCore

    /// Serves the socket and returns when it is closed; if the caller is cancelled, closes it with
    /// 1001.
    func serve(_ ticket: FeedTicket) async {
        switch ticket.admission {
        case .closed(let close):
            _ = await connection.close(with: close)
        case .spoken: break
        case .open(let grant, let since):
            let opening = core.openFeed(grant, in: ticket.dialect, since: since)
            connection.opened(as: opening.id)
            let ending = await ending(of: opening, for: grant)
            await finish(opening.id, ending)
        }
    }

    /// Returns whichever ending happens first.
    private func ending(
        of opening: FeedRegister.Opening,
        for grant: AccessGrant
    ) async -> Ending {
        await withTaskGroup(of: Ending?.self) { group in
            group.addTask { await connection.closing().map { .closed($0) } }
            group.addTask { await send(opening) }
            group.addTask { await keepAlive() }
            group.addTask { await watchLag(of: opening) }
            group.addTask { await expire(grant) }
            group.addTask {
                for await close in opening.orders { return .close(close) }
                return nil
            }
            for await case let ending? in group {
                group.cancelAll()
                return ending
            }
            return .close(Self.goodbye)
        }
    }

    private func finish(_ socket: Int, _ ending: Ending) async {
        switch ending {
        case .closed(let report):
            recordEnd(report, of: socket)
        case .frozen:
            recordEnd(await endOfFrozen(), of: socket)
        case .close(let close):
            let report = await connection.close(with: close)
            let isOurs = report.initiator == .us
            core.recordClosed(
                socket,
                isOurs ? close : FeedClose(code: report.code, reason: report.reason),
                by: FeedSocketState.Closer(report.initiator)
            )
        }
    }

    private func recordEnd(_ report: WebSocketCloseReport, of socket: Int) {
        core.recordClosed(
            socket,
            FeedClose(code: report.code, reason: report.reason),
            by: FeedSocketState.Closer(report.initiator)
        )
    }

    /// Keeps the transport open without using it until the client or the caller closes it.
    private func endOfFrozen() async -> WebSocketCloseReport {
        await withTaskCancellationHandler {
            await connection.end()
        } onCancel: {
            connection.drop()
        }
    }

    private func keepAlive() async -> Ending? {
        guard let interval = connection.keepAlive else { return nil }
        do {
            while true {
                try await core.timekeeper.sleep(until: core.timekeeper.now + interval)
                try await connection.sendKeepAlive()
            }
        } catch {
            return nil
        }
    }

    /// Sends each message when it is due; those that are overdue at once.
    private func send(_ opening: FeedRegister.Opening) async -> Ending? {
        let feed = opening.feed
        var next = opening.start
        if let ending = ending(by: core.decision(at: .opened)) { return ending }
        while let due = feed.log.due(next) {
            do {
                try await core.timekeeper.sleep(until: feed.begun + .nanoseconds(due))
                while next <= feed.latest(at: core.timekeeper.now) {
                    // A send that does not suspend does not check for cancellation.
                    try Task.checkCancellation()
                    let decision = core.decision(at: .message)
                    if let ending = ending(by: decision) { return ending }
                    for _ in 0..<decision.copies {
                        try await connection.send(
                            feed.log.text(of: next),
                            numbered: next,
                            of: feed.log.user
                        )
                    }
                    core.recordSent(next, to: opening.id)
                    next += 1
                }
            } catch {
                return nil
            }
        }
        return nil
    }

    private func ending(by decision: FeedDecision) -> Ending? {
        guard decision.isFrozen else { return decision.close.map { .close($0) } }
        connection.freeze()
        return .frozen
    }

    /// The time by which a client is behind at least when it is put off, however many messages that
    /// are: on a busy machine, one that reads all the time may be behind for seconds.
    private static let leastLag: Int64 = 5_000_000_000

    /// Ends a socket that is too far behind, in messages and in time, and does not catch up.
    ///
    /// After a replay, or after the machine was suspended, every client is behind.
    private func watchLag(of opening: FeedRegister.Opening) async -> Ending? {
        let feed = opening.feed
        let limit = max(core.feed.maximumLag, 1)
        guard let due = feed.log.due(limit) else { return nil }
        let period = max(due, Self.leastLag)
        var before: (latest: Int64, lag: Int64)?
        while true {
            do {
                let now = core.timekeeper.now
                try await core.timekeeper.sleep(until: now + .nanoseconds(period))
            } catch {
                return nil
            }
            let sent = core.lastSent(to: opening.id) ?? opening.start - 1
            let latest = feed.latest(at: core.timekeeper.now)
            let lag = latest - sent
            if let before, lag > limit, sent < before.latest, lag >= before.lag {
                return .close(FeedClose(code: 1013, reason: "the client reads too slowly"))
            }
            before = (latest, lag)
        }
    }

    /// Ends a socket when its token expires, if the settings or a fault require it.
    private func expire(_ grant: AccessGrant) async -> Ending? {
        var grant = grant
        while true {
            let remaining = grant.expiresAt - core.now
            let deadline = core.timekeeper.now.advanced(bySeconds: remaining)
            do {
                try await core.timekeeper.sleep(until: deadline)
            } catch {
                return nil
            }
            guard let newest = connection.newestGrant, newest.expiresAt > grant.expiresAt else {
                break
            }
            grant = newest
        }
        if let close = core.decision(at: .expired).close { return .close(close) }
        guard case .close(let code) = core.feed.expiry else { return nil }
        return .close(FeedClose(code: code, reason: "the token has expired"))
    }
}

extension FeedSocketState.Closer {
    init(_ initiator: WebSocketCloseReport.Initiator) {
        switch initiator {
        case .us: self = .server
        case .peer: self = .client
        case .transport: self = .transport
        }
    }
}
