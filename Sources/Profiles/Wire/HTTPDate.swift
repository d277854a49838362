import Basics
package import FoundationEssentials

/// Formats and parses the three formats of a date in an HTTP header (RFC 9110 section 5.6.7).
package enum HTTPDate {
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Parses `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6
    /// 08:49:37 1994`; the day of the week is not checked.
    package static func parse(_ text: String) -> Date? {
        guard text.utf8.count <= 64 else { return nil }
        let parts = text.utf8.split {
            $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "-")
        }
        .map(Substring.init)
        switch parts.count {
        case 6 where isUniversal(parts[5]):
            return date(year: parts[3], month: parts[2], day: parts[1], time: parts[4])
        case 5:
            return date(year: parts[4], month: parts[1], day: parts[2], time: parts[3])
        default:
            return nil
        }
    }

    /// Formats a date in the preferred format, IMF-fixdate, truncated to whole seconds.
    package static func format(_ date: Date) -> String {
        let time = CivilTime(secondsSince1970: date.timeIntervalSince1970)
        let clock = [time.hour, time.minute, time.second].map { padded($0, to: 2) }
        return "\(weekdays[time.weekday]), \(padded(time.day, to: 2)) \(months[time.month - 1]) "
            + "\(padded(time.year, to: 4)) \(clock.joined(separator: ":")) GMT"
    }

    private static func isUniversal(_ zone: Substring) -> Bool {
        ["GMT", "UTC", "Z"].contains(where: zone.isEqualIgnoringCase)
    }

    private static func date(
        year: Substring,
        month: Substring,
        day: Substring,
        time: Substring
    ) -> Date? {
        let clock = time.parts(at: ":", keepsEmpty: true)
        guard let year = fullYear(year), clock.count == 3,
            let month = months.firstIndex(where: month.isEqualIgnoringCase),
            let day = Int(day), let hour = Int(clock[0]), let minute = Int(clock[1]),
            let second = Int(clock[2]),
            let civil = CivilTime(
                year: year,
                month: month + 1,
                day: day,
                hour: hour,
                minute: minute,
                second: second
            )
        else { return nil }
        return Date(timeIntervalSince1970: civil.secondsSince1970)
    }

    /// Returns the full year; two digits mean 1970 to 2069.
    private static func fullYear(_ text: Substring) -> Int? {
        guard let year = Int(text), year >= 0 else { return nil }
        guard text.utf8.count == 2 else { return year }
        return year < 70 ? 2000 + year : 1900 + year
    }
}

extension RetryAfter {
    /// Parses a number of seconds, clamped to a year, or a date; `nil` for anything else.
    init?(parsing value: String) {
        let text = value.trimmingBlanks
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            self = .seconds(min(Double(text) ?? Self.longest, Self.longest))
        } else if let date = HTTPDate.parse(value) {
            self = .date(date)
        } else {
            return nil
        }
    }

    private static let longest = 31_536_000.0

    /// Returns the seconds to wait, which are negative after a date that has passed.
    ///
    /// - Parameter present: The time by the server's clock.
    /// - Returns: The seconds.
    package func seconds(from present: Date) -> Double {
        switch self {
        case .seconds(let seconds): seconds
        case .date(let date): date.timeIntervalSince(present)
        }
    }
}

extension WireResponse {
    /// The server's clock according to the response's `Date`.
    package var date: Date? {
        header("Date").flatMap(HTTPDate.parse)
    }

    package var retryAfter: RetryAfter? {
        header("Retry-After").flatMap(RetryAfter.init(parsing:))
    }

    /// Returns the seconds that the server asks to wait, or `nil` if it does not; a date is
    /// compared with its own clock.
    ///
    /// - Parameter wall: When the response came, for a server that does not state its time.
    /// - Returns: The seconds.
    package func secondsToWait(receivedAt wall: Date) -> Double? {
        retryAfter?.seconds(from: date ?? wall)
    }
}
