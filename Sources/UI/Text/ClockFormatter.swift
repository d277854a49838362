package import FoundationEssentials
import Profiles

/// Times of day and dates in one fixed zone.
package struct ClockFormatter: Sendable, Equatable {
    /// Of the zone, east of Greenwich.
    var utcOffsetSeconds: Int

    package init(utcOffsetSeconds: Int) {
        self.utcOffsetSeconds = utcOffsetSeconds
    }

    /// `14:02:11`.
    func time(_ date: Date) -> String {
        time(ofSecond: Int((local(date) + Self.grace).rounded(.down)))
    }

    /// `14:02:11.004`.
    func timeWithMilliseconds(_ date: Date) -> String {
        // Rounded once, before the split, so that .9996 is the next second's .000.
        let milliseconds = (local(date) * 1_000).rounded()
        let second = (milliseconds / 1_000).rounded(.down)
        let fraction = Int(milliseconds - second * 1_000)
        let zeros = fraction < 10 ? "00" : fraction < 100 ? "0" : ""
        return "\(time(ofSecond: Int(second))).\(zeros)\(fraction)"
    }

    /// `14:02:11` on the day of `now`, else `14 Dec 14:02`, with the year where it is another one.
    package func when(_ date: Date, now: Date) -> String {
        let day = localTime(of: date)
        let today = localTime(of: now)
        let isThisYear = day.year == today.year
        if isThisYear, (day.month, day.day) == (today.month, today.day) { return time(date) }
        let name = Self.months[day.month - 1]
        if !isThisYear { return "\(day.day) \(name) \(day.year)" }
        return "\(day.day) \(name) \(time(date).prefix(5))"
    }

    /// `20261122-140211`, for the name of a file.
    package func stamp(_ date: Date) -> String {
        let day = localTime(of: date)
        let digits = [day.month, day.day].map(DurationFormatter.twoDigits).joined()
        return "\(day.year)\(digits)-\(time(date).filter { $0 != ":" })"
    }

    /// Returns the seconds since midnight that `time` shows.
    func secondOfDay(_ date: Date) -> Double {
        Double(Self.ofDay(Int((local(date) + Self.grace).rounded(.down))))
    }

    /// `14 Dec`.
    func day(_ date: Date) -> String {
        let day = localTime(of: date)
        return "\(day.day) \(Self.months[day.month - 1])"
    }

    /// Sums of times come out a little below a whole second that they mean.
    static let grace = 0.0005

    private func local(_ date: Date) -> Double {
        let seconds = date.timeIntervalSince1970 + Double(utcOffsetSeconds)
        return seconds.isFinite ? min(max(seconds, -62_135_596_800), 253_402_300_799) : 0
    }

    private func time(ofSecond second: Int) -> String {
        let ofDay = Self.ofDay(second)
        let parts = [ofDay / 3_600, ofDay / 60 % 60, ofDay % 60]
        return parts.map(DurationFormatter.twoDigits).joined(separator: ":")
    }

    private static func ofDay(_ second: Int) -> Int { ((second % 86_400) + 86_400) % 86_400 }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private func localTime(of date: Date) -> CivilTime {
        CivilTime(secondsSince1970: local(date) + Self.grace)
    }
}
