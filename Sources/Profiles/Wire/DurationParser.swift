import Basics

/// Parses durations as users write them: a number and one of `ms`, `s`, `m`, `h`, `d`.
///
/// Profiles, options and faults all use this format.
package enum DurationParser {
    /// The longest duration of a profile or an option, in seconds: 3650 days.
    package static let longest = 315_360_000.0

    private static let units = ["s": 1.0, "m": 60, "h": 3600, "d": 86_400]

    /// Parses a duration, which must not be negative.
    ///
    /// - Parameters:
    ///   - text: The text, such as `90s` or `1.5h`.
    ///   - takesBareNumber: Whether a number without a unit is taken as seconds.
    /// - Returns: The duration in seconds, or `nil` if the text is not a duration.
    package static func seconds(
        in text: some StringProtocol,
        takesBareNumber: Bool = false
    ) -> Double? {
        let digits = Substring(
            Substring(text).utf8.prefix { $0.isDigit || $0 == UInt8(ascii: ".") }
        )
        guard let number = Double(digits) else { return nil }
        let unit = String(Substring(text)[digits.endIndex...])
        if unit.isEmpty { return takesBareNumber ? number : nil }
        // Divided, because 0.001 has no exact binary representation.
        return unit == "ms" ? number / 1000 : units[unit].map { number * $0 }
    }

    /// Parses the seconds of a fault: a number or a duration, which may have a sign.
    package static func signedSeconds(in text: some StringProtocol) -> Double? {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let hasSign = isNegative || text.utf8.first == UInt8(ascii: "+")
        return seconds(in: text.dropFirst(hasSign ? 1 : 0), takesBareNumber: true)
            .map { isNegative ? -$0 : $0 }
    }
}
