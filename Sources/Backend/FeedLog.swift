/// The messages of one user's feed, which are the same on every socket: message `n` is computed
/// from `n` alone and is due `n / rate` seconds after the log began.
///
/// Nothing is stored, so nothing grows: a socket only needs to know its position.
package struct FeedLog: Sendable, Hashable {
    /// The number of messages that are replayed at most; a client that was away for longer gets the
    /// latest ones.
    static let replayLimit: Int64 = 4096

    package let user: Int
    /// Seconds since 1970.
    package let startedAt: Double
    /// The nanoseconds between two messages, or `nil` if there are none.
    private let interval: Int64?

    /// Creates a log that begins now, with message 1 due after the first interval.
    ///
    /// - Parameters:
    ///   - user: The user, who is part of every message's id.
    ///   - startedAt: Seconds since 1970.
    ///   - rate: Messages per second, at most 10 000, or 0 for none.
    package init(user: Int, startedAt: Double, rate: Double) {
        self.user = user
        self.startedAt = startedAt
        interval = rate > 0 ? Int64(max(1e9 / min(rate, 10_000), 1).rounded()) : nil
    }

    /// Returns the last message that is due after that many nanoseconds since the log began, or 0.
    package func latest(after elapsed: Int64) -> Int64 {
        guard let interval, elapsed > 0 else { return 0 }
        return elapsed / interval
    }

    /// Returns the nanoseconds from the start of the log until a message is due, or `nil` if it
    /// never is.
    package func due(_ seq: Int64) -> Int64? {
        guard let interval else { return nil }
        let (due, overflow) = seq.multipliedReportingOverflow(by: interval)
        return overflow ? nil : due
    }

    /// Returns where a socket starts.
    ///
    /// - Parameters:
    ///   - since: The last message that the client has; one from the future is ignored.
    ///   - latest: The last message that is due.
    /// - Returns: The first message to send; without `since`, the next one that becomes due.
    package func start(since: Int64?, latest: Int64) -> Int64 {
        guard let since, since >= 0, since <= latest else { return latest + 1 }
        return max(since + 1, latest - Self.replayLimit + 1)
    }

    /// Returns a message as it is sent.
    package func text(of seq: Int64) -> String {
        let kinds = ["post.created", "post.liked", "comment.created", "presence.changed"]
        let kind = kinds[Int(seq % Int64(kinds.count))]
        let offset = Double(due(seq) ?? 0) / 1e6
        let milliseconds = Int64(startedAt * 1000 + offset)
        return """
            {"type":"\(kind)","id":"\(user)-\(seq)","seq":\(seq),"ts":\(milliseconds),\
            "data":{"id":\(seq),"title":"Message \(seq)"}}
            """
    }
}
