package import Basics
package import FoundationEssentials

/// A statement of a token's end, or of another time, whose form and size tell how it is meant.
///
/// A profile names the form of an end, which `ExpiryField` reads; everything else is read by this.
package enum StatedEnd: Sendable, Hashable {
    /// Seconds that the token lives, unless the statement's name, or the token, tell another unit.
    case lifetime(Double)
    /// Seconds that the token lives, of a text with units.
    case period(Double)
    /// Seconds since 1970.
    case seconds(Double)
    /// Milliseconds since 1970.
    case milliseconds(Double)
    /// ISO 8601, with or without a zone.
    case timestamp(Timestamp)
    /// As in a header of HTTP.
    case httpDate(Date)
    /// As .NET writes it in JSON, in milliseconds since 1970.
    case dotNET(Double)
    /// The end of the year 9999, the first year and the like, which stand for none.
    case never

    /// The longest life: ten years, in seconds.
    private static let longestLife = DurationParser.longest
    /// Seconds since 1970, in 2001.
    private static let earliest = 1e9

    /// - Parameter value: The statement; `nil` is returned for one that is no plausible end.
    package init?(_ value: JSONValue) {
        if let number = value.numberValue {
            self.init(number)
            return
        }
        guard let text = value.stringValue, text.utf8.count <= 64 else { return nil }
        if let time = Timestamp(parsing: text) {
            let seconds = time.local - (time.zoneOffset ?? 0)
            // Go writes its first year for no end.
            let isNever = seconds <= 0 || UnusableExpiry.never.contains(seconds)
            self = isNever ? .never : .timestamp(time)
        } else if let date = HTTPDate.parse(text) {
            self = .httpDate(date)
        } else if let moment = Self.dotNETMilliseconds(in: text) {
            self = .dotNET(moment)
        } else if let life = DurationParser.seconds(in: text) ?? Self.periodSeconds(in: text),
            life > 0, life <= Self.longestLife
        {
            self = .period(life)
        } else {
            return nil
        }
    }

    /// The time that is stated, in UTC if it has no zone, or `nil` for a lifetime and for no end.
    package var date: Date? {
        switch self {
        case .seconds(let seconds): Date(timeIntervalSince1970: seconds)
        case .milliseconds(let count), .dotNET(let count):
            Date(timeIntervalSince1970: count / 1_000)
        case .timestamp(let time):
            Date(timeIntervalSince1970: time.local - (time.zoneOffset ?? 0))
        case .httpDate(let date): date
        case .lifetime, .period, .never: nil
        }
    }

    /// A profile's name for the form, or `nil` if it has none.
    var kind: ExpiryField.Kind? {
        switch self {
        case .lifetime: .seconds
        case .seconds: .unixSeconds
        case .milliseconds: .unixMilliseconds
        case .timestamp: .iso8601
        case .httpDate: .httpDate
        case .period, .dotNET, .never: nil
        }
    }

    private init?(_ number: Double) {
        switch number {
        case (UnusableExpiry.never.lowerBound * 1_000)...: self = .never
        case UnusableExpiry.milliseconds: self = .milliseconds(number)
        case UnusableExpiry.never: self = .never
        case Self.earliest..<UnusableExpiry.never.lowerBound: self = .seconds(number)
        case 0...Self.longestLife where number > 0: self = .lifetime(number)
        default: return nil
        }
    }
}

extension StatedEnd {
    /// Returns a time as .NET writes it in JSON, `/Date(1700000000000)/`, perhaps with a zone that
    /// changes nothing, in milliseconds since 1970; `nil` for another text.
    private static func dotNETMilliseconds(in text: String) -> Double? {
        guard let inner = text.part(after: "/Date(")?.part(upTo: ")/") else { return nil }
        let digits = inner.utf8.prefix { $0.isDigit }
        guard (9...15).contains(digits.count), let number = Double(Substring(digits)) else {
            return nil
        }
        return UnusableExpiry.milliseconds.contains(number) ? number : nil
    }

    /// Returns an ISO 8601 duration without years and months, such as `PT1H30M`, in seconds; `nil` for
    /// another text.
    private static func periodSeconds(in text: String) -> Double? {
        guard var rest = text.part(after: "P"), text.begins(with: "P"), rest.utf8.count <= 32 else {
            return nil
        }
        var seconds = 0.0
        var units: [(UInt8, Double)] = [(UInt8(ascii: "W"), 604_800), (UInt8(ascii: "D"), 86_400)]
        while let first = rest.utf8.first {
            if first == UInt8(ascii: "T") {
                rest = rest.dropFirst()
                units = [
                    (UInt8(ascii: "H"), 3_600), (UInt8(ascii: "M"), 60), (UInt8(ascii: "S"), 1),
                ]
                continue
            }
            let digits = rest.utf8.prefix { $0.isDigit || $0 == UInt8(ascii: ".") }
            let after = Substring(rest.utf8.dropFirst(digits.count))
            guard let number = Double(Substring(digits)), let unit = after.utf8.first,
                let index = units.firstIndex(where: { $0.0 == unit })
            else { return nil }
            seconds += number * units[index].1
            units.removeFirst(index + 1)
            rest = after.dropFirst()
        }
        return seconds > 0 && seconds <= longestLife ? seconds : nil
    }
}
