import Client
import Model
import Profiles
import Simulation

/// 26: a logout always works locally, and at once.
struct LogoutCheck {
    private(set) var checked = 0

    mutating func handled(_ step: Step) -> InvariantViolation.Finding? {
        guard case .logOut(.this) = step.input, step.before.held != nil else { return nil }
        checked += 1
        guard step.after.held != nil else { return nil }
        return InvariantViolation.Finding(.logoutAlwaysWorks, "a pair is held after a logout")
    }

    mutating func mustBeDone(family: String, stored: VaultRecord?) -> InvariantViolation.Finding? {
        checked += 1
        guard stored?.pair != nil, stored?.family == family else { return nil }
        return InvariantViolation.Finding(
            .logoutAlwaysWorks,
            "100 ms after a logout the vault still holds the pair"
        )
    }
}
