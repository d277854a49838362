/// The outcomes of a session's requests, for all purposes.
package struct ExchangeCounts: Sendable, Equatable {
    /// Those of which at least a byte left.
    package private(set) var sent = 0
    /// By the first digit of the status, 1 to 5.
    package private(set) var byStatusClass: [Int: Int] = [:]
    /// Answered 401, whatever they were for.
    package private(set) var unauthorized = 0
    /// Refused with any status.
    package private(set) var refused = 0
    /// No byte left.
    package private(set) var notSent = 0
    /// Sent, and no complete answer.
    package private(set) var unanswered = 0

    init() {}

    mutating func add(_ exchange: Exchange) {
        if exchange.wasSent { sent += 1 }
        switch exchange.result {
        case .answered(let status):
            byStatusClass[min(max(status / 100, 1), 5), default: 0] += 1
            if status == 401 { unauthorized += 1 }
            if exchange.isRefused { refused += 1 }
        case .notSent: notSent += 1
        case .unanswered: unanswered += 1
        case .awaited: break
        }
    }

    /// Answered with a 5xx.
    package var serverErrors: Int { byStatusClass[5] ?? 0 }
}

/// The counts of a session's feed.
package struct FeedCounts: Sendable, Equatable {
    package private(set) var messages = 0
    /// From one socket to the next without a break.
    package private(set) var switches = 0
    /// Messages that are missing, between two sockets or within one.
    package private(set) var lost = 0
    /// The numbers of those that are missing within one, the newest last.
    private var missing: [Range<Int64>] = []
    private static let missingLimit = 64
    /// Messages that arrived twice and were shown once, during a switch of sockets or not.
    package private(set) var duplicates = 0
    /// The number of sockets that were not closed by this client.
    package internal(set) var drops = 0

    init() {}

    mutating func add(_ message: FeedMessageReceived) {
        if message.isDuplicate { duplicates += 1 } else { messages += 1 }
        if let seq = message.seq { recordLate(seq) }
    }

    mutating func add(_ gap: FeedMessagesMissing) {
        let count = FeedGap.count(after: gap.after, before: gap.before)
        guard count > 0 else { return }
        lost += count
        missing = missing.suffix(Self.missingLimit - 1) + [(gap.after + 1)..<gap.before]
    }

    mutating func add(_ switched: FeedSwitched) {
        switches += 1
        duplicates += switched.duplicates
        lost += max(0, switched.gap)
    }

    /// Takes in that a message came after all: not every server keeps their order.
    private mutating func recordLate(_ seq: Int64) {
        guard let place = missing.firstIndex(where: { $0.contains(seq) }) else { return }
        let range = missing[place]
        lost = max(0, lost - 1)
        let parts = [range.lowerBound..<seq, (seq + 1)..<range.upperBound]
        missing.replaceSubrange(place...place, with: parts.filter { !$0.isEmpty })
    }
}

/// The messages that are missing between two numbers.
package enum FeedGap {
    /// The largest gap that is counted.
    static let limit = 1_000_000

    /// Returns how many are missing, between any two numbers.
    package static func count(after: Int64, before: Int64) -> Int {
        guard before > after else { return 0 }
        let (distance, overflow) = before.subtractingReportingOverflow(after)
        return overflow ? limit : min(Int(clamping: distance - 1), limit)
    }
}
