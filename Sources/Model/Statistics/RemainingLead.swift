/// The remaining lifetime of the old access token at each renewal, in seconds; negative if it had
/// expired.
package struct RemainingLead: Sendable, Equatable {
    /// The number of latest renewals of which the median is computed.
    static let limit = 512

    /// Of all renewals, or `nil` before the first.
    package private(set) var least: Double?
    private var newest: [Double] = []
    /// Where the next one goes, once the sample is full.
    private var next = 0

    init() {}

    mutating func add(_ seconds: Double) {
        guard seconds.isFinite else { return }
        least = min(least ?? seconds, seconds)
        if newest.count < Self.limit {
            newest.append(seconds)
        } else {
            newest[next] = seconds
            next = (next + 1) % Self.limit
        }
    }

    /// Half the renewals had less, half had more, or `nil` before the first.
    package var median: Double? {
        guard !newest.isEmpty else { return nil }
        let sorted = newest.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
