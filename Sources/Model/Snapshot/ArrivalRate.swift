package import Basics

/// The number of messages a second that arrive, over the last ten seconds, or since the first one
/// if that is less.
package struct ArrivalRate: Sendable, Equatable {
    /// In seconds.
    private static let span: Int64 = 10

    /// Arrivals by tenths of a second, the oldest first, without those in which nothing arrived.
    private var tenths: [(tenth: Int64, count: Int)] = []
    /// That of the first arrival.
    private var first: Int64?

    private static func tenth(of instant: Instant) -> Int64 {
        // A recording may have any instant.
        let (tenths, rest) = instant.nanoseconds.quotientAndRemainder(dividingBy: 100_000_000)
        return rest > 0 ? tenths + 1 : tenths
    }

    init() {}

    mutating func record(at instant: Instant) {
        let tenth = Self.tenth(of: instant)
        first = first ?? tenth
        if let last = tenths.last, last.tenth >= tenth {
            tenths[tenths.count - 1].count += 1
        } else {
            tenths.removeAll { $0.tenth <= tenth - Self.span * 10 }
            tenths.append((tenth, 1))
        }
    }

    /// Messages a second up to an instant.
    package func perSecond(at instant: Instant) -> Double {
        let tenth = Self.tenth(of: instant)
        let recent = tenths.filter { $0.tenth > tenth - Self.span * 10 && $0.tenth <= tenth }
        let past =
            first.map { max(0, tenth.subtractingReportingOverflow($0).partialValue) + 1 } ?? 0
        let seconds = Double(min(max(past, 10), Self.span * 10)) / 10
        return Double(recent.reduce(0) { $0 + $1.count }) / seconds
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.first == right.first && left.tenths.elementsEqual(right.tenths) { $0 == $1 }
    }
}
