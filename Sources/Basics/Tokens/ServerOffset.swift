package import FoundationEssentials

/// The difference by which a server's clock is ahead of authtop's, in seconds, according to the
/// `Date` of its responses.
///
/// A `Date` (RFC 9110 section 6.6.1) is never later than the server's clock, but it has whole
/// seconds, and a server may repeat one that it wrote before: by itself it bounds the clock from
/// below only.
package struct ServerOffset: Sendable, Hashable, Codable {
    /// It is at least this.
    package let low: Double
    /// It is at most this; `nil` as long as nothing tells how old a `Date` may be.
    package let high: Double?
    /// It is at most this if the most recent `Date` was written for its response, as most are: what
    /// deadlines count with.
    package let likelyHigh: Double

    package init(low: Double, likelyHigh: Double, high: Double? = nil) {
        self.low = low
        self.high = high.map { max(low, $0) }
        self.likelyHigh = max(low, min(likelyHigh, high ?? likelyHigh))
    }

    /// Decodes an offset; without a `likelyHigh`, `high` is that: earlier recordings took each `Date`
    /// for the time of its response.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let low = try values.decode(Double.self, forKey: .low)
        let high = try values.decodeIfPresent(Double.self, forKey: .high)
        if let likelyHigh = try values.decodeIfPresent(Double.self, forKey: .likelyHigh) {
            self.init(low: low, likelyHigh: likelyHigh, high: high)
        } else {
            let likelyHigh = try high ?? values.decode(Double.self, forKey: .likelyHigh)
            self.init(low: low, likelyHigh: likelyHigh)
        }
    }

    /// The width of the interval that deadlines count with.
    package var likelyWidth: Double { likelyHigh - low }

    package var likelyMiddle: Double { (low + likelyHigh) / 2 }

    /// The width, in seconds, above which a sample is too imprecise to be used.
    static let widestSample = 10.0

    /// Computes the offset from one response with a `Date` header; `nil` if it is wider than
    /// `widestSample`.
    package init?(date: Date, sentAt: Date, receivedAt: Date) {
        let low = date.timeIntervalSince(receivedAt)
        let likelyHigh = date.timeIntervalSince(sentAt) + 1
        guard likelyHigh >= low, likelyHigh - low <= Self.widestSample else { return nil }
        self.init(low: low, likelyHigh: likelyHigh)
    }
}

/// The combined statement of a server's `Date` headers about its clock.
///
/// The greatest lower bound counts. An upper bound comes from a `Date` that moves: as long as the
/// earlier one was in use, the later one was not yet written.
package struct ServerDates: Sendable, Hashable {
    private struct Sample: Hashable {
        var date: Date
        var sentAt: Date
    }

    /// The largest age of a `Date` that each process of a server repeats for itself, in seconds.
    ///
    /// That of a single process may be of any age.
    static let repetition = 2.0
    /// The most by which two clocks drift apart, in seconds per second: what the Network Time
    /// Protocol tolerates of one (`MAXFREQ` of RFC 5905).
    static let drift = 0.0005

    package private(set) var offset: ServerOffset?
    private var latest: Sample?
    /// The sample with the greatest lower bound: its `Date` was the most recent when it came.
    private var freshest: ServerOffset?
    /// Whether two samples can only both be right if one of the `Date`s was old.
    private var repeatsDates = false
    private var measuredAt: Date?

    package init() {}

    /// - Parameters:
    ///   - offset: The offset that was measured before.
    ///   - measuredAt: When it was, by the wall clock.
    package init(_ offset: ServerOffset, measuredAt: Date) {
        self.offset = offset
        self.measuredAt = measuredAt
        freshest = offset
    }

    /// Takes in the `Date` of one response.
    ///
    /// If it contradicts the earlier ones, it counts alone, because then one of the clocks was set.
    package mutating func add(_ date: Date, sentAt: Date, receivedAt: Date) {
        guard let sample = ServerOffset(date: date, sentAt: sentAt, receivedAt: receivedAt) else {
            return
        }
        defer {
            let isLatest = latest.map { $0.sentAt <= sentAt } ?? true
            if isLatest { latest = Sample(date: date, sentAt: sentAt) }
            measuredAt = receivedAt
        }
        guard let before = widened(until: receivedAt),
            sample.likelyHigh + Self.repetition >= before.low
        else {
            (offset, freshest) = (sample, sample)
            latest = nil
            return
        }
        var high = before.high
        if let latest, latest.date < date {
            let time = max(0, receivedAt.timeIntervalSince(latest.sentAt))
            let bound = date.timeIntervalSince(latest.sentAt) + Self.repetition + Self.drift * time
            high = min(high ?? bound, bound)
        }
        let low = max(before.low, sample.low)
        guard low <= high ?? low else {
            (offset, freshest) = (sample, sample)
            return
        }
        if sample.low >= before.low { freshest = sample }
        if min(before.likelyHigh, sample.likelyHigh) < low { repeatsDates = true }
        // As long as each Date may have been written for its response, all bounds count.
        let likelyHigh =
            repeatsDates
            ? freshest?.likelyHigh ?? sample.likelyHigh
            : min(before.likelyHigh, sample.likelyHigh)
        offset = ServerOffset(low: low, likelyHigh: likelyHigh, high: high)
    }

    /// Returns the offset as it may have become since it was measured.
    private func widened(until moment: Date) -> ServerOffset? {
        guard let offset, let measuredAt else { return nil }
        let change = Self.drift * abs(moment.timeIntervalSince(measuredAt))
        return ServerOffset(
            low: offset.low - change,
            likelyHigh: offset.likelyHigh + change,
            high: offset.high.map { $0 + change }
        )
    }
}
