import Basics
import Client
import Model
import Profiles
import Simulation

/// 7: what ended stays ended, in the vault, in memory, and at the backend.
struct ResurrectionCheck {
    private var endedInVault: Set<String> = []
    private var endedInMemory = PerProcess<Set<String>>()
    let revokesAtBackend: Bool
    private(set) var checked = 0

    init(revokesAtBackend: Bool) {
        self.revokesAtBackend = revokesAtBackend
    }

    mutating func ended(_ family: String?) {
        if let family { endedInVault.insert(family) }
    }

    mutating func died(_ process: Int) {
        endedInMemory[process] = nil
    }

    mutating func wrote(_ write: VaultWrite) -> InvariantViolation.Finding? {
        if let old = write.old, old.pair != nil, !write.staysInFamily {
            endedInVault.insert(old.family)
        }
        guard write.new.pair != nil else { return nil }
        checked += 1
        guard endedInVault.contains(write.new.family) else { return nil }
        return InvariantViolation.Finding(.noResurrection, "an ended session is in the vault again")
    }

    mutating func handled(_ step: Step, _ ledger: SpendLedger) -> InvariantViolation.Finding? {
        if let old = step.before.held, step.after.held == nil {
            endedInMemory[step.process, default: []].insert(old.family)
        }
        if let new = step.after.held, step.before.held?.family != new.family {
            checked += 1
            if endedInMemory[step.process]?.contains(new.family) == true {
                return InvariantViolation.Finding(
                    .noResurrection,
                    "a process holds an ended session again"
                )
            }
        }
        return strayRevoked(step, ledger)
    }

    /// A pair that comes after its session ended is handed back.
    private mutating func strayRevoked(
        _ step: Step,
        _ ledger: SpendLedger
    ) -> InvariantViolation.Finding? {
        guard revokesAtBackend, case .refreshEnded(let id, let exchange) = step.input,
            exchange.outcome.bringsRefreshToken,
            let spent = ledger.token(of: id, step.process),
            step.before.held?.tokens.refresh != spent
        else { return nil }
        checked += 1
        let isHandedBack = step.effects.contains { effect in
            guard case .emit(let event) = effect else { return false }
            return (event.kind as? RevocationChanged)?.phase == .pending
        }
        guard !isHandedBack else { return nil }
        return InvariantViolation.Finding(
            .noResurrection,
            "a pair that came too late is not revoked"
        )
    }
}

extension Outcome<RefreshResponse> {
    fileprivate var bringsRefreshToken: Bool {
        switch self {
        case .answered(.issued), .answered(.refreshTokenOnly): true
        case .answered, .notSent, .unanswered: false
        }
    }
}
