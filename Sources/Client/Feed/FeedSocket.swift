import Basics
import Model
import Profiles

/// One socket of the feed, from its dial to its close.
struct FeedSocket: Sendable, Hashable {
    let number: Int
    var generation: Int
    let dialedAt: Instant
    /// Whether it can be pinged.
    let isPinged: Bool
    /// Whether the dial requested the messages after the last one applied.
    let isResumed: Bool
    /// When its upgrade succeeded.
    var connectedAt: Instant?
    /// When it counted as open: once the server has acknowledged what the profile expects it to.
    var openedAt: Instant?
    var talk: FeedTalk
    /// The number of messages and control frames, and the time of the last one.
    var messages = 0
    var lastMessageAt: Instant?
    /// When the last ping was sent.
    var pingedAt: Instant?
    var isPongOutstanding = false
    /// When the socket is lost, unless a frame arrives before.
    var lostAt: Instant?
    var firstSeq: Int64?
    var lastSeq: Int64?
    var isClosing = false
    /// Whether its messages are requested again on the next socket, with those that precede them.
    var isAbandoned = false
    /// Whether a message has come on it that no other socket brought.
    var hasCarried = false
    /// The socket that it took over from without a break.
    var predecessor: Int?

    var isOpen: Bool { openedAt != nil && !isClosing }

    /// Whether it ends before it has shown that its token is accepted: a greeting and a refusal are two
    /// messages.
    func endsEarly(at now: Instant) -> Bool {
        messages <= 2 && connectedAt.map { now.seconds(since: $0) < FeedPolicy.proof } ?? false
    }

    /// Whether it ends as one does whose token is not accepted: right after its opening, or after what
    /// tells so.
    func endsLikeRefused(at now: Instant) -> Bool {
        guard endsEarly(at: now), let last = lastMessageAt ?? connectedAt else { return false }
        return now.seconds(since: last) < FeedPolicy.refusalWindow
    }

    /// When a ping is due or, after a ping, when the socket is lost.
    var nextCheck: Instant? {
        guard isOpen, let openedAt else { return nil }
        if let lostAt { return lostAt }
        guard isPinged else { return nil }
        guard let pingedAt else { return openedAt.advanced(bySeconds: FeedPolicy.firstPing) }
        // The first interval counts from the opening, so that the ping that measures delays none.
        let first = openedAt.advanced(bySeconds: FeedPolicy.pingInterval)
        return pingedAt < first ? first : pingedAt.advanced(bySeconds: FeedPolicy.pingInterval)
    }

    /// Changes the socket in its place, without a copy for each message.
    mutating func apply(_ body: (inout FeedSocket) -> Void) { body(&self) }

    /// Notes that a ping is sent.
    ///
    /// - Parameters:
    ///   - now: When.
    ///   - limit: The seconds within which a frame has to arrive; `nil` if none has to.
    mutating func pinged(at now: Instant, limit: Double?) {
        pingedAt = now
        isPongOutstanding = true
        lostAt = limit.map { now.advanced(bySeconds: $0) }
    }
}

/// Liveness: an open socket is pinged at intervals, and closed if nothing arrives after a ping.
extension FeedMachine {
    /// Pings a socket, or closes it if nothing has arrived since the last ping.
    mutating func checkLiveness(of socket: FeedSocket) {
        guard let check = socket.nextCheck, check <= now else { return }
        guard socket.lostAt == nil else {
            perform(.close(socket: socket.number, code: 1001))
            return change(socket.number) { $0.isClosing = true }
        }
        let now = now
        let limit = socket.pingedAt == nil ? nil : FeedPolicy.pongLimit
        change(socket.number) { $0.pinged(at: now, limit: limit) }
        perform(.ping(socket: socket.number))
    }

    mutating func checkAfterWake() {
        let now = now
        for socket in [primary, successor].compactMap(\.self)
        where socket.isOpen && socket.isPinged {
            change(socket.number) { $0.pinged(at: now, limit: FeedPolicy.pongLimitAfterWake) }
            perform(.ping(socket: socket.number))
        }
    }

    mutating func pongReceived(_ number: Int, _ traffic: FeedTraffic?) {
        guard let socket = socket(number) else { return }
        if socket.isPongOutstanding, let pingedAt = socket.pingedAt {
            emit(FeedPinged(socket: number, roundTrip: now - pingedAt, traffic: traffic))
        }
        change(number) { $0.isPongOutstanding = false }
        recordInbound(number)
    }

    /// Resets the liveness check: whatever comes in shows that the socket works.
    mutating func recordInbound(_ number: Int, isMessage: Bool = false) {
        var lostAt: Instant?
        if case .eventStream(let limit?) = carrier { lostAt = now.advanced(bySeconds: limit) }
        let now = now
        change(number) { socket in
            socket.lostAt = lostAt
            guard isMessage else { return }
            socket.messages += 1
            socket.lastMessageAt = now
        }
    }

    /// Notes how long the server wants a lost stream to stay closed.
    mutating func wait(_ seconds: Double, askedBy number: Int) {
        recordInbound(number)
        guard socket(number) != nil else { return }
        reconnectionTime = seconds.clamped(to: 0...FeedPolicy.longestReconnection)
    }

    /// Stops the timers of the sockets while none of them is read, since nothing can arrive then.
    mutating func hold(_ isHeld: Bool) {
        self.isHeld = isHeld
        guard !isHeld else { return }
        for socket in sockets { converse(.readAgain, on: socket.number) }
        // The bytes that were sent in the meantime are read first.
        ended?.at = now
        for socket in sockets where socket.lostAt != nil {
            let lostAt = now.advanced(bySeconds: FeedPolicy.pongLimit)
            change(socket.number) { $0.lostAt = lostAt }
        }
        let drainsUntil = now.advanced(bySeconds: FeedPolicy.drain)
        if heldUntil != nil { heldUntil = drainsUntil }
        handover?.drain(until: drainsUntil)
    }

    mutating func change(_ number: Int, _ body: (inout FeedSocket) -> Void) {
        if primary?.number == number {
            primary?.apply(body)
        } else {
            handover?.change(number, body)
        }
    }
}
