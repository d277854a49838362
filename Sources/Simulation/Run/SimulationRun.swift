import Basics
import Client
import Model
import Profiles

/// Worlds one after another, a seed each, until enough has happened or an invariant breaks.
package struct SimulationRun: Sendable {
    var seed: UInt64
    /// The least number of systems.
    var seeds: Int
    /// The least number of rotations.
    var rotations: Int
    /// What the worlds do without.
    var without: [ScenarioFeature]
    /// The largest number of new pairs in one system, or `nil` for about a thousand.
    ///
    /// It determines a run as the seed does.
    var systemLimit: Int?
    /// Whether a passive observer reads the traffic, whatever invariants are broken.
    var hasPassiveObserver: Bool

    package init(
        seed: UInt64,
        seeds: Int = 1,
        rotations: Int = 0,
        without: [ScenarioFeature] = [],
        systemLimit: Int? = nil,
        hasPassiveObserver: Bool = false
    ) {
        self.seed = seed
        self.seeds = seeds
        self.rotations = rotations
        self.without = without
        self.systemLimit = systemLimit
        self.hasPassiveObserver = hasPassiveObserver
    }

    /// Makes the client of one process.
    typealias Making<Client> =
        @Sendable (SessionConfiguration, Fingerprinter, SeededGenerator) -> Client

    /// Drives the real machine.
    func run() -> SimulationReport {
        run(making: Self.machine)
    }

    /// Runs any client: tests pass machines with a defect.
    func run<Client: SimulatedClient>(
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

    static let machine: Making<ClientMachine> = { configuration, fingerprinter, random in
        ClientMachine(configuration: configuration, fingerprinter: fingerprinter, random: random)
    }

    func wantsMore(than total: SimulationReport) -> Bool {
        total.violation == nil && (total.seeds < seeds || total.rotations < rotations)
    }

    func scenario(of seed: UInt64, kind: ScenarioKind? = nil) -> Scenario {
        var scenario = kind.map { Scenario(kind: $0, seed: seed) } ?? Scenario(seed: seed)
        for feature in without + (hasPassiveObserver ? PassiveObserver.absent : []) {
            scenario.leaveOut(feature)
        }
        if let systemLimit {
            scenario.pairLimit = systemLimit
            scenario.stepLimit = 50 * systemLimit
        }
        return scenario
    }

    func live<Client: SimulatedClient>(
        _ scenario: Scenario,
        _ seed: UInt64,
        making: @escaping Making<Client>
    ) -> SimulationReport {
        let system = SimulatedSystem(
            scenario: scenario,
            seed: seed,
            isTraced: false,
            making: making
        )
        if hasPassiveObserver {
            let dialect = scenario.dialect ?? Dialect.builtIn(named: "oauth2")
            // Every other system is read without a profile.
            system.passiveObserver = dialect.map { PassiveObserver($0, hasProfile: seed % 2 == 0) }
            system.ignoresBreaches = true
        }
        system.run()
        let compared = system.compareWithSteadyClock(seed)
        var report = SimulationReport(firstSeed: seed)
        report.note(system)
        report.checks[.wallIndependence] = compared
        report.passiveObserver = system.passiveObserver.map {
            PassiveObserverReport(exchanges: $0.exchanges, findings: $0.findings, seed: seed)
        }
        guard let violation = system.violation else { return report }
        // Once more, with every word of it.
        let traced = SimulatedSystem(scenario: scenario, seed: seed, isTraced: true, making: making)
        traced.run()
        report.violation = SimulationReport.FoundViolation(
            seed: seed,
            scenario: scenario.description,
            violation: violation,
            trace: traced.trace?.text ?? [],
            without: without
        )
        return report
    }
}

extension SimulationReport {
    fileprivate mutating func note<Client>(_ system: SimulatedSystem<Client>) {
        seeds = 1
        steps = system.steps
        virtualSeconds = system.now.seconds(since: .origin)
        kinds = [system.scenario.kind: 1]
        checks = system.checks.counts
        coverage = system.coverage
        digest = system.digest
        guard system.scenario.processes > 1 else { return soloSeeds = 1 }
        rotations = system.rotations
        pairs = system.pairs
        processes = system.scenario.processes
    }
}

extension SimulatedSystem {
    /// 22: with relative lifetimes, setting the wall clock moves no renewal.
    ///
    /// - Returns: How many renewals were compared.
    fileprivate func compareWithSteadyClock(_ seed: UInt64) -> Int {
        guard scenario.kind == .clocks, violation == nil else { return 0 }
        var steady = scenario
        steady.betweenWallSteps = nil
        let other = SimulatedSystem(scenario: steady, seed: seed, isTraced: false, making: making)
        other.run()
        let pairs = Array(zip(checks.refreshTimes, other.checks.refreshTimes))
        guard let index = pairs.firstIndex(where: { $0 != $1 }) else { return pairs.count }
        report(
            InvariantViolation.Finding(
                .wallIndependence,
                "setting the wall clock moves renewal \(index + 1)"
            ),
            by: 0
        )
        return index
    }
}
