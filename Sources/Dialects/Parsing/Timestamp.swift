import FoundationEssentials
import Tokens

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

/// Finds the zone in which a backend wrote times without one.
///
/// A zone is a whole number of quarter hours, so a rough idea of what the time was in UTC suffices.
/// The token's own `exp` gives one. Otherwise both fields minus their documented lifetimes give the
/// local time of the answer, and the `Date` header the same in UTC; the fields must agree with each
/// other, or the documented lifetimes are not the real ones. Where nothing helps, UTC is assumed.
struct ZoneInference: Sendable, Hashable {
    /// The access token's end as written, read as UTC.
    var access: Date?
    /// The refresh token's end as written, read as UTC.
    var refresh: Date?
    /// The access token's `exp`, seconds since 1970.
    var webTokenExpiry: Double?
    var lifetimes: DocumentedLifetimes
    /// The server's clock.
    var serverDate: Date?

    /// Seconds east of UTC for each of the fields; they differ when a change to or from summer
    /// time lies between them.
    func zones() -> (access: Double, refresh: Double) {
        if let access, let webTokenExpiry,
            let zone = Self.zone(access.timeIntervalSince1970 - webTokenExpiry)
        {
            return (zone, zone)
        }
        guard let access, let refresh, let serverDate, let accessLife = lifetimes.access,
            let refreshLife = lifetimes.refresh
        else { return (0, 0) }
        let issuedByAccess = access.addingTimeInterval(-accessLife)
        let issuedByRefresh = refresh.addingTimeInterval(-refreshLife)
        let difference = abs(issuedByAccess.timeIntervalSince(issuedByRefresh))
        guard difference <= Self.agreement || abs(difference - 3600) <= Self.agreement,
            let accessZone = Self.zone(issuedByAccess.timeIntervalSince(serverDate)),
            let refreshZone = Self.zone(issuedByRefresh.timeIntervalSince(serverDate))
        else { return (0, 0) }
        return (accessZone, refreshZone)
    }

    /// How far two fields may disagree about the moment of the answer, in seconds.
    private static let agreement = 60.0

    /// The nearest quarter of an hour, if anybody on Earth lives by it.
    private static func zone(_ seconds: Double) -> Double? {
        let zone = (seconds / 900).rounded() * 900
        return (-12 * 3600...14 * 3600).contains(zone) ? zone : nil
    }
}
