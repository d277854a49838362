import Backend
import Dialects

extension Forecast.Question {
    /// Where the documentation states none: 15 minutes and 7 days.
    var lifetimes: (access: Double, refresh: Double) {
        (
            accessLifetime ?? dialect.lifetimes.access ?? Realm.defaultLifetimes.access,
            refreshLifetime ?? dialect.lifetimes.refresh ?? Realm.defaultLifetimes.refresh
        )
    }

    var seconds: Double { days * 86_400 }

    /// What the backend may do, as far as its documentation leaves it open.
    var habits: [Forecast.BackendHabit] {
        guard dialect.hasRefreshToken else { return [.hasNone] }
        switch dialect.rotation {
        case .always: return [.renewsRefreshToken]
        case .never:
            return dialect.lifetimes.refreshSlides ? [.extendsRefreshToken] : [.keepsRefreshToken]
        case .maybe: return [.renewsRefreshToken, .keepsRefreshToken, .consumesRefreshToken]
        }
    }

    /// How far to look for the end of a session that is going to end, in seconds.
    func horizon(_ habit: Forecast.BackendHabit) -> Double {
        guard !habit.slides else { return seconds }
        return max(seconds, lifetimes.access + lifetimes.refresh + 86_400)
    }

    /// The backend as both clients meet it.
    func realm(_ habit: Forecast.BackendHabit) -> Realm {
        var realm = Realm(
            of: dialect,
            accessLifetime: lifetimes.access,
            refreshLifetime: lifetimes.refresh
        )
        realm.refreshSlides = habit.slides
        realm.rotation = habit.rotation(dialect)
        return realm
    }
}

extension Forecast.BackendHabit {
    /// Whether a renewal moves the refresh token's end on.
    var slides: Bool {
        switch self {
        case .renewsRefreshToken, .extendsRefreshToken: true
        case .keepsRefreshToken, .consumesRefreshToken, .hasNone: false
        }
    }

    func rotation(_ dialect: Dialect) -> RotationHabit {
        switch self {
        case .renewsRefreshToken: .replaces
        case .keepsRefreshToken, .extendsRefreshToken, .hasNone:
            dialect.rotation == .never ? .keeps : .keepsSilently
        case .consumesRefreshToken: .consumes
        }
    }
}
