package import Lifecycle
package import Timekeeping
package import Tokens

/// Worlds one after another, a seed each, until enough has happened or an invariant breaks.
package struct SimulationRun: Sendable {
    package var seed: UInt64
    /// At least so many worlds.
    package var seeds: Int
    /// At least so many rotations.
    package var rotations: Int
    /// What the worlds do without.
    package var without: [Ingredient]
    /// New pairs in one world at most; nil: about a thousand.
    ///
    /// Part of the story as the seed is.
    package var worldLimit: Int?

    package init(
        seed: UInt64,
        seeds: Int = 1,
        rotations: Int = 0,
        without: [Ingredient] = [],
        worldLimit: Int? = nil
    ) {
        self.seed = seed
        self.seeds = seeds
        self.rotations = rotations
        self.without = without
        self.worldLimit = worldLimit
    }

    /// Makes the client of one process.
    package typealias Making<Client> =
        @Sendable (SessionTraits, Fingerprinter, SeededGenerator) -> Client

    /// Drives the real machine.
    package func run() -> SimulationReport {
        run(making: Self.machine)
    }

    /// Drives whatever is made: a test breaks the machine on purpose here.
    package func run<Client: SimulatedClient>(
        kind: ScenarioKind? = nil,
        making: @escaping Making<Client>
    ) -> SimulationReport {
        var total = SimulationReport(firstSeed: seed)
        while wantsMore(than: total) {
            let seed = seed &+ UInt64(total.seeds)
            total.add(live(scenario(of: seed, kind: kind), seed, making: making))
        }
        return total
    }

    static let machine: Making<ClientMachine> = { traits, fingerprinter, random in
        ClientMachine(traits: traits, fingerprinter: fingerprinter, random: random)
    }

    func wantsMore(than total: SimulationReport) -> Bool {
        total.breach == nil && (total.seeds < seeds || total.rotations < rotations)
    }

    func scenario(of seed: UInt64, kind: ScenarioKind? = nil) -> Scenario {
        var scenario = kind.map { Scenario(kind: $0, seed: seed) } ?? Scenario(seed: seed)
        for ingredient in without { scenario.leaveOut(ingredient) }
        if let worldLimit {
            scenario.pairLimit = worldLimit
            scenario.stepLimit = 50 * worldLimit
        }
        return scenario
    }

    func live<Client: SimulatedClient>(
        _ scenario: Scenario,
        _ seed: UInt64,
        making: @escaping Making<Client>
    ) -> SimulationReport {
        let world = World(scenario: scenario, seed: seed, isTold: false, making: making)
        world.run()
        let compared = world.compareWithSteadyClock(seed)
        var report = SimulationReport(firstSeed: seed)
        report.note(world)
        report.checks[.wallIndependence] = compared
        guard let breach = world.breach else { return report }
        // Once more, with every word of it.
        let told = World(scenario: scenario, seed: seed, isTold: true, making: making)
        told.run()
        report.breach = SimulationReport.FoundBreach(
            seed: seed,
            scenario: scenario.words,
            breach: breach,
            story: told.story?.text ?? [],
            without: without
        )
        return report
    }
}

extension SimulationReport {
    fileprivate mutating func note<Client>(_ world: World<Client>) {
        seeds = 1
        steps = world.steps
        virtualSeconds = world.now.seconds(since: .origin)
        kinds = [world.scenario.kind: 1]
        checks = world.checks.counts
        coverage = world.coverage
        digest = world.digest
        guard world.scenario.processes > 1 else { return soloSeeds = 1 }
        rotations = world.rotations
        pairs = world.pairs
        processes = world.scenario.processes
    }
}

extension World {
    /// 22: with relative lifetimes, setting the wall clock moves no renewal.
    ///
    /// - Returns: How many renewals were compared.
    fileprivate func compareWithSteadyClock(_ seed: UInt64) -> Int {
        guard scenario.kind == .clocks, breach == nil else { return 0 }
        var steady = scenario
        steady.betweenWallSteps = nil
        let other = World(scenario: steady, seed: seed, isTold: false, making: making)
        other.run()
        let pairs = Array(zip(checks.refreshTimes, other.checks.refreshTimes))
        guard let index = pairs.firstIndex(where: { $0 != $1 }) else { return pairs.count }
        report(
            Breach.Finding(.wallIndependence, "setting the wall clock moves renewal \(index + 1)"),
            by: 0
        )
        return index
    }
}
