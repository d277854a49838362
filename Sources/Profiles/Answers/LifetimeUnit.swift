/// The unit of a number that states how long a token lives.
package enum LifetimeUnit: Sendable, Hashable, CaseIterable {
    case seconds
    case milliseconds
    case minutes
    case hours
    case days

    /// The kind of a profile's lifetimes in it, or `nil` if profiles have none.
    var kind: ExpiryField.Kind? {
        switch self {
        case .seconds: .seconds
        case .milliseconds: .milliseconds
        case .minutes, .hours, .days: nil
        }
    }

    /// The seconds that one of it has, or how many of it a second has.
    private var ratio: (seconds: Int, ofASecond: Int) {
        switch self {
        case .seconds: (1, 1)
        case .milliseconds: (1, 1_000)
        case .minutes: (60, 1)
        case .hours: (3_600, 1)
        case .days: (86_400, 1)
        }
    }

    /// Returns a number of it in seconds.
    func seconds(_ number: Double) -> Double {
        number * Double(ratio.seconds) / Double(ratio.ofASecond)
    }

    /// Returns the least number of it that is no shorter than some seconds.
    package func number(ofSeconds seconds: Int) -> Int {
        (seconds * ratio.ofASecond + ratio.seconds - 1) / ratio.seconds
    }
}
