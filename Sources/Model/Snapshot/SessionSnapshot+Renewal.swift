package import Basics

extension SessionSnapshot {
    /// Returns whether the pair in use can be renewed; if not, another login loses nothing.
    ///
    /// - Parameter now: The current time, or `nil` if it is unknown.
    /// - Returns: `true` also if no pair is known, and `false` also if the refresh token has
    ///   expired.
    package func canRenew(at now: Instant?) -> Bool {
        guard let pair = current?.pair else { return true }
        if capabilities?.renewsByLogin == true { return true }
        guard pair.refresh != nil else { return false }
        guard let end = pair.refreshExpiry, !end.expiry.isAssumed, let now else { return true }
        return now < end.at
    }
}
