import FoundationEssentials
import Tokens

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
