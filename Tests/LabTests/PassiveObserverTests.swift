import Testing

@testable import Lab
@testable import Simulation

@Suite("Simulation: a passive observer of the traffic", .aside, .serialized)
struct PassiveObserverTests {
    @Test("blames no client of the real machine")
    func quiet() throws {
        let run = SimulationRun(seed: 1, seeds: 20, systemLimit: 40, hasPassiveObserver: true)
        let report = try #require(run.run().passiveObserver)
        #expect(report.exchanges > 1_000)
        #expect(report.ofClients.isEmpty, "\(report.lines.joined(separator: "\n"))")
    }

    @Test(
        "names what a machine does wrong on the wire",
        arguments: [
            (Mutation.sendsTwice, "race"), (.sendsSpentToken, "spent-refresh"),
            (.usesOldToken, "stale-token"), (.renewsTooOften, "too-early"),
            (.ignoresRefusal, "dead-refresh-loop"),
        ]
    )
    func mutants(mutation: Mutation, rule: String) throws {
        let seeds = mutation.kind == .repeatedFault ? 12 : 4
        let run = SimulationRun(seed: 1, seeds: seeds, systemLimit: 40, hasPassiveObserver: true)
        let report = run.run(kind: mutation.kind) { Mutant($0, $1, $2, mutation) }
        let found = try #require(report.passiveObserver)
        #expect(found.counts[rule] ?? 0 > 0, "\(found.lines.joined(separator: "\n"))")
    }

    @Test(
        "says nothing of what a machine does wrong without a request",
        arguments: [Mutation.tellsToken, .answersTwice, .forgetsTimer, .skipsJournal]
    )
    func silentMutants(mutation: Mutation) throws {
        let run = SimulationRun(seed: 1, seeds: 8, systemLimit: 40, hasPassiveObserver: true)
        let report = run.run(kind: mutation.kind) { Mutant($0, $1, $2, mutation) }
        let found = try #require(report.passiveObserver)
        #expect(found.exchanges > 500)
        #expect(found.ofClients.isEmpty, "\(found.lines.joined(separator: "\n"))")
    }
}
