package import Timekeeping
import Tokens

extension SessionSnapshot {
    /// Whether anything can renew the pair that is held; where nothing can, another login takes
    /// nothing away.
    ///
    /// - Parameter now: Nil where nothing is known of the time.
    /// - Returns: True where nothing is known of a pair, false also once the refresh token's own
    ///   end has passed.
    package func canRenew(at now: Instant?) -> Bool {
        guard let pair = current?.pair else { return true }
        if capabilities?.renewsByLogin == true { return true }
        guard pair.refresh != nil else { return false }
        guard let end = pair.refreshExpiry, !end.expiry.isAssumed, let now else { return true }
        return now < end.at
    }
}
