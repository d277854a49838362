/// A date and time in the form of ISO 8601 that backends write: `2026-01-06T14:18:40`, with a
/// fraction of any length, a space instead of the `T`, and a zone or none.
struct Timestamp: Sendable, Hashable {
    /// Seconds since 1970, reading the local time as UTC.
    let local: Double
    /// Seconds east of UTC, or `nil` if the text names no zone.
    let zoneOffset: Double?

    init?(parsing text: String) {
        guard text.utf8.count <= 64 else { return nil }
        var rest = Substring(text)
        guard let year = Self.digits(4, &rest), Self.take("-", &rest),
            let month = Self.digits(2, &rest), Self.take("-", &rest),
            let day = Self.digits(2, &rest), Self.take("Tt ", &rest),
            let hour = Self.digits(2, &rest), Self.take(":", &rest),
            let minute = Self.digits(2, &rest)
        else { return nil }
        var second = 0
        var fraction = 0.0
        if Self.take(":", &rest) {
            guard let digits = Self.digits(2, &rest) else { return nil }
            second = digits
            if Self.take(".,", &rest) {
                let digits = rest.prefix { $0.isASCII && $0.isNumber }
                guard !digits.isEmpty, let value = Double("0.\(digits)") else { return nil }
                fraction = value
                rest = rest.dropFirst(digits.count)
            }
        }
        guard let offset = Self.zone(&rest), rest.isEmpty,
            let time = CivilTime(
                year: year,
                month: month,
                day: day,
                hour: hour,
                minute: minute,
                second: second,
                fraction: fraction
            )
        else { return nil }
        local = time.secondsSince1970
        zoneOffset = offset.seconds
    }

    /// Seconds since 1970 in UTC, cut to the second, with or without the `Z`.
    static func format(_ seconds: Double, withZone: Bool) -> String {
        let time = CivilTime(secondsSince1970: seconds)
        let date = [padded(time.year, to: 4), padded(time.month, to: 2), padded(time.day, to: 2)]
        let clock = [time.hour, time.minute, time.second].map { padded($0, to: 2) }
        return date.joined(separator: "-") + "T" + clock.joined(separator: ":")
            + (withZone ? "Z" : "")
    }

    private struct Zone {
        var seconds: Double?
    }

    /// `nil` when what follows is no zone; `+hh`, `+hhmm` and `+hh:mm` are.
    private static func zone(_ rest: inout Substring) -> Zone? {
        if rest.isEmpty { return Zone(seconds: nil) }
        if take("Zz", &rest) { return Zone(seconds: 0) }
        let isWest = rest.first == "-" || rest.first == "\u{2212}"
        guard take("+-\u{2212}", &rest), let hours = digits(2, &rest), hours <= 23 else {
            return nil
        }
        _ = take(":", &rest)
        let minutes = rest.isEmpty ? 0 : digits(2, &rest)
        guard let minutes, minutes <= 59 else { return nil }
        return Zone(seconds: Double(hours * 3600 + minutes * 60) * (isWest ? -1 : 1))
    }

    private static func digits(_ count: Int, _ rest: inout Substring) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else {
            return nil
        }
        rest = rest.dropFirst(count)
        return Int(digits)
    }

    /// Takes one character if it is among `characters`.
    private static func take(_ characters: String, _ rest: inout Substring) -> Bool {
        guard let first = rest.first, characters.contains(first) else { return false }
        rest = rest.dropFirst()
        return true
    }
}
