/// A length of time in words, the same on the screen, in a forecast and in a report.
package enum DurationText {
    /// A length in two units at most, the second one in two digits.
    ///
    /// Parts are truncated, not rounded, so that a countdown never shows more than is left.
    ///
    /// - Parameters:
    ///   - seconds: The length.
    ///   - isCounting: Whether the number moves, and keeps its second unit at zero: `5 m 00 s`.
    /// - Returns: `12 s`, `3 m 05 s`, `5 m`, `29 d 04 h`, `26330 d`.
    package static func text(_ seconds: Double, isCounting: Bool = false) -> String {
        let (first, second) = parts(whole(seconds))
        let text = "\(first.count) \(first.unit)"
        guard let second, isCounting || second.count > 0 else { return text }
        return "\(text) \(second.count < 10 ? "0" : "")\(second.count) \(second.unit)"
    }

    /// Returns the whole seconds, bounded and not negative.
    package static func whole(_ seconds: Double) -> Int {
        guard seconds.isFinite, seconds > 0 else { return 0 }
        return Int(min(seconds, 1e12))
    }

    private typealias Part = (count: Int, unit: String)

    private static func parts(_ whole: Int) -> (first: Part, second: Part?) {
        switch whole {
        case ..<60: ((whole, "s"), nil)
        case ..<3_600: ((whole / 60, "m"), (whole % 60, "s"))
        case ..<86_400: ((whole / 3_600, "h"), (whole / 60 % 60, "m"))
        case ..<864_000_000: ((whole / 86_400, "d"), (whole / 3_600 % 24, "h"))
        default: ((whole / 86_400, "d"), nil)
        }
    }
}
