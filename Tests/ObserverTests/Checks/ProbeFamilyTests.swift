import Backend
import Basics
import Profiles
import Testing

@testable import Observer

@Suite("A check whose sessions are limited")
struct ProbeFamilyTests {
    private func check(
        _ subject: Subject,
        _ probes: [ProbeName] = ProbeName.allCases,
        families: Int,
        logins: LoginSource = .profile
    ) -> CheckReport {
        var check = VirtualCheck(dialect: subject.dialect, policy: subject.policy)
        check.options = CheckOptions(probes: probes, interval: 0.05)
        check.options.families = families
        check.options.logins = logins
        return check.run().report
    }

    static let policies: [ReusePolicy] = [
        .none, .strict, .strictRevokeFamily, .grace(seconds: 10), .graceForks(seconds: 10),
        .oldLivesUntilNewUsed,
    ]

    /// The usual dialects: the one that spends without a successor, and two that can rotate.
    static let subjects = Subject.all(policies).filter { subject in
        subject.dialect.name == "melchat"
            || ["intellipost", "oauth2"].contains(subject.dialect.name)
                && subject.policy.rotation == .replaces
    }

    private func expectRight(_ report: CheckReport, _ subject: Subject) {
        switch report.policy.name {
        case .named(let verdict): #expect(verdict == subject.expected)
        case .possible(let verdicts): #expect(verdicts.contains(subject.expected))
        case .inconclusive(.unanswered), .inconclusive(.notAsked): break
        case .inconclusive(let why): Issue.record("inconclusive: \(why)")
        }
        if let window = report.policy.window, let real = subject.window {
            #expect(window.admits(real), "\(window)")
        }
    }

    @Test("uses no more of them, and names the policy or leaves it open", arguments: [1, 3, 12])
    func limit(families: Int) {
        for subject in Self.subjects {
            let report = check(subject, families: families)
            #expect(report.sent.logins <= families, "\(subject.testDescription)")
            #expect(report.sent.requests <= report.plan.total.requests + report.failures)
            expectRight(report, subject)
        }
    }

    @Test(
        "asks one probe with the first session",
        arguments: [ProbeName.reuse, .depth, .untilUsed, .window, .race, .lost, .logout]
    )
    func oneProbe(name: ProbeName) {
        for subject in Self.subjects {
            let probes: [ProbeName] = [.reach, .login, .accept, .refresh, .errors, name]
            let report = check(subject, probes, families: 1)
            #expect(report.sent.logins == 1)
            let result = report.probes.first { $0.name == name }
            if case .inconclusive(let why)? = result?.state {
                Issue.record("\(subject.testDescription): \(String(describing: why))")
            }
            expectRight(report, subject)
        }
    }

    @Test("finds the window with one session, where all its answers may be kept")
    func window() throws {
        let dialect = try #require(Dialect.builtIn(named: "voltyks"))
        for reuse in [ReusePolicy.grace(seconds: 10), .graceForks(seconds: 10)] {
            let policy = BackendPolicy(of: dialect, refreshLifetime: 600, reuse: reuse)
            let report = check(
                Subject(dialect: dialect, policy: policy),
                [.login, .refresh, .window],
                families: 1
            )
            let window = try #require(report.policy.window)
            #expect(window.low > 4.5 && (window.high ?? .infinity) < 16, "\(window)")
        }
    }

    @Test("needs no login for imported tokens, and one for each session of a command")
    func sources() throws {
        let dialect = try #require(Dialect.builtIn(named: "voltyks"))
        let subject = Subject(
            dialect: dialect,
            policy: BackendPolicy(of: dialect, refreshLifetime: 600, reuse: .strict)
        )
        let imported = check(subject, families: 1, logins: .imported)
        #expect(imported.sent.logins == 0 && imported.plan.total.logins == 0)
        #expect(imported.policy.verdict == .strict)
        let command = check(subject, CheckOptions.quick, families: 20, logins: .command)
        #expect(command.sent.logins > 2)
        #expect(command.policy.verdict == .strict)
        #expect(!command.verdicts.contains(.cacheable))
    }

    @Test(
        "are not needed for refreshes that the profile does not have, and none are announced",
        arguments: [nil, 2]
    )
    func withoutRefresh(families: Int?) throws {
        let source = ProfileSource(
            name: "mine",
            text: "extends = \"oauth2\"\ndisable = [\"refresh\"]",
            file: "mine.toml"
        )
        let dialect = try Profile(source, known: ["oauth2"]) { ProfileSource.builtIn($0) }.dialect
        let policy = BackendPolicy(of: dialect, refreshLifetime: 600, reuse: .strict)
        var check = VirtualCheck(dialect: dialect, policy: policy)
        check.options.families = families
        let report = check.run().report
        #expect(report.plan.total.refreshes == 0 && report.sent.refreshes == 0)
        #expect(report.sent.requests <= report.plan.total.requests)
        for name in [ProbeName.reuse, .window, .race] {
            let result = report.probes.first { $0.name == name }
            #expect(result?.state == .skipped(.noRefreshToken))
        }
        #expect(report.probes.first { $0.name == .logout }?.state == .done)
    }

    @Test("says what needs more of them")
    func skipped() throws {
        let dialect = try #require(Dialect.builtIn(named: "voltyks"))
        let subject = Subject(
            dialect: dialect,
            policy: BackendPolicy(of: dialect, refreshLifetime: 600, reuse: .strict)
        )
        let report = check(subject, families: 1)
        let race = try #require(report.probes.first { $0.name == .race })
        #expect(race.state == .skipped(.tooManySessions))
    }
}
