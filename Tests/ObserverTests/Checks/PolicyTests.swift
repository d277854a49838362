import Basics
import FoundationEssentials
import Model
import Profiles
import Testing

@testable import Backend
@testable import Observer

/// A backend of the sandbox, with a policy of its own.
struct Subject: Sendable, CustomTestStringConvertible {
    let dialect: Dialect
    let policy: BackendPolicy

    var testDescription: String { "\(dialect.name) \(policy.rotation) \(policy.reuse)" }

    /// The sandbox's behavior: a dialect that does not rotate spends nothing.
    var expected: ReuseVerdict {
        switch policy.rotation {
        case .keeps, .keepsSilently: return .fixed
        case .consumes:
            switch policy.reuse {
            case .none: return .fixed
            case .graceForks, .strict, .strictRevokeFamily, .grace, .oldLivesUntilNewUsed:
                return .singleUse
            }
        case .replaces: break
        }
        switch policy.reuse {
        case .none: return .reusable
        case .strict, .grace(seconds: 0): return .strict
        case .strictRevokeFamily: return .strictRevoke
        case .grace: return .grace
        case .graceForks: return .graceForks
        case .oldLivesUntilNewUsed: return .untilUsed
        }
    }

    /// Whether a reuse begins a session whose refresh token is in no answer, so that nothing but its age
    /// ends it.
    var forksUnseen: Bool {
        if case .graceForks = policy.reuse { policy.rotation == .consumes } else { false }
    }

    var window: Double? {
        switch policy.reuse {
        case .grace(let seconds), .graceForks(let seconds): seconds
        case .none, .strict, .strictRevokeFamily, .oldLivesUntilNewUsed: nil
        }
    }

    /// Every dialect with every policy: as it rotates, and rotating if its answers can show it.
    static func all(_ policies: [ReusePolicy]) -> [Subject] {
        Dialect.builtIn().flatMap { dialect in
            let own = RotationBehavior(of: dialect)
            let rotations = own == .consumes ? [own] : Array(Set([own, .replaces]))
            return rotations.flatMap { rotation in
                policies.map { reuse in
                    var policy = BackendPolicy(of: dialect, refreshLifetime: 600, reuse: reuse)
                    policy.rotation = rotation
                    return Subject(dialect: dialect, policy: policy)
                }
            }
        }
    }
}

@Suite("The policy that a check names")
struct PolicyTests {
    static let policies: [ReusePolicy] = [
        .none, .strict, .strictRevokeFamily, .grace(seconds: 0), .grace(seconds: 3),
        .grace(seconds: 10), .grace(seconds: 30), .graceForks(seconds: 3),
        .graceForks(seconds: 10), .graceForks(seconds: 30), .oldLivesUntilNewUsed,
    ]

    /// More by hand: `AUTHTOP_CHECK_SEEDS=20`.
    static let seeds: ClosedRange<UInt64> = {
        let text = ProcessInfo.processInfo.environment["AUTHTOP_CHECK_SEEDS"]
        return 1...max(1, text.flatMap(UInt64.init) ?? 1)
    }()

    @Test(
        "is the backend's, with its window within the bounds, for what was planned",
        arguments: Subject.all(policies)
    )
    func isRight(subject: Subject) {
        for seed in Self.seeds {
            let check = VirtualCheck(dialect: subject.dialect, policy: subject.policy, seed: seed)
            let (report, seconds, alive) = check.run()
            #expect(report.policy.verdict == subject.expected, "seed \(seed): \(report.policy)")
            if let window = report.policy.window, let real = subject.window {
                #expect(window.admits(real), "seed \(seed): \(window)")
            }
            #expect(seconds < 90, "seed \(seed)")
            #expect(report.sent.logins <= report.plan.total.logins)
            #expect(report.sent.refreshes <= report.plan.total.refreshes)
            #expect(report.failures == 0 || subject.dialect.name == "bitbasel")
            #expect(report.sent.requests <= report.plan.total.requests + report.failures)
            if check.hasLogout {
                #expect(report.sessions.left == 0 && report.sessions.ended > 0)
                #expect(alive == 0, "seed \(seed)")
            } else {
                #expect(report.sessions.left > 0 && report.sessions.ended == 0)
            }
        }
    }

    @Test(
        "suggests the roundest length of a window that its bounds allow",
        arguments: [
            (28.0, 30.1, 30.0), (9, 10.07, 10), (2.6, 3.25, 3), (50, 61, 60), (0.2, 0.6, 0.2),
        ]
    )
    func likelyWindow(low: Double, high: Double, likely: Double) {
        let window = ReuseWindow(low: low, high: high)
        #expect(window.likely == likely)
        #expect(window.admits(likely))
        #expect(ReuseWindow(low: low, high: nil).likely == nil)
    }

    @Test("is the sandbox's option of the same name", arguments: ReuseVerdict.allCases)
    func sandboxPolicyParses(verdict: ReuseVerdict) throws {
        _ = try ReusePolicy(parsing: verdict.sandboxPolicy)
    }

    @Test(
        "of a quick check is right, or leaves open what takes longer",
        arguments: Subject.all([
            .none, .strict, .strictRevokeFamily, .grace(seconds: 10), .graceForks(seconds: 10),
            .oldLivesUntilNewUsed,
        ])
    )
    func isRightQuickly(subject: Subject) {
        var check = VirtualCheck(dialect: subject.dialect, policy: subject.policy)
        check.options = CheckOptions(probes: CheckOptions.quick, interval: 0.02)
        let (report, seconds, _) = check.run()
        switch report.policy.name {
        case .named(let verdict): #expect(verdict == subject.expected)
        case .possible(let verdicts): #expect(verdicts.contains(subject.expected))
        case .inconclusive(let why): Issue.record("inconclusive: \(why)")
        }
        #expect(seconds < 10)
        #expect(report.sent.requests <= report.plan.total.requests + report.failures)
    }

    @Test("is none where logins bring an access token alone, though the profile has a refresh")
    func withoutRefreshToken() throws {
        let dialect = try #require(Dialect.builtIn(named: "oauth2"))
        var policy = BackendPolicy(of: dialect, refreshLifetime: 600)
        policy.hasRefreshToken = false
        for probes in [CheckOptions.standard, CheckOptions.quick] {
            var check = VirtualCheck(dialect: dialect, policy: policy)
            check.options = CheckOptions(probes: probes, interval: 0.05)
            let report = check.run().report
            #expect(report.policy.name == .inconclusive(.noRefreshToken))
            #expect(report.sent.refreshes == 0 && report.failures == 0)
            let accept = report.probes.first { $0.name == .accept }
            #expect(accept?.state == .done)
            let refresh = report.probes.first { $0.name == .refresh }
            #expect(refresh?.state == .skipped(.noRefreshToken))
        }
    }

    @Test(
        "is left open by a refresh without a refresh token, until time shows what it does",
        arguments: [
            (RotationBehavior.keepsSilently, ReusePolicy.strict, ReuseVerdict.fixed, false),
            (.consumes, .graceForks(seconds: 30), .singleUse, true),
        ]
    )
    func silent(
        rotation: RotationBehavior,
        reuse: ReusePolicy,
        expected: ReuseVerdict,
        hasWindow: Bool
    ) throws {
        let dialect = try #require(Dialect.builtIn(named: "oauth2"))
        var policy = BackendPolicy(of: dialect, refreshLifetime: 600, reuse: reuse)
        policy.rotation = rotation
        var check = VirtualCheck(dialect: dialect, policy: policy)
        let whole = check.run().report
        #expect(whole.policy.verdict == expected, "\(whole.policy)")
        #expect((whole.policy.window != nil) == hasWindow)
        // One session is enough, and its uses leave open whether it is their number.
        #expect(whole.exchanges.filter { $0.probe == .window && $0.action.isLogin }.count == 1)
        #expect(whole.policy.windowEnd == (hasWindow ? .undecided : nil))
        check.options = CheckOptions(probes: CheckOptions.quick, interval: 0.02)
        #expect(check.run().report.policy.name == .possible([.fixed, .singleUse]))
    }

    @Test(
        "is named where a rule of the backend's own policy is broken",
        arguments: [
            ([], ReuseVerdict.strict), ([Fault.keptRefreshToken], .fixed),
            ([.acceptedReuse], .reusable), ([.missingScope], .strict),
        ]
    )
    func brokenRule(faults: [Fault], expected: ReuseVerdict) throws {
        let dialect = try #require(Dialect.builtIn(named: "voltyks"))
        let policy = BackendPolicy(of: dialect, refreshLifetime: 600, reuse: .strict)
        var check = VirtualCheck(dialect: dialect, policy: policy)
        check.faults = faults.map { FaultSetting($0, .always) }
        #expect(check.run().report.policy.verdict == expected)
    }

    @Test("is named where a token lives until the access token that it brought is used")
    func untilAccessUsed() throws {
        let dialect = try #require(Dialect.builtIn(named: "oauth2"))
        var policy = BackendPolicy(of: dialect, refreshLifetime: 600, reuse: ReusePolicy.none)
        policy.rotation = .replaces
        for probes in [CheckOptions.standard, CheckOptions.quick] {
            var check = VirtualCheck(dialect: dialect, policy: policy)
            check.options = CheckOptions(probes: probes, interval: 0.05)
            check.trouble.spendsAtAccess = true
            let report = check.run().report
            #expect(report.policy.verdict?.rawValue == "old-lives-until-access")
            #expect(report.policy.window == nil)
        }
    }

    @Test(
        "is right, or left open, where refusals have no body",
        arguments: Subject.all([.strict, .strictRevokeFamily]),
        [0.05, 0.5]
    )
    func bareRefusals(subject: Subject, interval: Double) {
        guard subject.policy.rotation == .replaces else { return }
        var check = VirtualCheck(dialect: subject.dialect, policy: subject.policy)
        check.options = CheckOptions(interval: interval)
        check.trouble.refusesWithoutBody = true
        let report = check.run().report
        #expect(report.policy.verdict == subject.expected, "\(report.policy)")
    }

    @Test("keeps the bounds of its window where the backend fails after a refusal")
    func keepsBounds() throws {
        let dialect = try #require(Dialect.builtIn(named: "oauth2"))
        var policy = BackendPolicy(
            of: dialect,
            refreshLifetime: 600,
            reuse: .grace(seconds: 10)
        )
        policy.rotation = .replaces
        var check = VirtualCheck(dialect: dialect, policy: policy)
        check.options = CheckOptions(probes: [.login, .refresh, .window], interval: 0.05)
        check.trouble.failsAfterRefusals = true
        let report = check.run().report
        let window = try #require(report.policy.window)
        #expect(window.admits(10) && window.high != nil, "\(window)")
    }

    @Test(
        "is right where a logout ends every session of the user",
        arguments: Subject.all([.strictRevokeFamily, .grace(seconds: 10), .graceForks(seconds: 10)])
    )
    func isRightBesideLogouts(subject: Subject) {
        var check = VirtualCheck(dialect: subject.dialect, policy: subject.policy)
        check.logoutEndsAll = true
        let (report, seconds, alive) = check.run()
        #expect(report.policy.verdict == subject.expected, "\(report.policy)")
        if let window = report.policy.window, let real = subject.window {
            #expect(window.admits(real), "\(window)")
        }
        if check.hasLogout {
            #expect(alive == 0 || subject.forksUnseen)
            let spares = report.verdicts.contains { verdict in
                if case .logout(let logout) = verdict { logout.othersLive != false } else { false }
            }
            #expect(!spares)
        }
        #expect(seconds < 90)
    }

    @Test("with transient faults in a fifth of all exchanges is right, or left open")
    func isNeverWrong() throws {
        var table: [String: [String: Int]] = [:]
        let subjects = Subject.all([
            .none, .strict, .strictRevokeFamily, .grace(seconds: 10), .graceForks(seconds: 10),
            .oldLivesUntilNewUsed,
        ])
        for subject in subjects where subject.policy.rotation == .replaces {
            for seed in Self.seeds {
                var check = VirtualCheck(
                    dialect: subject.dialect,
                    policy: subject.policy,
                    seed: seed
                )
                check.faults = try FaultSetting.transient(percent: 20)
                let report = check.run().report
                let shown: String
                switch report.policy.name {
                case .named(let verdict):
                    shown = verdict.rawValue
                    #expect(
                        verdict == subject.expected,
                        "\(subject.testDescription) seed \(seed): \(report.policy)"
                    )
                case .possible(let verdicts):
                    shown = "open"
                    #expect(
                        verdicts.contains(subject.expected),
                        "\(subject.testDescription) seed \(seed): \(report.policy)"
                    )
                case .inconclusive: shown = "inconclusive"
                }
                table[subject.expected.rawValue, default: [:]][shown, default: 0] += 1
                if let window = report.policy.window, let real = subject.window {
                    #expect(
                        window.admits(real),
                        "\(subject.testDescription) seed \(seed): \(window)"
                    )
                }
            }
        }
        for (expected, shown) in table.sorted(by: { $0.key < $1.key }) {
            let counts = shown.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            print("\(expected): \(counts.joined(separator: ", "))")
        }
        let named = table.map { $1[$0] ?? 0 }.reduce(0, +)
        #expect(named * 2 > table.values.flatMap(\.values).reduce(0, +), "\(table)")
    }
}
