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

    private static func answer(scope: String) -> String {
        #"{"access_token": "{access}", "refresh_token": "{refresh}", "scope": "\#(scope)", "#
            + #""token_type": "Bearer", "expires_in": {expires_in}}"#
    }

    @Test(
        "is decided for the scope of a refreshed token by its answer, and of an audience by none",
        arguments: [("read write", Observer.Expectation.Outcome.holds), ("read", .fails)]
    )
    func scope(refreshed: String, outcome: Observer.Expectation.Outcome) throws {
        let source = ProfileSource(
            name: "mine",
            text: """
                extends = "oauth2"
                responses.login.body = '\(Self.answer(scope: "read write"))'
                responses.refresh.body = '\(Self.answer(scope: refreshed))'
                """,
            file: "mine.toml"
        )
        let dialect = try Profile(source, known: ["oauth2"]) { ProfileSource.builtIn($0) }.dialect
        let policy = BackendPolicy(of: dialect, refreshLifetime: 600, reuse: .strict)
        var check = VirtualCheck(dialect: dialect, policy: policy)
        check.options = CheckOptions(probes: [.login, .refresh], interval: 0.05)
        let report = check.run().report
        #expect(try Observer.Expectation(parsing: "scope=kept").outcome(in: report) == outcome)
        #expect(try Observer.Expectation(parsing: "audience=kept").outcome(in: report) == .unknown)
    }
}
