/// A duration as a person writes it: a number and one of `ms`, `s`, `m`, `h`, `d`.
///
/// Profiles, options and faults all take durations in this form.
package enum DurationParser {
    /// The longest duration that a profile or an option takes, in seconds: 3650 days.
    package static let longest = 315_360_000.0

    private static let units = ["s": 1.0, "m": 60, "h": 3600, "d": 86_400]

    /// Reads a duration; none is negative.
    ///
    /// - Parameters:
    ///   - text: Such as `90s` or `1.5h`.
    ///   - takesBareNumber: Whether a number without a unit counts seconds.
    /// - Returns: Seconds, or `nil` if the text is no duration.
    package static func seconds(
        in text: some StringProtocol,
        takesBareNumber: Bool = false
    ) -> Double? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let number = Double(digits) else { return nil }
        let unit = String(text.dropFirst(digits.count))
        if unit.isEmpty { return takesBareNumber ? number : nil }
        // Divided, because a thousandth is no binary fraction.
        return unit == "ms" ? number / 1000 : units[unit].map { number * $0 }
    }
}
