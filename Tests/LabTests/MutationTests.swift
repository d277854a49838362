import Testing

@testable import Lab
@testable import Simulation

@Suite("Simulation: every promise can be broken", .aside, .serialized)
struct MutationTests {
    /// In this many systems at most.
    static let seeds = 60

    @Test("a machine that does one thing wrong is caught", arguments: Mutation.allCases)
    func isCaught(mutation: Mutation) throws {
        let report = SimulationRun(seed: 1, seeds: Self.seeds, systemLimit: 500).run(
            kind: mutation.kind
        ) {
            Mutant($0, $1, $2, mutation)
        }
        let found = try #require(report.violation, "unnoticed in \(report.seeds) simulated systems")
        let finding = found.violation.finding
        #expect(finding.invariant == mutation.breaks, "\(finding.message)")
        print("\(mutation.rawValue): invariant \(finding.invariant.number), \(report.seeds) seeds")
    }

    @Test("each promise has a mutation that breaks it")
    func nothingIsUnchecked() {
        let broken = Set(Mutation.allCases.map(\.breaks))
        #expect(broken == Set(Invariant.allCases))
    }
}
