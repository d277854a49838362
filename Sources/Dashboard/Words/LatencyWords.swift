package import Lifecycle

/// How long answers take.
package enum LatencyWords {
    /// Of so many of the newest exchanges.
    package static let sample = 256

    /// `p50 4 ms · p99 19 ms`; nil before the first answer.
    package static func spread(of log: BoundedLog<LoggedRequest>) -> String? {
        let seconds = log.suffix(sample).lazy
            .filter { $0.record.status != nil }
            .map(\.record.seconds).sorted()
        guard !seconds.isEmpty else { return nil }
        let half = DurationWords.milliseconds(rank(0.5, in: seconds))
        let most = DurationWords.milliseconds(rank(0.99, in: seconds))
        return "p50 \(half) ms · p99 \(most) ms"
    }

    /// The nearest rank: the smallest value that `share` of all values do not exceed.
    private static func rank(_ share: Double, in sorted: [Double]) -> Double {
        sorted[min(sorted.count - 1, max(0, Int((share * Double(sorted.count)).rounded(.up)) - 1))]
    }
}
