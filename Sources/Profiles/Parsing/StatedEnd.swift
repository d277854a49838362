import Basics

/// A number that states the end of a token, whose unit its size tells.
package enum StatedEnd {
    /// Seconds that the token lives.
    case lifetime(Double)
    /// Seconds since 1970.
    case seconds(Double)
    /// Milliseconds since 1970.
    case milliseconds(Double)
    /// The end of the year 9999 and the like, which stand for none.
    case never

    /// The longest life: ten years, in seconds.
    private static let longestLife = DurationParser.longest
    /// Seconds since 1970, in 2001.
    private static let earliest = 1e9

    /// - Parameter number: The number; `nil` is returned for one that is no plausible end.
    package init?(_ number: Double) {
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
    static func dotNETMilliseconds(in text: String) -> Double? {
        guard let inner = text.part(after: "/Date(")?.part(upTo: ")/") else { return nil }
        let digits = inner.utf8.prefix { $0.isDigit }
        guard (9...15).contains(digits.count), let number = Double(Substring(digits)) else {
            return nil
        }
        return UnusableExpiry.milliseconds.contains(number) ? number : nil
    }

    /// Returns an ISO 8601 duration without years and months, such as `PT1H30M`, in seconds; `nil` for
    /// another text.
    static func periodSeconds(in text: String) -> Double? {
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
