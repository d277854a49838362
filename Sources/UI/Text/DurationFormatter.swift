import Basics

/// Formats durations from milliseconds to years.
///
/// All have units, two at most: `8 s`, `3 m 05 s`, `1 h 02 m`, `29 d 04 h`. A number that counts on
/// the screen keeps its second unit at zero (`counting`, `steady`: `5 m 00 s`), and a measured length
/// has decimals (`fine`: `9 ms`, `1.20 s`).
///
/// Values are truncated, not rounded, so that a countdown never shows more than is left.
package enum DurationFormatter {
    /// `12 s`, `3 m 33 s`, `5 m`: a length that does not move.
    package static func long(_ seconds: Double) -> String { DurationText.text(seconds) }

    /// The columns that `steady` takes at most, below 1 000 days.
    static let steadyWidth = 10

    /// Like `counting`, in columns of one width: `  1 h 02 m`.
    static func steady(_ seconds: Double) -> String {
        flushRight(counting(seconds), to: steadyWidth)
    }

    /// `8 s`, `5 m 00 s`: a number that counts.
    static func counting(_ seconds: Double) -> String {
        DurationText.text(seconds, isCounting: true)
    }

    /// `0.4 ms`, `9 ms`, `1.20 s`, `2 m 05 s`.
    package static func fine(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds > 0 else { return "0 ms" }
        if seconds < 0.00005 { return "<0.1 ms" }
        if seconds < 0.00095 { return "\(decimal(seconds * 1_000, places: 1)) ms" }
        if seconds < 0.9995 { return "\(Int((seconds * 1_000).rounded())) ms" }
        if seconds < 60 { return "\(decimal(seconds, places: 2)) s" }
        return long(seconds)
    }

    /// `0.4 s`, `8 s`, `5 m 00 s`: a number that counts, with tenths of the last second.
    static func tenths(_ seconds: Double) -> String {
        seconds < 1 ? "\(decimal(max(0, seconds), places: 1)) s" : counting(seconds)
    }

    /// Returns an interval as it would be written: `2 s`, `0.5 s`.
    static func short(_ seconds: Double) -> String {
        "\(number(seconds)) s"
    }

    /// `2`, `0.5`: a number as it was written.
    static func number(_ number: Double) -> String {
        Int(exactly: number).map(String.init) ?? String(number)
    }

    /// Whole milliseconds without a unit; `<1` below one.
    static func milliseconds(_ seconds: Double) -> String {
        let whole = wholeMilliseconds(seconds)
        return whole < 1 && seconds > 0 ? "<1" : String(whole)
    }

    /// Rounded, and 0 for what is no duration.
    static func wholeMilliseconds(_ seconds: Double) -> Int {
        seconds.isFinite && seconds > 0 ? Int((min(seconds, 1e9) * 1_000).rounded()) : 0
    }

    /// With a sign: `+0.2 s`; rounded, since a difference counts down to nothing.
    static func signed(_ seconds: Double) -> String {
        let bounded = seconds.isFinite ? min(max(seconds, -1e9), 1e9) : 0
        let sign = bounded < -0.05 ? "−" : "+"
        let size = abs(bounded)
        let isShort = size < 60
        return sign + (isShort ? "\(decimal(size, places: 1)) s" : long(size.rounded()))
    }

    /// Digits with a fixed number of places after the point.
    static func decimal(_ value: Double, places: Int) -> String {
        let scale = places == 1 ? 10 : 100
        let scaled = Int((min(max(value, 0), 1e12) * Double(scale)).rounded())
        let fraction = String(scaled % scale)
        let zeros = String(repeating: "0", count: max(0, places - fraction.count))
        return "\(scaled / scale).\(zeros)\(fraction)"
    }

    static func flushRight(_ text: String, to width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    static func twoDigits(_ value: Int) -> String {
        value < 10 ? "0\(value)" : String(value)
    }
}
