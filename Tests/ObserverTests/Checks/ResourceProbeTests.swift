import Backend
import Basics
import Profiles
import Testing

@testable import Observer

@Suite("A refresh that does not name the resource of the tokens")
struct ResourceProbeTests {
    private static func dialect(_ lines: String) throws -> Dialect {
        let source = ProfileSource(
            name: "mine",
            text: "extends = \"oauth2\"\n\(lines)",
            file: "mine.toml"
        )
        return try Profile(source, known: ["oauth2"]) { ProfileSource.builtIn($0) }.dialect
    }

    private func report(bindsResource: Bool) throws -> CheckReport {
        let dialect = try Self.dialect("resource = \"https://api.example.com/mcp\"")
        let policy = BackendPolicy(of: dialect, refreshLifetime: 600, reuse: .strict)
        var check = VirtualCheck(dialect: dialect, policy: policy)
        check.options.probes = [.login, .resource]
        check.trouble.bindsResource = bindsResource
        return check.run().report
    }

    private func outcome(
        of expectation: String,
        in report: CheckReport
    ) throws -> Observer.Expectation.Outcome {
        try Observer.Expectation(parsing: expectation).outcome(in: report)
    }

    @Test("is accepted by a server that ignores it, and the audience of the token is not known")
    func ignored() throws {
        let report = try report(bindsResource: false)
        let accepted = ResourceVerdict(
            isAccepted: true,
            keepsAudience: nil,
            code: nil,
            sessionLives: true
        )
        for resource in OtherResource.allCases {
            #expect(report.verdicts.contains(.resource(resource, accepted)), "\(report.verdicts)")
        }
        #expect(try outcome(of: "resource=refused", in: report) == .unknown)
    }

    @Test("is refused by a server that checks it, and the session goes on")
    func refused() throws {
        let report = try report(bindsResource: true)
        let refused = ResourceVerdict(
            isAccepted: false,
            keepsAudience: nil,
            code: "invalid_target",
            sessionLives: true
        )
        for resource in OtherResource.allCases {
            #expect(report.verdicts.contains(.resource(resource, refused)), "\(report.verdicts)")
        }
        #expect(try outcome(of: "resource=refused", in: report) == .holds)
        #expect(try outcome(of: "resource=issued", in: report) == .fails)
    }

    @Test("is not asked about where no request names a resource", arguments: [true, false])
    func skipped(isQuick: Bool) throws {
        let without = try Self.dialect("")
        #expect(!CheckOptions.probes(of: without, isQuick: isQuick).contains(.resource))
        let with = try Self.dialect("resource = \"https://api.example.com/mcp\"")
        #expect(CheckOptions.probes(of: with, isQuick: isQuick).contains(.resource))
    }
}
