import ArgumentParser
import Simulation

/// `17`, or the hash of a commit.
struct SeedArgument: ExpressibleByArgument, Sendable {
    let seed: SimulationSeed

    init?(argument: String) {
        guard let seed = SimulationSeed(argument) else { return nil }
        self.seed = seed
    }
}
