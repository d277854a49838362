package import Dialects

extension BackendPolicy {
    /// Where the documentation states no lifetime: 15 minutes and 7 days, in seconds.
    package static let defaultLifetimes = (access: 900.0, refresh: 604_800.0)

    /// The policy that a dialect documents.
    ///
    /// - Parameters:
    ///   - dialect: Whose sessions it holds.
    ///   - accessLifetime: Seconds, in place of the documented ones.
    ///   - refreshLifetime: Seconds, in place of the documented ones.
    ///   - reuse: No documentation states it precisely.
    package init(
        of dialect: Dialect,
        accessLifetime: Double? = nil,
        refreshLifetime: Double? = nil,
        reuse: ReusePolicy = .strict
    ) {
        let documented = dialect.lifetimes
        self.init(
            name: dialect.name,
            credentials: dialect.credentials.map(\.name),
            otherLogins: dialect.otherLoginOptions,
            formats: dialect.tokens,
            hasRefreshToken: dialect.hasRefreshToken,
            anonymousLogouts: dialect.anonymousLogouts,
            accessLifetime: accessLifetime ?? documented.access ?? Self.defaultLifetimes.access,
            refreshLifetime: refreshLifetime ?? documented.refresh ?? Self.defaultLifetimes.refresh,
            refreshSlides: documented.refreshSlides,
            rotation: RotationBehavior(of: dialect),
            reuse: reuse
        )
    }
}
