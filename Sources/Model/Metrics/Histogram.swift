/// Values counted by a few bounds, each of which counts those that are at most as large.
package struct Histogram: Sendable, Hashable {
    /// In ascending order.
    package let bounds: [Double]
    /// The values in each bucket, those above the last bound in one more.
    package private(set) var counts: [Int]
    package private(set) var sum = 0.0

    package init(bounds: [Double]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    package var count: Int { counts.reduce(0, +) }

    /// Counts a value; one that is not finite is ignored.
    package mutating func add(_ value: Double) {
        guard value.isFinite else { return }
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        sum += value
    }
}
