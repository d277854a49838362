/// The wait after a failed renewal, in seconds.
package struct RetryPolicy: Sendable, Hashable {
    /// The number of tries that follow the first before the access token expires, besides the last
    /// chance after them.
    package static let budget = 12
    /// The longest wait that no server requested while the access token is usable, in seconds.
    package static let longestDelay = 900.0
    /// The longest one once it has expired, in seconds.
    static let longestDelayOnceExpired = 60.0
    /// The longest wait for `Retry-After`, in seconds.
    package static let longestRetryAfter = 3600.0
    /// The least time between two refusals without a body of the dialect's form that count as one
    /// refusal, in seconds.
    package static let bareRefusalGap = 5.0
    /// After each of the first lost answers, counted from the first loss.
    package static let afterLostAnswers: [Double] = [0.5, 2, 6, 15, 28]

    package init() {}

    /// Returns the wait after failure number `failures` (from 0), which doubles with each failure up
    /// to a limit, with jitter.
    ///
    /// - Parameters:
    ///   - window: From `refreshAt` to `usableUntil`, or `nil` if the token's expiry is unknown.
    ///   - failures: Counted from 0, whether the access token was usable or not.
    ///   - isExpired: Whether the access token can no longer be used, so that callers may wait.
    ///   - random: In `0...1`.
    ///   - retryAfter: The wait that the server requested, which is the minimum.
    /// - Returns: Seconds, at least a quarter.
    package func delay(
        window: Double?,
        failures: Int,
        isExpired: Bool,
        random: Double,
        retryAfter: Double?
    ) -> Double {
        let base = window.map { ($0 / 16).clamped(to: 0.5...5) } ?? 2
        let longest = isExpired ? Self.longestDelayOnceExpired : Self.longestDelay
        let growing = min(base * pow2(failures), longest)
        return max((0.5 + random / 2) * growing, bounded(retryAfter))
    }

    /// The time before `usableUntil` at which the last chance is taken.
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
