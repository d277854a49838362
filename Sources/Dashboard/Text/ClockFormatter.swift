package import FoundationEssentials

/// Times of day and dates in one fixed zone.
package struct ClockFormatter: Sendable, Equatable {
    /// Of the zone, east of Greenwich.
    package var utcOffsetSeconds: Int

    package init(utcOffsetSeconds: Int) {
        self.utcOffsetSeconds = utcOffsetSeconds
    }

    /// `14:02:11`.
    package func time(_ date: Date) -> String {
        time(ofSecond: Int((local(date) + Self.grace).rounded(.down)))
    }

    /// `14:02:11.004`.
    package func timeWithMilliseconds(_ date: Date) -> String {
        // Rounded once, before the split, so that .9996 is the next second's .000.
        let milliseconds = (local(date) * 1_000).rounded()
        let second = (milliseconds / 1_000).rounded(.down)
        let fraction = Int(milliseconds - second * 1_000)
        let zeros = fraction < 10 ? "00" : fraction < 100 ? "0" : ""
        return "\(time(ofSecond: Int(second))).\(zeros)\(fraction)"
    }

    /// `14:02:11` on the day of `now`, else `14 Dec 14:02`, with the year where it is another one.
    package func when(_ date: Date, now: Date) -> String {
        let day = civilDay(of: date)
        let today = civilDay(of: now)
        if day == today { return time(date) }
        let name = Self.months[day.month - 1]
        if day.year != today.year { return "\(day.day) \(name) \(day.year)" }
        return "\(day.day) \(name) \(time(date).prefix(5))"
    }

    /// Sums of times come out a little below a whole second that they mean.
    static let grace = 0.0005

    private func local(_ date: Date) -> Double {
        let seconds = date.timeIntervalSince1970 + Double(utcOffsetSeconds)
        return seconds.isFinite ? min(max(seconds, -62_135_596_800), 253_402_300_799) : 0
    }

    private func time(ofSecond second: Int) -> String {
        let ofDay = ((second % 86_400) + 86_400) % 86_400
        let parts = [ofDay / 3_600, ofDay / 60 % 60, ofDay % 60]
        return parts.map(DurationFormatter.twoDigits).joined(separator: ":")
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private struct CivilDay: Equatable {
        var year: Int
        var month: Int
        var day: Int
    }

    /// The proleptic Gregorian date ("days to civil", Hinnant, 2013): no calendar is loaded for it.
    private func civilDay(of date: Date) -> CivilDay {
        let days = Int(((local(date) + Self.grace) / 86_400).rounded(.down)) + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return CivilDay(
            year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
            month: month,
            day: dayOfYear - (153 * shifted + 2) / 5 + 1
        )
    }
}
