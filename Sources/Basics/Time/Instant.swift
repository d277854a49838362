/// A point on the monotonic clock, which also counts while the machine is suspended.
///
/// It is a number of nanoseconds since an origin that has no meaning outside the process: instants
/// are compared and subtracted, never stored.
package struct Instant: Sendable, Hashable, Codable, Comparable {
    package let nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    package static let origin = Instant(nanoseconds: 0)

    package static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    package static func + (instant: Instant, duration: Duration) -> Instant {
        Instant(nanoseconds: instant.nanoseconds.clampedAdding(duration.nanoseconds))
    }

    package static func - (instant: Instant, duration: Duration) -> Instant {
        Instant(nanoseconds: instant.nanoseconds.clampedSubtracting(duration.nanoseconds))
    }

    package static func - (left: Instant, right: Instant) -> Duration {
        .nanoseconds(left.nanoseconds.clampedSubtracting(right.nanoseconds))
    }

    /// Returns the seconds from `other` to this instant; negative if this one is earlier.
    package func seconds(since other: Instant) -> Double {
        Double(nanoseconds.clampedSubtracting(other.nanoseconds)) / 1e9
    }

    /// Returns a later instant, or an earlier one if `seconds` is negative; the result is clamped.
    package func advanced(bySeconds seconds: Double) -> Instant {
        Instant(nanoseconds: nanoseconds.clampedAdding(Int64(clampingSeconds: seconds)))
    }
}

extension Duration {
    /// The duration in whole nanoseconds, clamped to about ± 146 years so that the sum of two never
    /// overflows.
    package var nanoseconds: Int64 {
        let limit: Int64 = 4_611_686_018
        // `components` traps on a duration whose seconds exceed 64 bits.
        if self >= .seconds(limit) { return limit * 1_000_000_000 }
        if self <= .seconds(-limit) { return -limit * 1_000_000_000 }
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    package var inSeconds: Double {
        Double(nanoseconds) / 1e9
    }

    /// Creates a duration like `.seconds(_: Double)`, but never traps: NaN is zero, and large
    /// values are clamped.
    package init(clampingSeconds seconds: Double) {
        self = .nanoseconds(Int64(clampingSeconds: seconds))
    }
}

extension Int64 {
    /// Converts seconds to nanoseconds; NaN is zero, and large values are clamped to about ± 146
    /// years.
    fileprivate init(clampingSeconds seconds: Double) {
        guard !seconds.isNaN else {
            self = 0
            return
        }
        let bounded = Swift.min(Swift.max(seconds, -4_611_686_018), 4_611_686_018)
        self = Int64(bounded * 1e9)
    }

    fileprivate func clampedAdding(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        guard overflow else { return sum }
        return other > 0 ? .max : .min
    }

    fileprivate func clampedSubtracting(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        guard overflow else { return difference }
        return other > 0 ? .min : .max
    }
}
