/// How long to wait after a renewal failed, in seconds.
package struct RetryPolicy: Sendable, Hashable {
    /// The number of attempts before the access token expires, besides the last one.
    package static let budget = 12
    /// The longest wait for the next attempt that no server requested, in seconds.
    package static let longestDelay = 900.0
    /// The longest wait for `Retry-After`, in seconds.
    package static let longestRetryAfter = 3600.0
    /// After each of the first lost answers, counted from the first loss.
    package static let afterLostAnswers: [Double] = [0.5, 2, 6, 15, 28]

    package init() {}

    /// Returns the wait after failure number `failures` (from 0) while the access token is usable.
    ///
    /// - Parameters:
    ///   - lifetime: Of the access token.
    ///   - window: From `refreshAt` to `usableUntil`.
    ///   - remaining: From now to `usableUntil`.
    ///   - failures: Counted from 0.
    ///   - random: In `0...1`.
    ///   - retryAfter: The wait that the server requested, which is the minimum.
    /// - Returns: Seconds, at least a quarter.
    package func delay(
        lifetime: Double,
        window: Double,
        remaining: Double,
        failures: Int,
        random: Double,
        retryAfter: Double?
    ) -> Double {
        let floor = (lifetime / 120).clamped(to: 0.25...5)
        let base = (window / 16).clamped(to: 0.25...5)
        let growing = base * pow2(failures)
        let jittered = (0.5 + random / 2) * min(growing, remaining / 4, Self.longestDelay)
        return max(floor, jittered, bounded(retryAfter))
    }

    /// Returns the wait after failure number `failures` (from 0) once the access token has expired.
    package func delayOnceExpired(failures: Int, random: Double, retryAfter: Double?) -> Double {
        max((0.5 + random / 2) * min(2 * pow2(failures), 60), bounded(retryAfter))
    }

    /// How long before `usableUntil` the last chance is taken.
    package func lastChanceLead(roundTrip: Double) -> Double {
        2 * roundTrip + 1
    }

    private func bounded(_ retryAfter: Double?) -> Double {
        (retryAfter ?? 0).clamped(to: 0...Self.longestRetryAfter)
    }

    private func pow2(_ exponent: Int) -> Double {
        Double(UInt64(1) << UInt64(min(max(exponent, 0), 40)))
    }
}

extension Double {
    package func clamped(to range: ClosedRange<Double>) -> Double {
        isNaN ? range.lowerBound : Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
