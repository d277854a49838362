import Basics

/// Numbers and durations for the texts of findings.
extension Double {
    /// The nearest whole number, clamped: what is stated from outside may be any number.
    var whole: Int { isFinite ? Int(Swift.min(Swift.max(rounded(), -1e15), 1e15)) : 0 }

    /// The next whole number, clamped in the same way.
    var roundedUp: Int { rounded(.up).whole }

    /// This number of seconds in words, rounded to whole ones: `3 h`.
    var duration: String { DurationText.text(Double(whole)) }

    /// The same, rounded up.
    var durationUp: String { rounded(.up).duration }
}
