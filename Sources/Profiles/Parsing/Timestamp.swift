import Basics
import FoundationEssentials

/// A date and time in the ISO 8601 format of backends: `2026-01-06T14:18:40`, with any number of
/// decimals, optionally a space instead of the `T`, and an optional time zone.
package struct Timestamp: Sendable, Hashable {
    /// Seconds since 1970, with the local time read as UTC.
    package let local: Double
    /// Seconds east of UTC, or `nil` if the text has no time zone.
    package let zoneOffset: Double?

    package init?(parsing text: String) {
        guard text.utf8.count <= 64 else { return nil }
        var rest = Substring(text).unicodeScalars
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
                let digits = rest.prefix { ("0"..."9").contains($0) }
                guard !digits.isEmpty, let value = Double("0.\(Substring(digits))") else {
                    return nil
                }
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

    /// Formats seconds since 1970 in UTC, truncated to whole seconds, with or without the `Z`.
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

    /// Takes a time zone: `Z`, `UTC` as older AWS CLIs write it, `+hh`, `+hhmm` or `+hh:mm`;
    /// returns `nil` if it is another.
    private static func zone(_ rest: inout Substring.UnicodeScalarView) -> Zone? {
        if rest.isEmpty { return Zone(seconds: nil) }
        if take("Zz", &rest) { return Zone(seconds: 0) }
        if rest.elementsEqual("UTC".unicodeScalars) {
            rest = rest.dropFirst(3)
            return Zone(seconds: 0)
        }
        let isWest =
            rest.starts(with: "-".unicodeScalars) || rest.starts(with: "\u{2212}".unicodeScalars)
        guard take("+-\u{2212}", &rest), let hours = digits(2, &rest), hours <= 23 else {
            return nil
        }
        _ = take(":", &rest)
        let minutes = rest.isEmpty ? 0 : digits(2, &rest)
        guard let minutes, minutes <= 59 else { return nil }
        return Zone(seconds: Double(hours * 3600 + minutes * 60) * (isWest ? -1 : 1))
    }

    private static func digits(_ count: Int, _ rest: inout Substring.UnicodeScalarView) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ ("0"..."9").contains($0) }) else {
            return nil
        }
        rest = rest.dropFirst(count)
        return Int(Substring(digits))
    }

    /// Takes one scalar if `scalars` contains it.
    private static func take(_ scalars: String, _ rest: inout Substring.UnicodeScalarView) -> Bool {
        guard let first = rest.first, scalars.unicodeScalars.contains(first) else { return false }
        rest = rest.dropFirst()
        return true
    }
}

/// Determines the time zone in which a backend writes times without one.
///
/// A zone is a whole number of quarter hours, so an approximate UTC time suffices. The token's own
/// `exp` provides one. Otherwise, both fields minus their documented lifetimes give the local time
/// of the response, and the `Date` header gives it in UTC; the fields must agree with each other,
/// or the documented lifetimes are not the actual ones. If neither is available, UTC is assumed.
struct ZoneInference: Sendable, Hashable {
    /// The access token's expiry as written, read as UTC.
    var access: Date?
    /// The refresh token's expiry as written, read as UTC.
    var refresh: Date?
    /// The access token's `exp`, in seconds since 1970.
    var webTokenExpiry: Double?
    var lifetimes: DocumentedLifetimes
    /// The server's clock.
    var serverDate: Date?

    /// Returns the seconds east of UTC for each of the fields, which differ if daylight saving time
    /// begins or ends between them, or `nil` if nothing tells them.
    func zones() -> (access: Double, refresh: Double)? {
        if let access, let webTokenExpiry,
            let zone = Self.zone(access.timeIntervalSince1970 - webTokenExpiry)
        {
            return (zone, zone)
        }
        guard let access, let refresh, let serverDate, let accessLife = lifetimes.access,
            let refreshLife = lifetimes.refresh
        else { return nil }
        let issuedByAccess = access.addingTimeInterval(-accessLife)
        let issuedByRefresh = refresh.addingTimeInterval(-refreshLife)
        let difference = abs(issuedByAccess.timeIntervalSince(issuedByRefresh))
        guard difference <= Self.agreement || abs(difference - 3600) <= Self.agreement,
            let accessZone = Self.zone(issuedByAccess.timeIntervalSince(serverDate)),
            let refreshZone = Self.zone(issuedByRefresh.timeIntervalSince(serverDate))
        else { return nil }
        return (accessZone, refreshZone)
    }

    /// The seconds by which two fields may disagree about the time of the response.
    private static let agreement = 60.0

    /// Returns the nearest quarter hour, or `nil` if no time zone has it.
    private static func zone(_ seconds: Double) -> Double? {
        let zone = (seconds / 900).rounded() * 900
        return (-12 * 3600...14 * 3600).contains(zone) ? zone : nil
    }
}
