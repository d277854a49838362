import Dialects
import Timekeeping

/// One socket of the feed, from its dial to its close.
struct FeedSocket: Sendable, Hashable {
    let number: Int
    var generation: Int
    let dialedAt: Instant
    /// Whether the dial requested the messages after the last one applied.
    let isResumed: Bool
    var openedAt: Instant?
    var lastInboundAt: Instant?
    var pingedAt: Instant?
    var pongLimit = FeedPolicy.pongLimit
    var firstSeq: Int64?
    var lastSeq: Int64?
    var isClosing = false
    /// Whether its messages are requested again on the next socket, with those that precede them.
    var isAbandoned = false

    var isOpen: Bool { openedAt != nil && !isClosing }

    /// When a ping is due or, after a ping, when its pong is overdue.
    var nextCheck: Instant? {
        guard isOpen, let last = lastInboundAt ?? openedAt else { return nil }
        if let pingedAt { return pingedAt.advanced(bySeconds: pongLimit) }
        return last.advanced(bySeconds: FeedPolicy.silence)
    }
}

/// Liveness: a silent socket is pinged, and closed if it does not answer.
extension FeedMachine {
    /// Pings a silent socket, or closes it if it has not answered a ping.
    mutating func checkLiveness(of socket: FeedSocket?) -> FeedSocket? {
        guard var socket, let check = socket.nextCheck, check <= now else { return socket }
        if socket.pingedAt == nil {
            socket.pingedAt = now
            socket.pongLimit = FeedPolicy.pongLimit
            perform(.ping(socket: socket.number))
            return socket
        }
        perform(.close(socket: socket.number, code: 1001))
        socket.isClosing = true
        return socket
    }

    mutating func checkAfterWake() {
        for keyPath in [\FeedMachine.primary, \FeedMachine.successor] {
            guard let socket = self[keyPath: keyPath], socket.isOpen else { continue }
            var pinged = socket
            pinged.pingedAt = now
            pinged.pongLimit = FeedPolicy.pongLimitAfterWake
            self[keyPath: keyPath] = pinged
            perform(.ping(socket: socket.number))
        }
    }

    mutating func pongReceived(_ number: Int) {
        guard let pingedAt = socket(number)?.pingedAt else { return }
        emit(.ping(socket: number, roundTrip: now - pingedAt))
        noteInbound(number)
    }

    /// Resets the liveness check: every inbound frame shows that the socket works.
    mutating func noteInbound(_ number: Int) {
        if primary?.number == number {
            primary?.lastInboundAt = now
            primary?.pingedAt = nil
        }
        if successor?.number == number {
            successor?.lastInboundAt = now
            successor?.pingedAt = nil
        }
    }
}
