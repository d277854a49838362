import Basics
import Client
import Model
import Simulation

/// 6: within a family the generations only grow, in every process and in the vault.
struct GenerationCheck {
    private(set) var checked = 0

    mutating func handled(_ step: Step) -> InvariantViolation.Finding? {
        guard let old = step.before.held, let new = step.after.held, old.family == new.family,
            old.tokens.access != new.tokens.access
        else { return nil }
        checked += 1
        guard new.generation <= old.generation else { return nil }
        return InvariantViolation.Finding(
            .generations,
            "generation \(new.generation) follows \(old.generation)"
        )
    }

    mutating func wrote(_ write: VaultWrite) -> InvariantViolation.Finding? {
        guard write.staysInFamily, let old = write.old?.pair, let new = write.new.pair else {
            return nil
        }
        checked += 1
        if new.generation < old.generation {
            return InvariantViolation.Finding(
                .generations,
                "generation \(new.generation) is written over \(old.generation)"
            )
        }
        guard new.generation == old.generation, new.tokens.access != old.tokens.access else {
            return nil
        }
        return InvariantViolation.Finding(
            .generations,
            "two pairs are generation \(new.generation)"
        )
    }
}
