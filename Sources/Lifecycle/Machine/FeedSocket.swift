import Dialects
import Timekeeping

/// One socket of the feed, from its dial to its close.
struct FeedSocket: Sendable, Hashable {
    let number: Int
    var generation: Int
    let dialledAt: Instant
    /// Whether the dial asked for what came since the last message.
    let isResumed: Bool
    var openedAt: Instant?
    var lastInboundAt: Instant?
    var pingedAt: Instant?
    var pongLimit = FeedPolicy.pongLimit
    var firstSeq: Int64?
    var lastSeq: Int64?
    var isClosing = false
    /// Another one is asked for what this one brings, and for what came before it.
    var isAbandoned = false

    var isOpen: Bool { openedAt != nil && !isClosing }

    /// When silence becomes a question, or the question a verdict.
    var nextCheck: Instant? {
        guard isOpen, let last = lastInboundAt ?? openedAt else { return nil }
        if let pingedAt { return pingedAt.advanced(bySeconds: pongLimit) }
        return last.advanced(bySeconds: FeedPolicy.silence)
    }
}

/// A message that arrived on the new socket before the old one had caught up.
struct HeldMessage: Sendable, Hashable {
    let socket: Int
    let message: FeedMessage
    let key: String
}

/// Which messages were applied: the last 4096, shared by both sockets.
struct SeenMessages: Sendable {
    static let limit = 4096

    private var keys: Set<String> = []
    private var order: [String] = []
    private var oldest = 0

    /// - Returns: False when the key was seen before.
    mutating func insert(_ key: String) -> Bool {
        guard keys.insert(key).inserted else { return false }
        if order.count < Self.limit {
            order.append(key)
        } else {
            keys.remove(order[oldest])
            order[oldest] = key
            oldest = (oldest + 1) % Self.limit
        }
        return true
    }

    func contains(_ key: String) -> Bool {
        keys.contains(key)
    }
}
