import Backend
import Timekeeping
import WebSockets

/// Serves one socket of a feed from its upgrade to its end.
///
/// It holds no messages: the feed's log says what each is, so that a slow client costs nothing.
struct FeedSocket: Sendable {
    /// How the socket came to its end.
    private enum Ending: Sendable {
        /// By the client, or the transport.
        case closed(WebSocketCloseReport)
        case close(FeedClose)
    }

    private static let goodbye = FeedClose(code: 1001, reason: "the sandbox is closing")

    let connection: WebSocketConnection
    let core: SandboxCore

    /// Returns when the socket is closed; a cancelled caller closes it with 1001.
    func serve(_ ticket: FeedTicket) async {
        switch ticket.admission {
        case .closed(let close):
            await connection.close(code: close.code, reason: close.reason)
        case .open(let grant, let since):
            let opening = core.openFeed(grant, in: ticket.dialect, since: since)
            let ending = await ending(of: opening, for: grant)
            await finish(opening.id, ending)
        }
    }

    /// Whatever comes first.
    private func ending(
        of opening: FeedRegister.Opening,
        for grant: AccessGrant
    ) async -> Ending {
        await withTaskGroup(of: Ending?.self) { group in
            group.addTask { await readUntilClosed() }
            group.addTask { await send(opening) }
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
            core.noteClosed(
                socket,
                FeedClose(code: report.code, reason: report.reason),
                by: FeedSocketState.Closer(report.initiator)
            )
        case .close(let close):
            let report = await connection.close(code: close.code, reason: close.reason)
            let isOurs = report.initiator == .us
            core.noteClosed(
                socket,
                isOurs ? close : FeedClose(code: report.code, reason: report.reason),
                by: FeedSocketState.Closer(report.initiator)
            )
        }
    }

    /// What the client says is not the feed's concern, but it has to be read.
    private func readUntilClosed() async -> Ending? {
        for await event in connection.events {
            if case .closed(let report) = event { return .closed(report) }
        }
        return nil
    }

    /// Sends each message when it is due, and at once what is due already.
    private func send(_ opening: FeedRegister.Opening) async -> Ending? {
        let line = opening.line
        var next = opening.start
        while let due = line.log.due(next) {
            do {
                try await core.timekeeper.sleep(until: line.begun + .nanoseconds(due))
                while next <= line.latest(at: core.timekeeper.now) {
                    // A send that does not have to wait does not notice.
                    try Task.checkCancellation()
                    try await connection.send(text: line.log.text(of: next))
                    core.noteSent(next, to: opening.id)
                    next += 1
                }
            } catch {
                return nil
            }
        }
        return nil
    }

    /// Ends a socket that is too far behind, and still is when as many messages again are due.
    ///
    /// Once is no reason: after a replay, or on a machine that slept, every client is behind.
    private func watchLag(of opening: FeedRegister.Opening) async -> Ending? {
        let line = opening.line
        let limit = max(core.feed.maximumLag, 1)
        guard let period = line.log.due(limit) else { return nil }
        var wasBehind = false
        while true {
            do {
                let now = core.timekeeper.now
                try await core.timekeeper.sleep(until: now + .nanoseconds(period))
            } catch {
                return nil
            }
            let sent = core.lastSent(to: opening.id) ?? opening.start - 1
            let isBehind = line.latest(at: core.timekeeper.now) - sent > limit
            if isBehind, wasBehind {
                return .close(FeedClose(code: 1013, reason: "the client reads too slowly"))
            }
            wasBehind = isBehind
        }
    }

    /// Ends a socket with its token, where the feed is set to.
    private func expire(_ grant: AccessGrant) async -> Ending? {
        guard case .close(let code) = core.feed.expiry else { return nil }
        let remaining = grant.expiresAt - core.now
        let deadline = core.timekeeper.now.advanced(bySeconds: remaining)
        do {
            try await core.timekeeper.sleep(until: deadline)
        } catch {
            return nil
        }
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
