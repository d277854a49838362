import Basics

/// The last steps of a run, as text, to explain a violation.
struct RunTrace: Sendable, Equatable {
    static let limit = 400

    private var lines: [String] = []
    private var oldest = 0

    mutating func add(_ message: String, at now: Instant, process: Int?) {
        let who = process.map { "p\($0)" } ?? "  "
        let line = "\(Self.padded(now.seconds(since: .origin)))  \(who)  \(message)"
        guard lines.count == Self.limit else { return lines.append(line) }
        lines[oldest] = line
        oldest = (oldest + 1) % Self.limit
    }

    /// The oldest first.
    var text: [String] {
        Array(lines[oldest...] + lines[..<oldest])
    }

    private static func padded(_ seconds: Double) -> String {
        let milliseconds = Int64((seconds * 1000).rounded())
        let fraction = String(milliseconds % 1000)
        let zeros = String(repeating: "0", count: 3 - fraction.count)
        let text = "\(milliseconds / 1000).\(zeros)\(fraction)"
        return String(repeating: " ", count: max(0, 14 - text.count)) + text
    }
}
