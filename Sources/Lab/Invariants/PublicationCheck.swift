import Basics
import Client
import Model
import Simulation

/// 3: every published pair is in the vault or marked as unsaved.
struct PublicationCheck {
    private var durable: Set<AccessToken> = []
    private(set) var checked = 0

    mutating func wrote(_ write: VaultWrite) {
        if let access = write.new.pair?.tokens.access { durable.insert(access) }
    }

    mutating func published(_ view: MachineView, isUnsaved: Bool) -> InvariantViolation.Finding? {
        checked += 1
        guard let held = view.held else { return nil }
        return find(held.tokens.access, isUnsaved)
    }

    mutating func granted(
        _ result: Result<TokenGrant, WaitFailure>,
        isUnsaved: Bool
    ) -> InvariantViolation.Finding? {
        guard case .success(let grant) = result else { return nil }
        checked += 1
        return find(grant.token, isUnsaved)
    }

    private func find(_ token: AccessToken, _ isUnsaved: Bool) -> InvariantViolation.Finding? {
        guard !isUnsaved, !durable.contains(token) else { return nil }
        return InvariantViolation.Finding(
            .commitBeforePublish,
            "a pair is shown that the vault never held"
        )
    }
}
