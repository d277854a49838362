import Backend
import Model
import Profiles

extension Forecast.Question {
    /// Where the documentation states none: 15 minutes and 7 days.
    var lifetimes: (access: Double, refresh: Double) {
        (
            accessLifetime ?? storedLifetimes[.access] ?? dialect.lifetimes.access
                ?? BackendPolicy.defaultLifetimes.access,
            refreshLifetime ?? storedLifetimes[.refresh] ?? dialect.lifetimes.refresh
                ?? BackendPolicy.defaultLifetimes.refresh
        )
    }

    /// The lifetimes that nothing states.
    var assumed: Set<TokenKind> {
        var kinds: Set<TokenKind> = []
        if accessLifetime == nil, dialect.lifetimes.access == nil { kinds.insert(.access) }
        if refreshLifetime == nil, dialect.lifetimes.refresh == nil { kinds.insert(.refresh) }
        return kinds.subtracting(stored)
    }

    /// The lifetimes that are those of the stored session.
    var stored: Set<TokenKind> {
        var kinds = Set(storedLifetimes.keys)
        if accessLifetime != nil { kinds.remove(.access) }
        if refreshLifetime != nil { kinds.remove(.refresh) }
        return kinds
    }

    var seconds: Double { days * 86_400 }

    /// The part of the limits that one row has.
    var rowLimits: Forecast.Limits {
        let count = behaviors.count
        return Forecast.Limits(
            steps: limits.steps / count,
            pairs: limits.pairs / count,
            requests: limits.requests / count
        )
    }

    /// The behaviors of the backend that its documentation leaves open.
    var behaviors: [Forecast.BackendBehavior] {
        guard dialect.hasRefreshToken else { return [.hasNone] }
        switch dialect.rotation {
        case .always: return [.renewsRefreshToken]
        case .never:
            return dialect.lifetimes.refreshSlides ? [.extendsRefreshToken] : [.keepsRefreshToken]
        case .maybe: return [.renewsRefreshToken, .keepsRefreshToken, .consumesRefreshToken]
        }
    }

    /// The time within which the end of a session that is going to end is looked for, in seconds.
    func horizon(_ behavior: Forecast.BackendBehavior) -> Double {
        guard !behavior.slides else { return seconds }
        return max(seconds, lifetimes.access + lifetimes.refresh + 86_400)
    }

    /// The backend as both clients meet it.
    func policy(_ behavior: Forecast.BackendBehavior) -> BackendPolicy {
        var policy = BackendPolicy(
            of: dialect,
            accessLifetime: lifetimes.access,
            refreshLifetime: lifetimes.refresh
        )
        policy.refreshSlides = behavior.slides
        policy.rotation = behavior.rotation(dialect)
        return policy
    }
}

extension Forecast.BackendBehavior {
    /// Whether a renewal moves the refresh token's end on.
    var slides: Bool {
        switch self {
        case .renewsRefreshToken, .extendsRefreshToken: true
        case .keepsRefreshToken, .consumesRefreshToken, .hasNone: false
        }
    }

    func rotation(_ dialect: Dialect) -> RotationBehavior {
        switch self {
        case .renewsRefreshToken: .replaces
        case .keepsRefreshToken, .extendsRefreshToken, .hasNone:
            dialect.rotation == .never ? .keeps : .keepsSilently
        case .consumesRefreshToken: .consumes
        }
    }
}
