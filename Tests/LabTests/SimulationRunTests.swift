import Basics
import Client
import Model
import Testing

@testable import Lab
@testable import Simulation

@Suite("Simulation: runs", .aside, .serialized)
struct SimulationRunTests {
    @Test("equal seeds give equal stories", arguments: ScenarioKind.allCases)
    func isDeterministic(kind: ScenarioKind) {
        let run = SimulationRun(seed: 8_123, systemLimit: 60)
        let first = run.run(kind: kind, making: Self.machine)
        let second = run.run(kind: kind, making: Self.machine)
        #expect(first == second)
        #expect(first.steps > 0)
    }

    @Test("another seed gives another story")
    func seedsDiffer() {
        let digests = (1...5).map { SimulationRun(seed: $0, systemLimit: 100).run().digest.text }
        #expect(Set(digests).count == digests.count)
    }

    @Test("no promise is broken", arguments: ScenarioKind.allCases)
    func nothingBreaks(kind: ScenarioKind) {
        let report = SimulationRun(seed: 1, seeds: 4, systemLimit: 80).run(
            kind: kind,
            making: Self.machine
        )
        #expect(report.violation == nil, "\(report.lines.suffix(60).joined(separator: "\n"))")
        #expect(report.coverage.times(.renewed) > 0)
    }

    @Test("a run continues until it is complete")
    func targetsAreMet() {
        let report = SimulationRun(seed: 3, seeds: 2, rotations: 100, systemLimit: 60).run()
        #expect(report.seeds >= 2)
        #expect(report.rotations >= 100)
    }

    @Test("a report of a run that went well ends with its digest")
    func reportEndsWithDigest() {
        let report = SimulationRun(seed: 3, systemLimit: 100).run()
        #expect(report.lines.last == "digest \(report.digest.text)")
        #expect(report.lines.allSatisfy { $0.count <= 100 })
    }

    @Test("systems side by side have the same results as one after another", arguments: [1, 3])
    func jobsChangeNothing(jobs: Int) async {
        let run = SimulationRun(seed: 40, seeds: 3, rotations: 60, systemLimit: 40)
        let report = await run.run(jobs: jobs) { _ in true }
        #expect(report == run.run())
    }

    @Test("a run that was ended early says how to have exactly that again")
    func canBeHadAgain() async {
        let run = SimulationRun(seed: 7, seeds: .max, without: [.kills], systemLimit: 40)
        let report = await run.run(jobs: 2) { $0.seeds < 3 }
        #expect(report.seeds == 3)
        #expect(run.again(report) == "authtop-lab simulate --seed 7 --seeds 3 --without kills")
    }

    @Test("systems of one process count only for what no others show")
    func soloSystemsDoNotCount() {
        let report = SimulationRun(seed: 1, seeds: 2, systemLimit: 40).run(
            kind: .clocks,
            making: Self.machine
        )
        #expect(report.soloSeeds == 2)
        #expect(report.rotations == 0)
        #expect((report.checks[.wallIndependence] ?? 0) > 0)
    }

    @Test("what was never seen is named")
    func rarityIsNamed() {
        let report = SimulationRun(seed: 1, systemLimit: 20).run(
            kind: .healthy,
            making: Self.machine
        )
        #expect(report.rarer(than: 1).contains { $0.name == "gaveUp" })
        #expect(!report.rarer(than: 1).contains { $0.name == "loginSucceeded" })
    }

    @Sendable static func machine(
        _ configuration: SessionConfiguration,
        _ fingerprinter: Fingerprinter,
        _ random: SeededGenerator
    ) -> ClientMachine {
        ClientMachine(configuration: configuration, fingerprinter: fingerprinter, random: random)
    }
}
