import Testing

@testable import Lab
@testable import Simulation

@Suite("Simulation: the report of a breach", .aside, .serialized)
struct ViolationReportTests {
    private let report = SimulationRun(seed: 1, seeds: 20).run {
        Mutant($0, $1, $2, .sendsTwice)
    }

    @Test("it ends with the command that shows it again")
    func endsWithReplay() throws {
        let found = try #require(report.violation)
        #expect(report.lines.last == "replay: authtop-lab simulate --seed \(found.seed) --seeds 1")
    }

    @Test("it contains the steps as text, up to the one that violated the invariant")
    func tellsTheStory() throws {
        let found = try #require(report.violation)
        #expect(found.trace.last?.contains("✗ invariant 1") == true)
        #expect(found.trace.contains { $0.contains("sends refresh token ‹") })
    }

    @Test("the seed of the world is enough to break it again")
    func isRepeatable() throws {
        let found = try #require(report.violation)
        let again = SimulationRun(seed: found.seed).run {
            Mutant($0, $1, $2, .sendsTwice)
        }
        #expect(again.violation == found)
    }

    @Test(
        "it is shrunk: features that the violation does not need are removed, and named in the command"
    )
    func isShrunk() throws {
        let run = SimulationRun(seed: 1, seeds: 5, systemLimit: 60)
        let sendsTwice: SimulationRun.Making<Mutant> = { Mutant($0, $1, $2, .sendsTwice) }
        let found = try #require(run.run(kind: .storm, making: sendsTwice).violation)
        let shrunk = run.shrunk(found, kind: .storm, making: sendsTwice)
        #expect(shrunk.violation.finding.invariant == .singleSpend)
        #expect(shrunk.without.contains(.fault("rate-limit")))
        #expect(shrunk.replay.contains(" --without "))
        let again = SimulationRun(seed: shrunk.seed, without: shrunk.without, systemLimit: 60)
            .run(kind: .storm, making: sendsTwice)
        #expect(again.violation == shrunk)
    }
}
