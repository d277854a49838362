import Basics

/// When an access token is renewed before it ends.
///
/// A fixed buffer is wrong at both ends: five minutes loops at lifetimes below it and is careless
/// at thirty days. The lead follows the lifetime, the round trip and what is known of the clocks.
package struct RenewalPolicy: Sendable, Hashable {
    /// The lead that the profile defines, in seconds; limited to half the lifetime.
    ///
    /// A refresh token is extended no earlier before its end, either.
    var leadOverride: Double?
    /// The time over which the renewals of many sessions are spread, in seconds; limited to half of
    /// what is left of the lifetime.
    package var spread: Double

    package init(leadOverride: Double? = nil, spread: Double = 0) {
        self.leadOverride = leadOverride
        self.spread = spread
    }

    /// The time before the end at which a renewal is due, in seconds.
    ///
    /// - Parameters:
    ///   - lifetime: Of the access token, in seconds.
    ///   - roundTrip: Of a refresh, smoothed, in seconds.
    ///   - skewWidth: Width of the clock interval the expiry depends on, in seconds.
    /// - Returns: At most half the lifetime.
    package func lead(lifetime: Double, roundTrip: Double, skewWidth: Double) -> Double {
        if let leadOverride { return max(0, min(leadOverride, lifetime / 2)) }
        let byLifetime = min(
            lifetime / 3,
            max(lifetime / 5, 10),
            max(300, lifetime / 50),
            43_200
        )
        return max(0, min(max(byLifetime, 4 * roundTrip + skewWidth), lifetime / 2))
    }

    /// The time before the end from which the access token may no longer be used, in seconds.
    func guardTime(lifetime: Double, roundTrip: Double, skewWidth: Double) -> Double {
        max(0, min(2 * roundTrip + skewWidth + 0.5, lifetime / 10))
    }

    /// Returns the instants between which a renewal should begin.
    ///
    /// - Parameters:
    ///   - access: When the access token ends.
    ///   - extendable: When the refresh token expires, if a refresh may extend it; otherwise `nil`,
    ///     because the client would renew repeatedly during the last tenth of its lifetime.
    ///   - roundTrip: Smoothed, in seconds.
    ///   - jitter: In `0...1`; only makes the renewal earlier.
    ///   - isSpread: Whether it is spread with those of many sessions.
    /// - Returns: A `refreshAt` that is not after its `usableUntil`.
    package func schedule(
        access: Deadline,
        extendable: Deadline?,
        roundTrip: Double,
        jitter: Double,
        isSpread: Bool = true
    ) -> RenewalSchedule {
        let lifetime = max(0, access.lifetime.inSeconds)
        let skewWidth = access.expiry.skewWidth
        let lead = lead(lifetime: lifetime, roundTrip: roundTrip, skewWidth: skewWidth)
        let guardTime = guardTime(lifetime: lifetime, roundTrip: roundTrip, skewWidth: skewWidth)
        let spread = max(lead / 10, isSpread ? min(spread, (lifetime - lead) / 2) : 0)
        var refreshAt = access.at.advanced(bySeconds: -(lead + jitter * spread))
        if let extendable {
            let usual = min(max(0, extendable.lifetime.inSeconds) / 10, 86_400)
            let reserve = leadOverride.map { min(max(0, $0), usual) } ?? usual
            refreshAt = min(refreshAt, extendable.at.advanced(bySeconds: -reserve))
        }
        let usableUntil = access.at.advanced(bySeconds: -guardTime)
        return RenewalSchedule(refreshAt: min(refreshAt, usableUntil), usableUntil: usableUntil)
    }
}
