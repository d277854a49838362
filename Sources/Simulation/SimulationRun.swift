package import Lifecycle
package import Timekeeping
package import Tokens

/// Worlds one after another, a seed each, until enough has happened or an invariant breaks.
package struct SimulationRun: Sendable {
    package var seed: UInt64
    /// At least so many worlds.
    package var seeds: Int
    /// At least so many new pairs.
    package var rotations: Int

    package init(seed: UInt64, seeds: Int = 1, rotations: Int = 0) {
        self.seed = seed
        self.seeds = seeds
        self.rotations = rotations
    }

    /// Drives the real machine.
    ///
    /// - Parameter progress: Told after each world.
    package func run(progress: (SimulationReport) -> Void = { _ in }) -> SimulationReport {
        run(progress: progress) { traits, fingerprinter, random in
            SessionMachine(traits: traits, fingerprinter: fingerprinter, random: random)
        }
    }

    /// Drives whatever is made: a test breaks the machine on purpose here.
    package func run<Client: SimulatedClient>(
        kind: ScenarioKind? = nil,
        progress: (SimulationReport) -> Void = { _ in },
        making: @escaping (SessionTraits, Fingerprinter, SeededGenerator) -> Client
    ) -> SimulationReport {
        var total = SimulationReport(firstSeed: seed)
        while total.breach == nil, total.seeds < seeds || total.rotations < rotations {
            let seed = seed &+ UInt64(total.seeds)
            let scenario = kind.map { Scenario(kind: $0, seed: seed) } ?? Scenario(seed: seed)
            total.add(Self.live(scenario, seed, making: making))
            progress(total)
        }
        return total
    }

    private static func live<Client: SimulatedClient>(
        _ scenario: Scenario,
        _ seed: UInt64,
        making: @escaping (SessionTraits, Fingerprinter, SeededGenerator) -> Client
    ) -> SimulationReport {
        let world = World(scenario: scenario, seed: seed, isTold: false, making: making)
        world.run()
        world.compareWithSteadyClock(seed)
        var report = SimulationReport(firstSeed: seed)
        report.seeds = 1
        report.rotations = world.rotations
        report.steps = world.steps
        report.virtualSeconds = world.now.seconds(since: .origin)
        report.kinds = [scenario.kind: 1]
        report.checks = world.checks.counts
        if scenario.kind == .clocks { report.checks[.wallIndependence] = 1 }
        report.coverage = world.coverage
        report.digest = world.digest
        if let breach = world.breach {
            // Once more, with every word of it.
            let told = World(scenario: scenario, seed: seed, isTold: true, making: making)
            told.run()
            report.breach = SimulationReport.FoundBreach(
                seed: seed,
                scenario: scenario.words,
                breach: breach,
                story: told.story?.text ?? []
            )
        }
        return report
    }
}

extension World {
    /// 22: with relative lifetimes, setting the wall clock moves no renewal.
    fileprivate func compareWithSteadyClock(_ seed: UInt64) {
        guard scenario.kind == .clocks, breach == nil else { return }
        var steady = scenario
        steady.betweenWallSteps = nil
        let other = World(scenario: steady, seed: seed, isTold: false, making: making)
        other.run()
        let pairs = zip(checks.refreshTimes, other.checks.refreshTimes)
        guard let index = Array(pairs).firstIndex(where: { $0 != $1 }) else { return }
        report(
            Breach.Finding(.wallIndependence, "setting the wall clock moves renewal \(index + 1)"),
            by: 0
        )
    }
}
