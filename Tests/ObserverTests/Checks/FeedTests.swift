import Basics
import Profiles
import Testing

@testable import Backend
@testable import Observer

@Suite("What a check finds out about a feed")
struct FeedTests {
    /// Every dialect with a feed, its own or the sandbox's; access tokens live 20 s.
    static let dialects = Dialect.builtIn().map { $0.withSandboxFeed() }

    private func check(_ dialect: Dialect, _ feed: VirtualFeed) -> VirtualCheck {
        // Where a refresh spends the token and brings no other, a logout has none to send.
        let isSpent = RotationBehavior(of: dialect) == .consumes
        let reuse: ReusePolicy = isSpent ? ReusePolicy.none : .strict
        var policy = BackendPolicy(of: dialect, refreshLifetime: 600, reuse: reuse)
        policy.accessLifetime = 20
        var check = VirtualCheck(dialect: dialect, policy: policy)
        check.options = CheckOptions(probes: [.reach, .login, .refresh, .feed], interval: 0.05)
        check.feed = feed
        return check
    }

    private func verdicts(of report: CheckReport) -> [Verdict] {
        report.probes.first { $0.name == .feed }?.verdicts ?? []
    }

    @Test("is the result for its sockets, in every dialect", arguments: dialects)
    func everyDialect(dialect: Dialect) {
        let check = check(dialect, VirtualFeed())
        let (report, seconds, alive) = check.run()
        let found = verdicts(of: report)
        #expect(found.contains(.feedOpening(.accepted)))
        #expect(found.contains(.feedAfter(.refresh, closedWith: nil)))
        #expect(found.contains(.feedRefusal(.malformed, .refused(status: 403))))
        if report.exchanges.contains(where: { ($0.facts.accessLifetime ?? 900) < 30 }) {
            #expect(found.contains(.feedAfter(.expiry, closedWith: nil)))
            #expect(found.contains(.feedRefusal(.expired, .refused(status: 403))))
        }
        if check.hasLogout {
            #expect(found.contains(.feedAfter(.logout, closedWith: 4401)))
            #expect(alive == 0)
        }
        #expect(seconds < 60)
        #expect(report.failures == 0 || dialect.name == "bitbasel", "\(report.exchanges)")
        #expect(report.sent.logins <= report.plan.total.logins)
        #expect(report.sent.requests <= report.plan.total.requests + report.failures)
    }

    static let behaviors: [(VirtualFeed, Verdict)] = [
        (VirtualFeed(onRefresh: 4001), .feedAfter(.refresh, closedWith: 4001)),
        (VirtualFeed(onRefresh: 1006), .feedAfter(.refresh, closedWith: 1006)),
        (VirtualFeed(onLogout: nil), .feedAfter(.logout, closedWith: nil)),
        (VirtualFeed(onLogout: 1000), .feedAfter(.logout, closedWith: 1000)),
        (VirtualFeed(onExpiry: 4401), .feedAfter(.expiry, closedWith: 4401)),
        (VirtualFeed(refusal: .close(4401)), .feedRefusal(.malformed, .closed(code: 4401))),
        (VirtualFeed(refusal: .close(4401)), .feedRefusal(.expired, .closed(code: 4401))),
        (VirtualFeed(refusal: .accepts), .feedRefusal(.malformed, .accepted)),
        (VirtualFeed(refusal: .accepts), .feedRefusal(.expired, .accepted)),
        (VirtualFeed(refusal: .status(500)), .feedRefusal(.malformed, .refused(status: 500))),
        (VirtualFeed(lifetime: (0, 4403)), .feedOpening(.closed(code: 4403))),
    ]

    @Test("is the code with which a socket was closed, or that it stays open", arguments: behaviors)
    func codes(feed: VirtualFeed, expected: Verdict) throws {
        let dialect = try #require(Dialect.builtIn(named: "oauth2"))
        let report = check(dialect.withSandboxFeed(), feed).run().report
        #expect(verdicts(of: report).contains(expected), "\(verdicts(of: report))")
    }

    @Test("leaves to its end what ends with the token, whatever was done at that time")
    func shortLife() throws {
        let dialect = try #require(Dialect.builtIn(named: "voltyks"))
        var check = check(dialect.withSandboxFeed(), VirtualFeed(onExpiry: 4401))
        var policy = check.policy
        policy.accessLifetime = 4
        check = VirtualCheck(
            dialect: check.dialect,
            policy: policy,
            options: check.options,
            feed: check.feed
        )
        let found = verdicts(of: check.run().report)
        #expect(!found.contains { if case .feedAfter(.refresh, _?) = $0 { true } else { false } })
        #expect(found.contains(.feedAfter(.expiry, closedWith: 4401)))
    }

    @Test(
        "is nothing that the end of its token explains, however late the feed is reached",
        arguments: [2.0, 4, 7, 12, 20, 29],
        [nil, 4401]
    )
    func endedToken(lifetime: Double, onExpiry: Int?) throws {
        let dialect = try #require(Dialect.builtIn(named: "voltyks")).withSandboxFeed()
        for reuse in [ReusePolicy.strict, .grace(seconds: 10), .none] {
            var policy = BackendPolicy(of: dialect, refreshLifetime: 600, reuse: reuse)
            policy.rotation = .replaces
            policy.accessLifetime = lifetime
            var check = VirtualCheck(dialect: dialect, policy: policy)
            check.options = CheckOptions(interval: 0.5)
            check.feed = VirtualFeed(onLogout: nil, onExpiry: onExpiry)
            let found = verdicts(of: check.run().report)
            let opening = found.filter { if case .feedOpening = $0 { true } else { false } }
            #expect(opening == [.feedOpening(.accepted)] || opening.isEmpty, "\(found)")
            let closed = found.contains { verdict in
                switch verdict {
                case .feedAfter(.logout, closedWith: _?), .feedAfter(.refresh, closedWith: _?): true
                default: false
                }
            }
            #expect(!closed, "\(found)")
        }
    }

    @Test("says nothing of a socket that a network cuts once")
    func cutOnce() throws {
        let dialect = try #require(Dialect.builtIn(named: "voltyks"))
        // Seconds after the upgrade, so that it is cut after the refresh.
        let report = check(
            dialect.withSandboxFeed(),
            VirtualFeed(lifetime: (1.5, 1006))
        ).run().report
        let first = report.exchanges.first { exchange in
            if case .watch(_, .refresh) = exchange.action { true } else { false }
        }
        #expect(first?.outcome == .unclear(.cut(code: 1006)))
        #expect(report.failures > 0)
    }

    @Test("is nothing without a feed in the profile")
    func noFeed() throws {
        let dialect = try #require(Dialect.builtIn(named: "voltyks"))
        let report = check(dialect, VirtualFeed()).run().report
        let result = try #require(report.probes.first { $0.name == .feed })
        #expect(result.state == .skipped(.notInProfile))
    }
}
