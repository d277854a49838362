/// A date and a time of day in the proleptic Gregorian calendar, without a time zone.
package struct CivilTime: Sendable, Hashable {
    package var year: Int
    package var month: Int
    package var day: Int
    var hour: Int
    var minute: Int
    /// The second; 60 only in a leap second.
    var second: Int
    /// The fraction of a second, below 1.
    var fraction = 0.0

    /// Creates a date and time; `nil` if it does not exist.
    init?(
        year: Int,
        month: Int,
        day: Int,
        hour: Int,
        minute: Int,
        second: Int,
        fraction: Double = 0
    ) {
        guard (1...9999).contains(year), (1...12).contains(month),
            (1...Self.days(in: month, of: year)).contains(day),
            (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
        self.fraction = fraction
    }

    /// Creates the time in UTC, clamped to the years 1 to 9999.
    package init(secondsSince1970 seconds: Double) {
        let bounded = seconds.isFinite ? min(max(seconds, -62_135_596_800), 253_402_300_799) : 0
        let whole = Int(bounded.rounded(.down))
        let days = Int((Double(whole) / 86_400).rounded(.down))
        let rest = whole - days * 86_400
        (year, month, day) = Self.date(daysSince1970: days)
        (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60)
    }

    /// The seconds since 1970, with the time read as UTC.
    var secondsSince1970: Double {
        let days = Self.daysSince1970(year: year, month: month, day: day)
        return Double(days * 86_400 + hour * 3600 + minute * 60 + second) + fraction
    }

    /// The day of the week; 0 is Sunday.
    var weekday: Int {
        let days = Self.daysSince1970(year: year, month: month, day: day)
        return ((days + 4) % 7 + 7) % 7
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    // Both directions count in eras of 400 years that begin on 1 March, so that the leap day comes
    // last (Howard Hinnant, "chrono-compatible low-level date algorithms").

    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let marchYear = month <= 2 ? year - 1 : year
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func date(daysSince1970: Int) -> (year: Int, month: Int, day: Int) {
        let days = daysSince1970 + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }
}

/// Returns the decimal digits, padded with leading zeros to the width.
func padded(_ number: Int, to width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
