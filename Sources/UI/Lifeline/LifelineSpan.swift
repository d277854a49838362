/// The least time that a lifeline shows from its left end to its right end, in seconds.
enum LifelineSpan: Int, Sendable, CaseIterable {
    case tenSeconds = 10
    case halfMinute = 30
    case minute = 60
    case fiveMinutes = 300
    case quarterHour = 900
    case hour = 3_600
    case sixHours = 21_600
    case day = 86_400
    case week = 604_800
    case month = 2_592_000

    var seconds: Int { rawValue }

    var shorter: Self { neighbor(by: -1) }
    var longer: Self { neighbor(by: 1) }

    /// Returns the shortest span that holds a number of seconds, or the longest one.
    static func shortest(for seconds: Double) -> Self {
        allCases.first { Double($0.seconds) >= seconds } ?? .month
    }

    /// The duration of a column in nanoseconds: a round one, with which the columns hold the span.
    func column(over columns: Int) -> Int64 {
        let least = Double(seconds) * 1e9 / Double(max(1, columns))
        return Self.columns.first { Double($0) >= least } ?? Int64(seconds) * 1_000_000_000
    }

    private func neighbor(by step: Int) -> Self {
        let all = Self.allCases
        let place = (all.firstIndex(of: self) ?? 0) + step
        return all[min(max(0, place), all.count - 1)]
    }

    /// In nanoseconds.
    private static let columns: [Int64] = [
        0.1, 0.2, 0.5, 1, 2, 3, 5, 10, 15, 30, 60, 120, 180, 300, 600, 900, 1_800, 3_600, 7_200,
        10_800, 21_600, 43_200, 86_400, 172_800, 432_000, 864_000, 2_592_000,
    ].map { Int64($0 * 1e9) }
}
