package import Timekeeping

/// What a run came to.
package struct SimulationReport: Sendable, Equatable {
    package var firstSeed: UInt64
    package var seeds = 0
    package var rotations = 0
    package var steps = 0
    /// Of all worlds together, in seconds.
    package var virtualSeconds = 0.0
    package var kinds: [ScenarioKind: Int] = [:]
    package var checks: [Invariant: Int] = [:]
    package var coverage = Coverage()
    package var digest = Digest()
    package var breach: FoundBreach?

    package init(firstSeed: UInt64) {
        self.firstSeed = firstSeed
    }

    /// A breach, with everything that is needed to see it again.
    package struct FoundBreach: Sendable, Equatable {
        package var seed: UInt64
        package var scenario: String
        package var breach: Breach
        package var story: [String]

        /// Runs the one world in which it happens.
        package var replay: String { "authtop simulate --seed \(seed) --seeds 1" }
    }

    mutating func add(_ other: SimulationReport) {
        seeds += other.seeds
        rotations += other.rotations
        steps += other.steps
        virtualSeconds += other.virtualSeconds
        kinds.merge(other.kinds) { $0 + $1 }
        checks.merge(other.checks) { $0 + $1 }
        coverage.add(other.coverage)
        digest.add(other.digest)
        breach = breach ?? other.breach
    }
}
