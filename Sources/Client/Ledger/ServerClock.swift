import Basics
import FoundationEssentials
import Model
import Profiles

/// A backend's clock and the latency to it, as its answers show them.
struct ServerClock: Sendable, Hashable {
    private var dates = ServerDates()
    /// The difference as it was last reported.
    private var reported: ServerOffset?
    /// Of a refresh, smoothed, in seconds.
    private(set) var roundTrip = 1.0

    init() {}

    /// The difference between the server's clock and the local one; `nil` before the first `Date`,
    /// and after the local clock was set.
    var offset: ServerOffset? { dates.offset }

    /// Takes an answer's `Date` in.
    ///
    /// - Returns: The offset, if it is news: the first one, another one, or a much narrower one.
    mutating func observe<Answer>(_ exchange: CompletedExchange<Answer>) -> ServerOffset? {
        guard let date = exchange.serverDate else { return nil }
        dates.add(date, sentAt: exchange.sentAt.wall, receivedAt: exchange.endedAt.wall)
        guard let offset, offset.isNews(after: reported) else { return nil }
        reported = offset
        return offset
    }

    mutating func observe(roundTrip seconds: Double) {
        roundTrip = (0.7 * roundTrip + 0.3 * seconds).clamped(to: 0.2...10)
    }

    /// Adopts the offset that another process has measured, if none is known here.
    mutating func adopt(_ other: ServerOffset?, measuredAt: Date) {
        if offset == nil { restore(other, measuredAt: measuredAt) }
    }

    /// Adopts the offset that was stored with a session.
    mutating func restore(_ stored: ServerOffset?, measuredAt: Date) {
        dates = stored.map { ServerDates($0, measuredAt: measuredAt) } ?? ServerDates()
    }

    /// Forgets the difference, after the local wall clock was set.
    mutating func forgetOffset() {
        dates = ServerDates()
        reported = nil
    }

    /// Returns when a token expires according to the evidence, or `nil` if there is none.
    func deadline(_ evidence: [ExpiryEvidence], sentAt: Moment) -> Deadline? {
        Expiry.weighing(evidence, sentAt: sentAt.wall, offset: offset)
            .map { Deadline($0, sentAt: sentAt.now) }
    }

    /// The server's wish as seconds from now, not undercut by a clock that may be off.
    func seconds(until retryAfter: RetryAfter?, from wall: Date) -> Double? {
        retryAfter?.seconds(from: wall.addingTimeInterval(offset?.low ?? 0))
    }
}

extension ServerOffset {
    /// A difference that is not shown, in seconds.
    private static let unseen = 0.1

    /// Whether it says more than `other`, or `other` now says too much.
    fileprivate func isNews(after other: ServerOffset?) -> Bool {
        guard let other, (high == nil) == (other.high == nil) else { return true }
        if low < other.low - Self.unseen || low > other.likelyHigh { return true }
        if likelyHigh < other.low || likelyWidth < 0.7 * other.likelyWidth { return true }
        guard let high, let otherHigh = other.high else { return false }
        return high > otherHigh + Self.unseen || high - low < 0.7 * (otherHigh - other.low)
    }
}

/// Detects that the wall clock was set.
struct WallClockWatch: Sendable, Hashable {
    /// A wall clock that moved this much by itself was set, in seconds.
    ///
    /// Less may be the time between reading the two clocks, which a busy machine makes long.
    private static let smallest = 0.25
    /// The largest correction that is not reported, in seconds.
    static let silent = 2.0

    private var last: Moment?

    /// - Returns: The seconds by which the wall clock was set since the last call, or `nil` if it
    ///   was not.
    mutating func step(to moment: Moment) -> Double? {
        defer { last = moment }
        guard let last else { return nil }
        let monotonic = moment.now.seconds(since: last.now)
        let step = moment.wall.timeIntervalSince(last.wall) - monotonic
        return abs(step) > Self.smallest ? step : nil
    }
}
