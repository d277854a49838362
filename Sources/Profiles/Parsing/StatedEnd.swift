import Basics

/// A number that states the end of a token, whose unit its size tells.
enum StatedEnd {
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
    init?(_ number: Double) {
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
