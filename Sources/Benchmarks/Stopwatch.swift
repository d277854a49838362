import Basics

/// Times repeated runs.
struct Stopwatch {
    private let time = LiveTimekeeper()

    /// Runs a body, the first time without counting it.
    func spread(of runs: Int, _ body: () throws -> Void) rethrows -> Spread {
        try body()
        return try Spread(
            (0..<runs).map { _ in
                let begun = time.now
                try body()
                return time.now.seconds(since: begun)
            }
        )
    }

    /// The same for a body that waits.
    func spread(of runs: Int, _ body: () async throws -> Void) async rethrows -> Spread {
        try await body()
        var seconds: [Double] = []
        for _ in 0..<runs {
            let begun = time.now
            try await body()
            seconds.append(time.now.seconds(since: begun))
        }
        return Spread(seconds)
    }
}

/// The durations of equal runs, in seconds.
struct Spread {
    private let sorted: [Double]

    init(_ seconds: [Double]) {
        sorted = seconds.sorted()
    }

    var median: Double { sorted[sorted.count / 2] }
    var slowest: Double { sorted[min(sorted.count - 1, sorted.count * 99 / 100)] }

    /// The median and the 99th percentile, such as `1.25 ms, p99 2.50 ms`.
    var milliseconds: String {
        "\(hundredths(median * 1e3)) ms, p99 \(hundredths(slowest * 1e3)) ms"
    }

    /// The same without words, such as `1.25 (2.50) ms`.
    var briefly: String { "\(hundredths(median * 1e3)) (\(hundredths(slowest * 1e3))) ms" }

    /// The rate at the median, if each run does so much.
    func rate(of amount: Int) -> Double { Double(amount) / median }
}

/// A positive number with two decimals.
func hundredths(_ number: Double) -> String {
    let count = Int((number * 100).rounded())
    let rest = count % 100
    return "\(count / 100).\(rest < 10 ? "0" : "")\(rest)"
}

/// A count in thousands, such as `312 k`.
func thousands(_ number: Double) -> String { "\(Int((number / 1e3).rounded())) k" }

/// Prints a figure, and what it is to be compared with.
func row(_ what: String, _ figure: String, _ beside: String = "") {
    print("\(what)\t\(figure)\t\(beside)")
}
