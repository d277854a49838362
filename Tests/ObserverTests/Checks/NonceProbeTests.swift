import Backend
import Basics
import Profiles
import Testing

@testable import Observer

@Suite("A refresh whose proof has no nonce")
struct NonceProbeTests {
    private static func dialect(_ lines: String) throws -> Dialect {
        let source = ProfileSource(
            name: "mine",
            text: "extends = \"oauth2\"\n\(lines)",
            file: "mine.toml"
        )
        return try Profile(source, known: ["oauth2"]) { ProfileSource.builtIn($0) }.dialect
    }

    private func report(
        _ challenge: VirtualTrouble.Challenge?,
        _ probes: [ProbeName]
    ) throws -> CheckReport {
        let dialect = try Self.dialect("dpop = true")
        let policy = BackendPolicy(of: dialect, refreshLifetime: 600, reuse: .strict)
        var check = VirtualCheck(dialect: dialect, policy: policy)
        check.options.probes = probes
        check.trouble.challenge = challenge
        return check.run().report
    }

    @Test(
        "spends the refresh token, leaves it alone, or is accepted",
        arguments: [
            (.spendsToken, .spendsToken), (.keepsToken, .leavesToken), (nil, .notRequired),
        ] as [(VirtualTrouble.Challenge?, NonceVerdict)]
    )
    func verdict(challenge: VirtualTrouble.Challenge?, expected: NonceVerdict) throws {
        let report = try report(challenge, [.login, .refresh, .nonce])
        #expect(report.verdicts.contains(.nonce(expected)), "\(report.verdicts)")
        let expectation = try Observer.Expectation(parsing: "nonce=\(expected.rawValue)")
        #expect(expectation.outcome(in: report) == .holds)
    }

    @Test("says nothing where no other refresh has been accepted")
    func alone() throws {
        let report = try report(.spendsToken, [.login, .nonce])
        let expectation = try Observer.Expectation(parsing: "nonce=spent")
        #expect(expectation.outcome(in: report) == .unknown)
    }

    @Test("is sent only where the tokens are bound to a key", arguments: [true, false])
    func skipped(isQuick: Bool) throws {
        let without = try Self.dialect("")
        #expect(!CheckOptions.probes(of: without, isQuick: isQuick).contains(.nonce))
        let bound = try Self.dialect("dpop = true")
        #expect(CheckOptions.probes(of: bound, isQuick: isQuick).contains(.nonce))
    }
}
