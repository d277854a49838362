import Basics
import Model
import Profiles
import Testing

@testable import Client

@Suite("ClientMachine: the longest life of a session")
struct SessionLifeTests {
    private static func configuration(life: Double?) -> SessionConfiguration {
        var configuration = SessionConfiguration.testing(rotation: .always)
        configuration.sessionLife = life
        return configuration
    }

    private static func sessionEnds(_ harness: MachineHarness) -> [Double?] {
        harness.events.compactMap { event in
            guard let pair = (event.kind as? TokensIssued)?.pair else { return nil }
            return .some(pair.sessionEnd?.seconds(since: .origin))
        }
    }

    @Test(
        "a refusal after it is no revocation, also for a later run; one before it is",
        arguments: [(150.0, true), (10_000, false), (nil, false)]
    )
    func refused(life: Double?, isOver: Bool) throws {
        let configuration = Self.configuration(life: life)
        let first = MachineHarness.signedIn(configuration: configuration) {
            $0.accessLifetime = 60
            $0.refreshLifetime = 86_400
        }
        first.advanceToSoft()
        first.advance(0.3)
        #expect(first.generation == 2)
        let harness = first.restarted(after: 120, configuration: configuration)
        harness.backend.refreshFaults = [.refused]
        harness.advance(until: { $0.refusal != nil })
        let refusal = try #require(harness.refusal)
        #expect(refusal.possibleCauses.contains(.sessionEnded) == isOver)
        harness.advance(0.3)
        let reason: SignedOutReason = isOver ? .sessionExpired : .revoked
        #expect([.draining(reason), .signedOut(reason)].contains(harness.state))
    }

    @Test("no renewal extends it")
    func fixed() throws {
        let harness = MachineHarness.signedIn(configuration: Self.configuration(life: 1000)) {
            $0.accessLifetime = 60
        }
        for _ in 1...3 {
            harness.advanceToSoft()
            harness.advance(0.3)
        }
        let ends = Self.sessionEnds(harness)
        #expect(ends.count == 4)
        let first = try #require(ends[0])
        #expect((1000...1001).contains(first))
        #expect(ends.allSatisfy { $0 == first })
    }
}
