/// The outcomes of a session's requests, for all purposes.
package struct ExchangeCounts: Sendable, Equatable {
    package private(set) var sent = 0
    /// By the first digit of the status, 1 to 5.
    package private(set) var byStatusClass: [Int: Int] = [:]
    /// 401 to a protected request.
    package private(set) var unauthorized = 0
    /// No byte left.
    package private(set) var notSent = 0
    /// Sent, and no complete answer.
    package private(set) var unanswered = 0

    package init() {}

    mutating func add(_ record: RequestRecord) {
        sent += 1
        switch record.result {
        case .answered(let status):
            byStatusClass[min(max(status / 100, 1), 5), default: 0] += 1
            if status == 401, record.purpose == .protected { unauthorized += 1 }
        case .notSent: notSent += 1
        case .unanswered: unanswered += 1
        }
    }
}

/// What the feed of a session went through.
package struct FeedCounts: Sendable, Equatable {
    package private(set) var messages = 0
    /// From one socket to the next without a break.
    package private(set) var switches = 0
    /// Messages that are missing between two sockets.
    package private(set) var lost = 0
    /// Messages that arrived twice and were shown once.
    package private(set) var duplicates = 0
    /// The number of sockets that were not closed by this client.
    package private(set) var drops = 0

    package init() {}

    mutating func add(_ event: FeedEvent) {
        switch event {
        case .message(_, _, _, _, _, let isDuplicate):
            if isDuplicate { duplicates += 1 } else { messages += 1 }
        case .switched(_, _, _, let gap, _):
            switches += 1
            lost += max(0, gap)
        case .closed(_, _, let closer, _): if closer != .us { drops += 1 }
        default: break
        }
    }
}
