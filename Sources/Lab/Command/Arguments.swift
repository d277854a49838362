import ArgumentParser
import Profiles

/// A seed, such as `17`, or the hash of a commit.
struct SeedArgument: ExpressibleByArgument, Sendable {
    let seed: SimulationSeed

    init?(argument: String) {
        guard let seed = SimulationSeed(argument) else { return nil }
        self.seed = seed
    }
}

/// A duration such as `20s` or `5m`; a number without a unit is in seconds.
struct RunTime: ExpressibleByArgument, Sendable {
    let seconds: Double

    init?(argument: String) {
        guard let seconds = DurationParser.seconds(in: argument, takesBareNumber: true), seconds > 0
        else { return nil }
        self.seconds = seconds
    }
}
