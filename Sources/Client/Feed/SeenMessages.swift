import Basics
import Profiles

/// A message that arrived on the new socket before the old one had caught up.
struct HeldMessage: Sendable, Hashable {
    let socket: Int
    let message: FeedMessage
    let key: String

    /// Whether the key is the message's own, so that two with the same one are the same message.
    ///
    /// Messages without an id or a number, such as heartbeats, may be equal and come again.
    var isIdentified: Bool { message.wireID != nil || message.seq != nil }

    /// Tells two numbered messages with the same key apart, by the part of them that is shown.
    var mark: UInt64 {
        guard message.seq != nil else { return 0 }
        // FNV-1a.
        return message.excerpt.utf8.reduce(0xCBF2_9CE4_8422_2325) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
    }
}

/// The last 4096 messages applied, of all sockets, by their ids or numbers.
struct SeenMessages: Sendable {
    static let limit = 4096

    struct Entry: Sendable, Hashable {
        /// The socket that it was applied from.
        let socket: Int
        let mark: UInt64
    }

    private var entries: [String: Entry] = [:]
    private var order: [String] = []
    private var oldest = 0

    mutating func insert(_ held: HeldMessage) {
        entries[held.key] = Entry(socket: held.socket, mark: held.mark)
        if order.count < Self.limit {
            order.append(held.key)
        } else {
            entries[order[oldest]] = nil
            order[oldest] = held.key
            oldest = (oldest + 1) % Self.limit
        }
    }

    func entry(of key: String) -> Entry? { entries[key] }
}

/// The messages without an id or a number that came on the old socket during a switch, each of
/// which the new one brings once more.
struct UnmatchedCopies: Sendable {
    private var counts: [String: Int] = [:]
    private var endsAt: Instant?

    mutating func insert(_ key: String) {
        guard counts.count < SeenMessages.limit else { return }
        counts[key, default: 0] += 1
    }

    /// Returns whether there was a copy, which is then used up.
    mutating func take(_ key: String, at now: Instant) -> Bool {
        if let endsAt, endsAt < now { counts = [:] }
        guard let count = counts[key] else { return false }
        counts[key] = count > 1 ? count - 1 : nil
        return true
    }

    /// Notes until when copies may still come on the new socket.
    mutating func end(at instant: Instant) {
        endsAt = instant
    }
}
