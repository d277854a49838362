/// The messages that one user's feed brings: the same on every socket, because message `n` follows
/// from `n` alone and is due `n / rate` seconds after the log began.
///
/// Nothing is stored, so nothing grows: a socket needs to know only how far it is.
package struct FeedLog: Sendable, Hashable {
    /// A client that has been away for longer gets only the latest so many messages.
    package static let replayLimit: Int64 = 4096

    package let user: Int
    /// Seconds since 1970.
    package let startedAt: Double
    /// Between two messages, in nanoseconds, or `nil` if none ever come.
    private let interval: Int64?

    /// A log that begins now, with message 1 due after the first interval.
    ///
    /// - Parameters:
    ///   - user: Whose; part of every message's id.
    ///   - startedAt: Seconds since 1970.
    ///   - rate: Messages a second, at most 10 000; without any, 0.
    package init(user: Int, startedAt: Double, rate: Double) {
        self.user = user
        self.startedAt = startedAt
        interval = rate > 0 ? Int64(max(1e9 / min(rate, 10_000), 1).rounded()) : nil
    }

    /// The last message that is due so many nanoseconds after the log began, or 0.
    package func latest(after elapsed: Int64) -> Int64 {
        guard let interval, elapsed > 0 else { return 0 }
        return elapsed / interval
    }

    /// Nanoseconds from the beginning of the log until a message is due, or `nil` if it never is.
    package func due(_ seq: Int64) -> Int64? {
        guard let interval else { return nil }
        let (due, overflow) = seq.multipliedReportingOverflow(by: interval)
        return overflow ? nil : due
    }

    /// Where a socket starts.
    ///
    /// - Parameters:
    ///   - since: The last message the client has; one from the future counts as none.
    ///   - latest: The last message that is due.
    /// - Returns: The first message to send: without `since`, the next one to come.
    package func start(since: Int64?, latest: Int64) -> Int64 {
        guard let since, since >= 0, since <= latest else { return latest + 1 }
        return max(since + 1, latest - Self.replayLimit + 1)
    }

    /// A message as it goes over the wire.
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
