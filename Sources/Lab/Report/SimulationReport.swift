import Simulation

/// The result of a run.
struct SimulationReport: Sendable, Equatable {
    var firstSeed: UInt64
    var seeds = 0
    /// The number of renewals with a new refresh token, in systems of two or more processes.
    var rotations = 0
    /// New pairs of any kind, in the same systems.
    var pairs = 0
    var processes = 0
    /// Systems of one process, which show what only one can, and count for nothing else.
    var soloSeeds = 0
    var steps = 0
    /// Of all systems together, in seconds.
    var virtualSeconds = 0.0
    var kinds: [ScenarioKind: Int] = [:]
    var checks: [Invariant: Int] = [:]
    var coverage = Coverage()
    var digest = Digest()
    var violation: FoundViolation?
    /// The findings of a passive observer, if there was one.
    var passiveObserver: PassiveObserverReport?

    init(firstSeed: UInt64) {
        self.firstSeed = firstSeed
    }

    /// A breach, with everything that is needed to see it again.
    struct FoundViolation: Sendable, Equatable {
        var seed: UInt64
        var scenario: String
        var violation: InvariantViolation
        var trace: [String]
        /// Features that the system left out.
        var without: [ScenarioFeature]

        /// Runs the one system in which it happens.
        var replay: String {
            let names = without.map(\.name).joined(separator: ",")
            return "authtop-lab simulate --seed \(seed) --seeds 1"
                + (names.isEmpty ? "" : " --without \(names)")
        }
    }

    mutating func add(_ other: SimulationReport) {
        seeds += other.seeds
        rotations += other.rotations
        pairs += other.pairs
        processes += other.processes
        soloSeeds += other.soloSeeds
        steps += other.steps
        virtualSeconds += other.virtualSeconds
        kinds.merge(other.kinds) { $0 + $1 }
        checks.merge(other.checks) { $0 + $1 }
        coverage.add(other.coverage)
        digest.add(other.digest)
        violation = violation ?? other.violation
        guard let found = other.passiveObserver else { return }
        if passiveObserver == nil { passiveObserver = found } else { passiveObserver?.add(found) }
    }
}
