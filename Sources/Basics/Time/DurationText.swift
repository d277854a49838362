/// A length of time in words, the same on the screen, in a forecast and in a report.
package enum DurationText {
    /// `12 s`, `3 min 33 s`, `29 d 4 h`: two units at most.
    ///
    /// Parts are truncated, not rounded, so that a countdown never shows more than is left.
    package static func text(_ seconds: Double) -> String {
        let whole = whole(seconds)
        let (first, second) = parts(whole)
        guard second.count > 0 else { return "\(first.count) \(first.unit)" }
        return "\(first.count) \(first.unit) \(second.count) \(second.unit)"
    }

    /// Returns the whole seconds, bounded and not negative.
    package static func whole(_ seconds: Double) -> Int {
        guard seconds.isFinite, seconds > 0 else { return 0 }
        return Int(min(seconds, 1e12))
    }

    private typealias Part = (count: Int, unit: String)

    private static func parts(_ whole: Int) -> (first: Part, second: Part) {
        switch whole {
        case ..<60: ((whole, "s"), (0, ""))
        case ..<3_600: ((whole / 60, "min"), (whole % 60, "s"))
        case ..<86_400: ((whole / 3_600, "h"), (whole / 60 % 60, "min"))
        default: ((whole / 86_400, "d"), (whole / 3_600 % 24, "h"))
        }
    }
}
