import Backend
import Basics
import Profiles
import Testing

@testable import Observer

@Suite("The end of a window, as a check names it")
struct WindowEndTests {
    private func check(
        _ reuse: ReusePolicy,
        uses: Int? = nil,
        options: CheckOptions = CheckOptions(interval: 0.05)
    ) throws -> CheckReport {
        let dialect = try #require(Dialect.builtIn(named: "oauth2"))
        var policy = BackendPolicy(of: dialect, refreshLifetime: 600, reuse: reuse)
        policy.rotation = .replaces
        var check = VirtualCheck(dialect: dialect, policy: policy)
        check.options = options
        check.trouble.useLimit = uses
        let report = check.run().report
        #expect(report.sent.logins <= report.plan.total.logins)
        #expect(report.sent.refreshes <= report.plan.total.refreshes)
        #expect(report.sent.requests <= report.plan.total.requests)
        return report
    }

    @Test("by a count of uses is told apart from one by time", arguments: 1...4)
    func uses(limit: Int) throws {
        let policy = try check(.grace(seconds: 30), uses: limit).policy
        #expect(policy.verdict == .grace)
        #expect(policy.windowEnd == .uses(limit))
        #expect(policy.window?.admits(30) == true, "\(String(describing: policy.window))")
    }

    @Test("by time says how often a token was accepted", arguments: [3.0, 10, 30])
    func time(seconds: Double) throws {
        let policy = try check(.grace(seconds: seconds)).policy
        #expect(policy.windowEnd == .time(uses: 5))
        #expect(policy.window?.admits(seconds) == true)
    }

    @Test("is left open where one session alone was used, again and again")
    func undecided() throws {
        for uses in [nil, 2] {
            var options = CheckOptions(
                probes: [.login, .refresh, .window],
                interval: 0.05
            )
            options.families = 1
            let policy = try check(.grace(seconds: 10), uses: uses, options: options).policy
            #expect(policy.windowEnd == .undecided)
        }
    }

    @Test("is none where a replaced token is refused at once, or never")
    func none() throws {
        for reuse in [ReusePolicy.strict, .none, .oldLivesUntilNewUsed] {
            #expect(try check(reuse).policy.windowEnd == nil)
        }
    }
}
