import Backend
import Basics
import Profiles
import Testing

@testable import Observer

@Suite("What a check must show")
struct ExpectationTests {
    private func results(
        of set: ExpectationSet,
        rotation: RotationBehavior,
        _ reuse: ReusePolicy = .strict
    ) throws -> [String: Observer.Expectation.Outcome] {
        let dialect = try #require(Dialect.builtIn(named: "oauth2"))
        var policy = BackendPolicy(of: dialect, refreshLifetime: 600, reuse: reuse)
        policy.rotation = rotation
        var check = VirtualCheck(dialect: dialect, policy: policy)
        check.options = CheckOptions(probes: [.login, .refresh], interval: 0.05)
        let report = check.run().report
        #expect(report.policy.verdict == nil)
        return Dictionary(
            uniqueKeysWithValues: set.results(in: report, dialect: dialect.name)
                .map { ($0.name, $0.outcome) }
        )
    }

    @Test("is decided for the rotation by a refresh, though the policy is not known")
    func rotation() throws {
        let replaced = try results(of: .asvs1, rotation: .replaces)
        #expect(replaced["asvs-1 rotation"] == .holds)
        let kept = try results(of: .rfc9700, rotation: .keeps)
        #expect(kept["rfc9700 rotation"] == .fails)
        #expect(kept["rfc9700 reuse-ends-session"] == .unknown)
    }
}
