/// A point on the monotonic clock, which counts while the machine is suspended.
///
/// Nanoseconds since an origin that means nothing outside the process: instants are compared and
/// subtracted, never stored.
package struct Instant: Sendable, Hashable, Comparable {
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

    /// Seconds from `other` to this instant; negative when this one is earlier.
    package func seconds(since other: Instant) -> Double {
        Double(nanoseconds.clampedSubtracting(other.nanoseconds)) / 1e9
    }

    /// `seconds` may be negative, fractional or too large, in which case it is clamped.
    package func advanced(bySeconds seconds: Double) -> Instant {
        Instant(nanoseconds: nanoseconds.clampedAdding(Int64(clampingSeconds: seconds)))
    }
}

extension Duration {
    /// Whole nanoseconds, clamped to about ± 146 years so that sums of two never overflow.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let limit: Int64 = 4_611_686_018
        if seconds >= limit { return limit * 1_000_000_000 }
        if seconds <= -limit { return -limit * 1_000_000_000 }
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    package var inSeconds: Double {
        Double(nanoseconds) / 1e9
    }

    /// Like `.seconds(_: Double)`, but never traps: NaN is zero, and the size is clamped.
    package init(clampingSeconds seconds: Double) {
        self = .nanoseconds(Int64(clampingSeconds: seconds))
    }
}

extension Int64 {
    /// Nanoseconds from seconds; NaN is zero, and the size is clamped to about ± 146 years.
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
