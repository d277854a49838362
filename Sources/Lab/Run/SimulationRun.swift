import Basics
import Client
import Model
import Profiles
import Simulation

/// Simulated systems one after another, a seed each, until enough has happened or an invariant
/// breaks.
struct SimulationRun: Sendable {
    var seed: UInt64
    /// The least number of systems.
    var seeds = 1
    /// The least number of rotations.
    var rotations = 0
    /// Features that the systems leave out.
    var without: [ScenarioFeature] = []
    /// The largest number of new pairs in one system, or `nil` for about a thousand.
    ///
    /// It determines a run as the seed does.
    var systemLimit: Int?
    /// Whether a passive observer reads the traffic, whatever invariants are broken.
    var hasPassiveObserver = false

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
        var observer: PassiveObserver?
        if hasPassiveObserver, let dialect = scenario.dialect ?? Dialect.builtIn(named: "oauth2") {
            // Every other system is read without a profile.
            observer = PassiveObserver(dialect, hasProfile: seed % 2 == 0)
        }
        let checks = SystemChecks(scenario: scenario, passiveObserver: observer)
        let system = SimulatedSystem(
            scenario: scenario,
            seed: seed,
            witness: checks,
            making: making
        )
        system.run()
        let compared = compareWithSteadyClock(system, checks, seed)
        var report = SimulationReport(firstSeed: seed)
        report.record(system, checks)
        report.checks[.wallIndependence] = compared
        report.passiveObserver = checks.passiveObserver.map {
            PassiveObserverReport(exchanges: $0.exchanges, findings: $0.findings, seed: seed)
        }
        guard let violation = checks.violation else { return report }
        // Once more, with every word of it.
        let traced = SystemChecks(scenario: scenario, isTraced: true)
        SimulatedSystem(scenario: scenario, seed: seed, witness: traced, making: making).run()
        report.violation = SimulationReport.FoundViolation(
            seed: seed,
            scenario: scenario.description,
            violation: violation,
            trace: traced.trace?.text ?? [],
            without: without
        )
        return report
    }

    /// 22: with relative lifetimes, setting the wall clock moves no renewal.
    ///
    /// - Returns: The number of renewals that were compared.
    private func compareWithSteadyClock<Client: SimulatedClient>(
        _ system: SimulatedSystem<Client>,
        _ checks: SystemChecks,
        _ seed: UInt64
    ) -> Int {
        guard system.scenario.kind == .clocks, checks.violation == nil else { return 0 }
        var steady = system.scenario
        steady.betweenWallSteps = nil
        let other = SystemChecks(scenario: steady)
        SimulatedSystem(scenario: steady, seed: seed, witness: other, making: system.making).run()
        let times = Array(zip(checks.invariants.refreshTimes, other.invariants.refreshTimes))
        guard let index = times.firstIndex(where: { $0 != $1 }) else { return times.count }
        let finding = InvariantViolation.Finding(
            .wallIndependence,
            "setting the wall clock moves renewal \(index + 1)"
        )
        checks.report(finding, of: 0, at: system.now)
        return index
    }
}

extension SimulationReport {
    fileprivate mutating func record<Client>(
        _ system: SimulatedSystem<Client>,
        _ checks: SystemChecks
    ) {
        seeds = 1
        steps = system.steps
        virtualSeconds = system.now.seconds(since: .origin)
        kinds = [system.scenario.kind: 1]
        self.checks = checks.invariants.counts
        coverage = checks.coverage
        digest = checks.digest
        digest.add(system.steps)
        digest.add(system.rotations)
        guard system.scenario.processes > 1 else { return soloSeeds = 1 }
        rotations = system.rotations
        pairs = system.pairs
        processes = system.scenario.processes
    }
}

extension SimulationRun {
    /// The command that runs exactly the systems of a report, however long it took.
    func again(_ report: SimulationReport) -> String {
        let names = without.map(\.name).joined(separator: ",")
        return "authtop-lab simulate --seed \(seed) --seeds \(max(1, report.seeds))"
            + (names.isEmpty ? "" : " --without \(names)")
    }
}
