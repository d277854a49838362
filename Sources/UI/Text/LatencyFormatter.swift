/// The formats of latencies.
enum LatencyFormatter {
    /// `p50 4 ms · p99 19 ms`, or `nil` before the first answer.
    static func spread(of latencies: [Double]) -> String? {
        let seconds = latencies.sorted()
        guard !seconds.isEmpty else { return nil }
        let half = DurationFormatter.milliseconds(rank(0.5, in: seconds))
        let most = DurationFormatter.milliseconds(rank(0.99, in: seconds))
        return "p50 \(half) ms · p99 \(most) ms"
    }

    /// The nearest rank: the smallest value that `share` of all values do not exceed.
    private static func rank(_ share: Double, in sorted: [Double]) -> Double {
        sorted[min(sorted.count - 1, max(0, Int((share * Double(sorted.count)).rounded(.up)) - 1))]
    }
}
