package import FoundationEssentials

/// How far a server's clock is ahead of ours, in seconds: an interval, because `Date` (RFC 9110
/// section 6.6.1) tells whole seconds and the answer was under way.
package struct ServerOffset: Sendable, Hashable {
    /// Samples wider than this say too little, in seconds.
    package static let widestSample = 10.0

    package let low: Double
    package let high: Double

    package var width: Double { high - low }

    package init(low: Double, high: Double) {
        self.low = min(low, high)
        self.high = max(low, high)
    }

    /// What one answer with a `Date` header says, or `nil` if it says less than `widestSample`.
    package init?(date: Date, sentAt: Date, receivedAt: Date) {
        let low = date.timeIntervalSince(receivedAt)
        let high = date.timeIntervalSince(sentAt) + 1
        guard high >= low, high - low <= Self.widestSample else { return nil }
        self.init(low: low, high: high)
    }

    /// What both samples allow; the newer one alone where they contradict each other, because then
    /// a clock was set.
    package func narrowed(by newer: ServerOffset) -> ServerOffset {
        let low = max(low, newer.low)
        let high = min(high, newer.high)
        return low <= high ? ServerOffset(low: low, high: high) : newer
    }
}
