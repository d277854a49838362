/// The outcomes of a session's requests, for all purposes.
package struct ExchangeCounts: Sendable, Equatable {
    /// Those of which at least a byte left.
    package private(set) var sent = 0
    /// By the first digit of the status, 1 to 5.
    package private(set) var byStatusClass: [Int: Int] = [:]
    /// Answered 401, whatever they were for.
    package private(set) var unauthorized = 0
    /// No byte left.
    package private(set) var notSent = 0
    /// Sent, and no complete answer.
    package private(set) var unanswered = 0

    package init() {}

    mutating func add(_ record: RequestRecord) {
        if record.wasSent { sent += 1 }
        switch record.result {
        case .answered(let status):
            byStatusClass[min(max(status / 100, 1), 5), default: 0] += 1
            if status == 401 { unauthorized += 1 }
        case .notSent: notSent += 1
        case .unanswered: unanswered += 1
        }
    }

    /// Answered with a 5xx.
    package var serverErrors: Int { byStatusClass[5] ?? 0 }
}

/// What the feed of a session went through.
package struct FeedCounts: Sendable, Equatable {
    package private(set) var messages = 0
    /// From one socket to the next without a break.
    package private(set) var switches = 0
    /// Messages that are missing between two sockets.
    package private(set) var lost = 0
    /// Messages that arrived twice and were shown once, during a switch of sockets or not.
    package private(set) var duplicates = 0
    /// The number of sockets that were not closed by this client.
    package private(set) var drops = 0

    package init() {}

    mutating func add(_ event: FeedEvent) {
        switch event {
        case .message(_, _, _, _, _, let isDuplicate):
            if isDuplicate { duplicates += 1 } else { messages += 1 }
        case .switched(_, _, let twice, let gap, _):
            switches += 1
            duplicates += twice
            lost += max(0, gap)
        case .closed(_, _, let closer, _): if closer != .us { drops += 1 }
        default: break
        }
    }
}
