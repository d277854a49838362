import Backend
import Client
import Model
import Profiles
import Simulation

/// 8: another session of the same user is not affected, except by a logout everywhere.
struct OtherSessionCheck {
    /// The backend's number of a session that no process of this system has.
    private let family: Int?
    private var isMeant = false
    private(set) var checked = 0

    init(family: Int?) {
        self.family = family
    }

    mutating func handled(_ step: Step) {
        if case .logOut(.everywhere) = step.input { isMeant = true }
    }

    mutating func decided(_ pendingExchange: PendingExchange, _ backend: AuthBackend)
        -> InvariantViolation.Finding?
    {
        guard case .revocation = pendingExchange.purpose, let family, !isMeant else { return nil }
        checked += 1
        guard backend.hasEnded(family: family) else { return nil }
        return InvariantViolation.Finding(
            .noCrossSessionDamage,
            "a logout ended another session"
        )
    }
}
