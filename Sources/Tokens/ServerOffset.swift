package import FoundationEssentials

/// How far a server's clock is ahead of ours, in seconds: an interval, because `Date` (RFC 9110
/// section 6.6.1) has whole seconds and the response took time to arrive.
package struct ServerOffset: Sendable, Hashable, Codable {
    /// The width, in seconds, above which a sample is too imprecise to be used.
    package static let widestSample = 10.0

    package let low: Double
    package let high: Double

    package var width: Double { high - low }

    package init(low: Double, high: Double) {
        self.low = min(low, high)
        self.high = max(low, high)
    }

    /// Computes the offset from one response with a `Date` header; `nil` if it is wider than
    /// `widestSample`.
    package init?(date: Date, sentAt: Date, receivedAt: Date) {
        let low = date.timeIntervalSince(receivedAt)
        let high = date.timeIntervalSince(sentAt) + 1
        guard high >= low, high - low <= Self.widestSample else { return nil }
        self.init(low: low, high: high)
    }

    /// Returns the intersection of both samples, or the newer one alone if they contradict each
    /// other, because then one of the clocks was set.
    package func narrowed(by newer: ServerOffset) -> ServerOffset {
        let low = max(low, newer.low)
        let high = min(high, newer.high)
        return low <= high ? ServerOffset(low: low, high: high) : newer
    }
}
